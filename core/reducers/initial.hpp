// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/numbers/narrowing.hpp>
#include <tandem/core/reducers/finished.hpp>

namespace tandem {

namespace detail {

/// Whether a reducer without a type gets one from the elements of a scan.
template <class R, class Element>
concept typed_by_elements = requires(const R& r) { r.template for_elements<Element>(); };

}  // namespace detail

/// A reducer with an initial value, which with_initial() makes.
template <reducer_or_deduced R, class T>
struct initial_reducer {
  R reducer;
  T initial;

  /// This reducer with a type.
  template <class Term>
  constexpr auto for_terms() const {
    return typed(detail::reducer_for<Term>(reducer));
  }
  /// The reducer of a scan with elements of type Element.
  template <class Element>
    requires detail::typed_by_elements<R, Element>
  constexpr auto for_elements() const {
    return typed(reducer.template for_elements<Element>());
  }

 private:
  template <class Typed>
  constexpr initial_reducer<Typed, T> typed(const Typed& chosen) const {
    detail::require_holds<typename Typed::result>("with_initial", "initial", initial);
    return {chosen, initial};
  }
};

/// An initial reducer with a known type.
template <reducer R, class T>
struct initial_reducer<R, T> {
  using accumulator = typename R::accumulator;
  using result = typename R::result;
  static constexpr bool commutative = R::commutative;

  R reducer;
  T initial;

  template <class Term>
  TANDEM_FUNCTION constexpr accumulator lift(const Term& term, index_t i) const {
    return reducer.lift(term, i);
  }
  TANDEM_FUNCTION constexpr accumulator combine(const accumulator& a, const accumulator& b) const {
    return reducer.combine(a, b);
  }
  TANDEM_FUNCTION constexpr accumulator identity() const { return reducer.identity(); }
  TANDEM_FUNCTION constexpr result finish(const accumulator& a) const {
    return reducer.combine(empty(), reducer.finish(a));
  }
  TANDEM_FUNCTION constexpr result empty() const {
    return static_cast<result>(detail::as_stored<result>(initial));
  }
};

template <class R, class T>
inline constexpr bool order_free<initial_reducer<R, T>> = order_free<R>;

/// A reduction or scan that starts at a value, as std::reduce and std::inclusive_scan do.
///
///   const double total = parallel_reduce(n, f, with_initial(sum{}, 10.0));
///
/// Reductions, along an axis and of segments as well, combine it once with the result of the terms,
/// on the left: initial op (x[0] op .. op x[n - 1]). Without terms the result is the initial value.
/// parallel_scan combines it with the first term: y[i] = (initial op x[0]) op .. op x[i];
/// segmented_scan takes an initial value by exclusive{init} only.
///
/// @param reducer  its accumulator is its result: sum, product, minimum, maximum, logical and
///                 bitwise ones, reduction{operation, identity}
/// @param initial  need not be an identity of the operation, whereas the second member of a
///                 `reduction` has to be one. Converted to the reducer's type; not floating
///                 point for integers
/// Errors          argument_error, here or when the type is known, for an integer outside the range
///                 of the reducer's type
template <reducer_or_deduced R, class T>
constexpr initial_reducer<R, T> with_initial(const R& reducer, const T& initial) {
  if constexpr (tandem::reducer<R>)
    detail::require_holds<typename R::result>("with_initial", "initial", initial);
  return {reducer, initial};
}

namespace detail {

template <class R>
inline constexpr bool has_initial = false;
template <class R, class T>
inline constexpr bool has_initial<initial_reducer<R, T>> = true;

/// The terms of a scan with an initial value, which is combined with the first one.
template <class Load, class Accumulator>
struct initial_load : Load {
  Accumulator initial;

  TANDEM_FUNCTION constexpr Accumulator operator()(index_t i) const {
    const Accumulator term = Load::operator()(i);
    return i == 0 ? this->reducer.combine(initial, term) : term;
  }
};

template <class Load>
inline constexpr bool starts_at_initial = false;
template <class Load, class Accumulator>
inline constexpr bool starts_at_initial<initial_load<Load, Accumulator>> = true;

}  // namespace detail
}  // namespace tandem
