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
    constexpr bool is_result = std::is_same_v<Total, typename R::result>;
    static_assert(is_result,
                  "tandem: with_initial: the reducer's accumulator is not its result; combine the "
                  "initial value with the result, as in finished_reducer(reducer, f)");
    constexpr bool converts = storable<const T&, Total>;
    static_assert(converts || !is_result,
                  "tandem: with_initial: the initial value does not convert to the reducer's type, "
                  "which is min_max_values for minmax{} and value_index for minloc{} and maxloc{}");
    check_given<T, Total>();
    return is_result && converts && reducer_functions<R, Space>::check();
  }
};

/// Whether values have the operator that a reducer combines them by.
template <class R>
inline constexpr bool combines_values = true;
template <class T>
inline constexpr bool combines_values<sum<T>> = requires(T a) { static_cast<T>(a + a); };
template <class T>
inline constexpr bool combines_values<product<T>> = requires(T a) { static_cast<T>(a * a); };
template <template <class> class R, class T>
  requires(std::is_same_v<R<T>, minimum<T>> || std::is_same_v<R<T>, maximum<T>> ||
           std::is_same_v<R<T>, minmax<T>> || std::is_same_v<R<T>, minloc<T>> ||
           std::is_same_v<R<T>, maxloc<T>>)
inline constexpr bool combines_values<R<T>> = requires(T a) {
  a < a;
  a != a;
};

/// Whether a reducer can lift terms of a type and combine them.
template <class Term, class R>
struct takes_terms {
  template <class Passed>
  static constexpr bool lifts =
      requires(const R r, Passed term) { r.lift(std::forward<Passed>(term), index_t{}); };
  static constexpr bool value = combines_values<R> && (lifts<Term&> || lifts<Term&&>);
};
template <class Term, class R>
  requires(!reducer<R> && requires(const R r) { r.template for_terms<Term>(); })
struct takes_terms<Term, R>
    : takes_terms<Term, decltype(std::declval<const R&>().template for_terms<Term>())> {};

template <class Term, class T, class F, bool Commutative>
struct takes_terms<Term, reduction<T, F, Commutative>>
    : std::bool_constant<castable_term<Term, T> || !std::is_invocable_v<F&, T&, T&>> {};

/// Whether the type of a reduction's identity holds terms of a type. The type of sum<float> and the
/// like is named: a cast.
template <class Term, class R>
struct holds_terms : std::true_type {};
template <class Term, class T, class F, bool Commutative>
struct holds_terms<Term, reduction<T, F, Commutative>> : std::bool_constant<!narrows<Term, T>> {};

/// Rule<Term, R>::value, for each reducer in one that is made of others.
template <template <class, class> class Rule, class Term, class R>
inline constexpr bool keeps = Rule<Term, R>::value;
template <template <class, class> class Rule, class Term, class... R>
inline constexpr bool keeps<Rule, Term, combined_reducer<R...>> =
    []<std::size_t... Position>(std::index_sequence<Position...>) {
      // Typed reducers may take the parts of any tuple.
      if constexpr ((std::is_same_v<typename part_of<Term, Position>::type, Term> && ...) &&
                    (reducer<R> && ...) && requires { typename std::tuple_size<Term>::type; }) {
        return true;
      } else {
        return (keeps<Rule, typename part_of<Term, Position>::type, R> && ...);
      }
    }(std::index_sequence_for<R...>{});
template <template <class, class> class Rule, class Term, class R, class F>
inline constexpr bool keeps<Rule, Term, finished_reducer<R, F>> = keeps<Rule, Term, R>;
template <template <class, class> class Rule, class Term, class R, class T>
inline constexpr bool keeps<Rule, Term, initial_reducer<R, T>> = keeps<Rule, Term, R>;

/// Reports in one line that a reducer cannot take terms of a type.
template <class Term, class R>
consteval bool check_taken() {
  constexpr bool takes = keeps<takes_terms, Term, R>;
  static_assert(takes,
                "tandem: the terms do not convert to the type of the reducer, or lack the +, * or "
                "comparisons that combine them: return numbers, a struct that has these, or "
                "make_tuple(..) of a term for each reducer in a combined_reducer");
  return takes;
}

/// Stands for a reducer that has been refused, so that a compiler says nothing else.
struct refused_reducer {};

/// The reducer of terms of a type. Reports in one line that they do not fit it.
template <class Term, class R>
auto checked_reducer_for(const R& r) {
  constexpr bool fits = keeps<holds_terms, Term, R>;
  static_assert(fits,
                "tandem: narrowing: the type of a reduction's identity does not hold all terms: "
                "give it that of the terms, as in reduction{op, 0.0}, or cast them");
  if constexpr (fits && check_taken<Term, R>()) {
    return reducer_for<Term>(r);
  } else {
    return refused_reducer{};
  }
}

/// Reports in one line what is wrong with a reducer whose results are computed on `Space`.
template <class R, class Space>
consteval bool check_reducer() {
  if constexpr (!std::is_same_v<R, refused_reducer>) {
    using Accumulator = typename R::accumulator;
    static_assert(sizeof(Accumulator) <= largest_accumulator,
                  "tandem: the accumulator of a reduction or scan has at most 1024 bytes");
    constexpr bool trivial = std::is_trivially_copyable_v<Accumulator>;
    static_assert(trivial,
                  "tandem: the accumulator of a reduction or scan is trivially copyable, which "
                  "std::string, std::pair and std::tuple are not: use numbers or structs of them");
    static_assert(std::is_copy_constructible_v<R>,
                  "tandem: a reducer is copied into kernels, so it must be copyable");
    if constexpr (trivial) return reducer_functions<R, Space>::check();
  }
  return false;
}

}  // namespace tandem::detail
