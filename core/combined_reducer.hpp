// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/reducers.hpp>

namespace tandem {

/// Several reducers over one pass. A term is a tandem::tuple with one value for each of them, or a
/// single value that all of them get; the result is a tandem::tuple of their results:
///
///   combined_reducer both{sum<float>{}, maximum<float>{}};
///   auto [total, peak] = parallel_reduce(n, TANDEM_LAMBDA(int i) { return x(i); }, both);
///
/// The shape is that of an accumulator of the tuple's size, so a floating-point sum may have other
/// bits than alone.
template <reducer... R>
struct combined_reducer {
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
  template <class Term, std::size_t... I>
  TANDEM_FUNCTION constexpr accumulator lift_each(const Term& term, index_t i,
                                                  std::index_sequence<I...>) const {
    if constexpr (requires { typename std::tuple_size<Term>::type; }) {
      static_assert(std::tuple_size<Term>::value == sizeof...(R),
                    "tandem: a combined_reducer of n reducers needs n values per term");
      return tandem::make_tuple(get<I>(reducers).lift(get<I>(term), i)...);
    } else {
      return tandem::make_tuple(get<I>(reducers).lift(term, i)...);
    }
  }
  template <std::size_t... I>
  TANDEM_FUNCTION constexpr accumulator combine_each(const accumulator& a, const accumulator& b,
                                                     std::index_sequence<I...>) const {
    return tandem::make_tuple(get<I>(reducers).combine(get<I>(a), get<I>(b))...);
  }
  template <std::size_t... I>
  TANDEM_FUNCTION constexpr accumulator identity_each(std::index_sequence<I...>) const {
    return tandem::make_tuple(get<I>(reducers).identity()...);
  }
  template <std::size_t... I>
  TANDEM_FUNCTION constexpr result finish_each(const accumulator& a,
                                               std::index_sequence<I...>) const {
    return tandem::make_tuple(get<I>(reducers).finish(get<I>(a))...);
  }
  template <std::size_t... I>
  TANDEM_FUNCTION constexpr result empty_each(std::index_sequence<I...>) const {
    return tandem::make_tuple(get<I>(reducers).empty()...);
  }
};

}  // namespace tandem
