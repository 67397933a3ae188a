// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/narrowing.hpp>
#include <tandem/core/range.hpp>
#include <tandem/core/reducers/initial.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

/// Preconditions of reductions and scans on their reducer.
namespace tandem::detail {

/// Reports in one line why kernels of `Space` cannot call the function that a reducer holds. Such a
/// reducer has it as `operation`, as `reduction` does.
template <class R, class Space>
struct reducer_functions {
  static consteval bool check() {
    if constexpr (requires(const R r) { r.operation; }) {
      return check_kernel<std::remove_cvref_t<decltype(R::operation)>, Space>();
    } else {
      return true;
    }
  }
};
template <class... R, class Space>
struct reducer_functions<combined_reducer<R...>, Space> {
  static consteval bool check() { return (reducer_functions<R, Space>::check() && ...); }
};
template <class T, class Operation, bool Commutative, class Space>
struct reducer_functions<reduction<T, Operation, Commutative>, Space> {
  static consteval bool check() {
    constexpr bool combines = std::is_invocable_v<Operation&, T&, T&>;
    static_assert(combines,
                  "tandem: reduction{operation, identity}: operation(a, b) combines two values of "
                  "the identity's type");
    return combines && check_result_stored<T, Operation, T, T>() &&
           check_kernel<Operation, Space>();
  }
};
template <class R, class Function, class Space>
struct reducer_functions<finished_reducer<R, Function>, Space> {
  static consteval bool check() {
    return reducer_functions<R, Space>::check() && check_kernel<Function, Space>();
  }
};
template <class R, class T, class Space>
struct reducer_functions<initial_reducer<R, T>, Space> {
  static consteval bool check() {
    using Total = typename R::accumulator;
    static_assert(std::is_same_v<Total, typename R::result>,
                  "tandem: with_initial: the reducer's accumulator is not its result; combine the "
                  "initial value with the result, as in finished_reducer(reducer, f)");
    static_assert(storable<const T&, Total>,
                  "tandem: with_initial: the initial value does not convert to the reducer's type");
    check_given<T, Total>();
    return reducer_functions<R, Space>::check();
  }
};

/// Whether terms of a type narrow in the type of a reduction's identity, or of one in a reducer
/// made of others. The type of sum<float> and the like is named: a cast.
template <class Term, class R>
inline constexpr bool narrows_terms = false;
template <class Term, class T, class F, bool Commutative>
inline constexpr bool narrows_terms<Term, reduction<T, F, Commutative>> = narrows<Term, T>;
template <class Term, class F>
inline constexpr bool narrows_terms<Term, reduction<no_identity, F>> = false;
template <class Term, class... R>
inline constexpr bool narrows_terms<Term, combined_reducer<R...>> =
    []<std::size_t... Position>(std::index_sequence<Position...>) {
      return (narrows_terms<typename part_of<Term, Position>::type, R> || ...);
    }(std::index_sequence_for<R...>{});
template <class Term, class R, class F>
inline constexpr bool narrows_terms<Term, finished_reducer<R, F>> = narrows_terms<Term, R>;
template <class Term, class R, class T>
inline constexpr bool narrows_terms<Term, initial_reducer<R, T>> = narrows_terms<Term, R>;

/// The reducer of terms of a type. Reports in one line that they do not fit a reduction's identity.
template <class Term, class R>
auto checked_reducer_for(const R& r) {
  constexpr bool fits = !narrows_terms<Term, R>;
  static_assert(fits,
                "tandem: narrowing: the type of a reduction's identity does not hold all terms: "
                "give it that of the terms, as in reduction{op, 0.0}, or cast them");
  return reducer_for<Term>(r);
}

/// Reports in one line what is wrong with a reducer whose results are computed on `Space`.
template <class R, class Space>
consteval bool check_reducer() {
  static_assert(sizeof(typename R::accumulator) <= largest_accumulator,
                "tandem: the accumulator of a reduction or scan has at most 1024 bytes");
  static_assert(std::is_trivially_copyable_v<typename R::accumulator>,
                "tandem: the accumulator of a reduction or scan is trivially copyable");
  static_assert(std::is_copy_constructible_v<R>,
                "tandem: a reducer is copied into kernels, so it must be copyable");
  return reducer_functions<R, Space>::check();
}

}  // namespace tandem::detail
