// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/reducers.hpp>

namespace tandem {

namespace detail {

/// The type that reducer number I receives from a term: its value in a tuple, or the whole term.
template <class Term, std::size_t Position>
struct part_of {
  using type = Term;
};
template <class... Value, std::size_t Position>
  requires(Position < sizeof...(Value))
struct part_of<tuple<Value...>, Position> {
  using type = std::tuple_element_t<Position, tuple<Value...>>;
};

}  // namespace detail

/// Combines several reducers in one pass. A term is a tandem::tuple with one value for each of
/// them, or a single value for all; the result is a tandem::tuple of their results:
///
///   combined_reducer both{sum{}, maximum{}};
///   auto [total, peak] = parallel_reduce(n, TANDEM_LAMBDA(int i) { return x(i); }, both);
///
/// Reducers without a type take the type of their value in the term.
///
/// Each result has the bits of its reducer alone, unless reducers that depend on the order of
/// combining have accumulators of different sizes, such as sum<float> and sum<double>: all of them
/// then take the reduction order of the largest (docs/numerics.md).
template <class... R>
struct combined_reducer {
  static_assert((reducer_or_deduced<R> && ...), "tandem: a combined_reducer is made of reducers");

  tuple<R...> reducers;

  constexpr explicit combined_reducer(R... each) : reducers(tandem::make_tuple(each...)) {}

  /// These reducers, each with a type.
  template <class Term>
  constexpr auto for_terms() const {
    return for_each_term<Term>(std::index_sequence_for<R...>{});
  }

 private:
  template <class Term, std::size_t... Position>
  constexpr auto for_each_term(std::index_sequence<Position...>) const {
    return combined(detail::reducer_for<typename detail::part_of<Term, Position>::type>(
        get<Position>(reducers))...);
  }
  /// A function instead of class template argument deduction, which nvcc does not accept for this
  /// class.
  template <class... Chosen>
  static constexpr combined_reducer<Chosen...> combined(Chosen... each) {
    return combined_reducer<Chosen...>(each...);
  }
};

template <class... R>
combined_reducer(R...) -> combined_reducer<R...>;

/// Several reducers with known types.
template <reducer... R>
struct combined_reducer<R...> {
  using accumulator = tuple<typename R::accumulator...>;
  using result = tuple<typename R::result...>;
  static constexpr bool commutative = (R::commutative && ...);

  tuple<R...> reducers;

  constexpr explicit combined_reducer(R... each) : reducers(tandem::make_tuple(each...)) {}

  template <class Term>
  TANDEM_FUNCTION constexpr accumulator lift(const Term& term, index_t i) const {
    return lift_each(term, i, std::index_sequence_for<R...>{});
  }
  TANDEM_FUNCTION constexpr accumulator combine(const accumulator& a, const accumulator& b) const {
    return combine_each(a, b, std::index_sequence_for<R...>{});
  }
  TANDEM_FUNCTION constexpr accumulator identity() const {
    return identity_each(std::index_sequence_for<R...>{});
  }
  TANDEM_FUNCTION constexpr result finish(const accumulator& a) const {
    return finish_each(a, std::index_sequence_for<R...>{});
  }
  TANDEM_FUNCTION constexpr result empty() const {
    return empty_each(std::index_sequence_for<R...>{});
  }

 private:
  template <class Term, std::size_t... Position>
  TANDEM_FUNCTION constexpr accumulator lift_each(const Term& term, index_t i,
                                                  std::index_sequence<Position...>) const {
    if constexpr (requires { typename std::tuple_size<Term>::type; }) {
      static_assert(std::tuple_size<Term>::value == sizeof...(R),
                    "tandem: a combined_reducer of n reducers needs n values per term");
      return tandem::make_tuple(get<Position>(reducers).lift(get<Position>(term), i)...);
    } else {
      return tandem::make_tuple(get<Position>(reducers).lift(term, i)...);
    }
  }
  template <std::size_t... Position>
  TANDEM_FUNCTION constexpr accumulator combine_each(const accumulator& a, const accumulator& b,
                                                     std::index_sequence<Position...>) const {
    return tandem::make_tuple(
        get<Position>(reducers).combine(get<Position>(a), get<Position>(b))...);
  }
  template <std::size_t... Position>
  TANDEM_FUNCTION constexpr accumulator identity_each(std::index_sequence<Position...>) const {
    return tandem::make_tuple(get<Position>(reducers).identity()...);
  }
  template <std::size_t... Position>
  TANDEM_FUNCTION constexpr result finish_each(const accumulator& a,
                                               std::index_sequence<Position...>) const {
    return tandem::make_tuple(get<Position>(reducers).finish(get<Position>(a))...);
  }
  template <std::size_t... Position>
  TANDEM_FUNCTION constexpr result empty_each(std::index_sequence<Position...>) const {
    return tandem::make_tuple(get<Position>(reducers).empty()...);
  }
};

template <class... R>
inline constexpr bool order_free<combined_reducer<R...>> = (order_free<R> && ...);

}  // namespace tandem
