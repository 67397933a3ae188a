// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/reducers/combined.hpp>

#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// The result of a function applied to a reducer's result; void if it cannot take it, which happens
/// while a reducer without a type is tried with a type other than the terms'.
template <class R, class Function>
struct finished_result {
  using type = void;
};
template <class R, class Function>
  requires requires(const Function& f, typename R::result r) { f(r); }
struct finished_result<R, Function> {
  using type = std::remove_cvref_t<decltype(std::declval<const Function&>()(
      std::declval<typename R::result>()))>;
};

}  // namespace detail

/// A reducer that applies a function to another reducer's result: function(result).
///
///   parallel_reduce_into(space, n, squares, finished_reducer(sum{}, TANDEM_LAMBDA(double total) {
///                          const double before = last();
///                          last() = total;
///                          return total / before;
///                        }), ratio);
///
/// parallel_reduce and parallel_reduce_into call the function exactly once, after the last term, so
/// it may read and write through views that no term uses. parallel_reduce_into calls it on its
/// space, in the reduction's kernel, and parallel_reduce on the host. The terms are combined as by
/// the reducer alone; without terms the function receives the reducer's empty result. Other
/// algorithms that take reducers call the function at least once per result.
///
/// Use parentheses: inside braces, nvcc takes the [ of a lambda for a designator.
template <reducer_or_deduced R, class Function>
struct finished_reducer {
  R reducer;
  Function function;

  constexpr finished_reducer(R of, Function finishing) : reducer(of), function(finishing) {}

  /// This reducer with a type.
  template <class Term>
  constexpr auto for_terms() const {
    const auto chosen = detail::reducer_for<Term>(reducer);
    return finished_reducer<std::remove_const_t<decltype(chosen)>, Function>(chosen, function);
  }
};

template <class R, class Function>
finished_reducer(R, Function) -> finished_reducer<R, Function>;

/// A reducer with a known type.
template <reducer R, class Function>
struct finished_reducer<R, Function> {
  using accumulator = typename R::accumulator;
  using result = typename detail::finished_result<R, Function>::type;
  static constexpr bool commutative = R::commutative;

  R reducer;
  Function function;

  constexpr finished_reducer(R of, Function finishing) : reducer(of), function(finishing) {}

  template <class Term>
  TANDEM_FUNCTION constexpr accumulator lift(const Term& term, index_t i) const {
    return reducer.lift(term, i);
  }
  TANDEM_FUNCTION constexpr accumulator combine(const accumulator& a, const accumulator& b) const {
    return reducer.combine(a, b);
  }
  TANDEM_FUNCTION constexpr accumulator identity() const { return reducer.identity(); }
  TANDEM_FUNCTION constexpr result finish(const accumulator& a) const {
    return function(reducer.finish(a));
  }
  TANDEM_FUNCTION constexpr result empty() const { return function(reducer.empty()); }
};

template <class R, class Function>
inline constexpr bool order_free<finished_reducer<R, Function>> = order_free<R>;

}  // namespace tandem
