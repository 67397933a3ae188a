// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/narrowing.hpp>
#include <tandem/algorithms/generic/scan.hpp>
#include <tandem/algorithms/parallel_reduce.hpp>

#include <type_traits>
#include <utility>

namespace tandem {

/// Asks parallel_scan for the elements before each one, with `init` leftmost: y[0] is init, and
/// y[1] is init op x[0].
template <class T>
struct exclusive {
  T init;
};

template <class T>
exclusive(T) -> exclusive<T>;

namespace detail {

/// A scan's operation that is any function object op(a, b).
template <class T, class Operation>
struct scan_operation : plain_reducer<T> {
  using user_function = Operation;
  static constexpr bool commutative = false;
  Operation operation;

  constexpr explicit scan_operation(const Operation& op) : operation(op) {}
  TANDEM_FUNCTION constexpr T combine(T a, T b) const {
    if constexpr (is_16bit_float<T>) {
      return as_stored<T>(operation(a, b));
    } else {
      return operation(a, b);
    }
  }
  /// Fills places behind the last element, whose combinations nothing reads: an operation need not
  /// have an identity.
  TANDEM_FUNCTION constexpr T identity() const { return T{}; }
};

/// Takes the place of an operation that has been refused, so that a compiler says nothing else.
template <class T>
struct refused_operation : plain_reducer<T> {
  TANDEM_FUNCTION constexpr T combine(T a, T) const { return a; }
  TANDEM_FUNCTION constexpr T identity() const { return T{}; }
};

template <class Operation>
inline constexpr bool is_exclusive = false;
template <class T>
inline constexpr bool is_exclusive<exclusive<T>> = true;

/// Any function object as the operation of a scan.
template <class T, class Operation>
auto function_as_scan_reducer(const Operation& operation) {
  constexpr bool is_misplaced = is_exclusive<Operation>;
  static_assert(!is_misplaced,
                "tandem: exclusive{init} comes after the scan's operation, as in parallel_scan(x, "
                "y, sum{}, exclusive{0})");
  constexpr bool combines =
      std::is_invocable_r_v<T, const Operation&, T, T> ||
      (is_16bit_float<T> && std::is_invocable_r_v<float, const Operation&, T, T>);
  static_assert(combines || is_misplaced,
                "tandem: a scan's operation combines two elements of y: sum{}, a reducer, or a "
                "function object op(earlier, later); an initial value is exclusive{init}");
  if constexpr (combines && check_result_stored<T, Operation, T, T>()) {
    return scan_operation<T, Operation>(operation);
  } else {
    return refused_operation<T>{};
  }
}

/// A reducer as it is, if its values are the elements of y; one without a type as that of y's
/// elements; any other function object as a scan_operation.
template <class T, class Operation>
auto as_scan_reducer(const Operation& operation) {
  if constexpr (requires { operation.template for_elements<T>(); }) {
    return operation.template for_elements<T>();
  } else if constexpr (requires { typename Operation::accumulator; }) {
    constexpr bool fits = std::is_same_v<typename Operation::accumulator, T> &&
                          std::is_same_v<typename Operation::result, T>;
    static_assert(fits, "tandem: parallel_scan: the operation's type is not the element type of y");
    if constexpr (fits) return operation;
    if constexpr (!fits) return refused_operation<T>{};
  } else {
    return function_as_scan_reducer<T>(operation);
  }
}

/// Reports in one line what cannot be scanned.
template <class Space, class Term, class View, class R>
consteval bool check_scan() {
  using T = typename View::element_type;
  static_assert(compiles_loops<Space>,
                "tandem: scans of this backend need this file compiled by its own "
                "compiler (tandem_add_sources in CMake does so)");
  static_assert(reaches<Space, View>, "tandem: parallel_scan: the space cannot reach y's memory");
  static_assert(View::rank() == 1, "tandem: parallel_scan: y has one dimension");
  constexpr bool writable = !std::is_const_v<T> && std::is_trivially_copyable_v<T>;
  static_assert(writable,
                "tandem: parallel_scan: y's elements are trivially copyable and not const");
  if constexpr (writable && View::rank() == 1 && check_taken<Term, R>())
    return check_reducer<R, Space>();
  return false;
}

/// A scan that has been checked and is not empty.
template <class Space, class Load, class T, class R>
struct scan {
  const Space& space;
  const scan_problem<Load, T, R>& problem;

  void operator()() const { dispatch(problem); }
  void checked() const {
    with_judged_terms(
        space, title_of(space, "parallel_scan"), problem.size, problem.load, problem.reducer,
        {problem.y, sizeof(T), problem.size, problem.y_stride, true},
        [&]<class Terms>(const Terms& terms, const R&) {
          dispatch(scan_problem<Terms, T, R>{problem.size, terms, problem.reducer, problem.y,
                                             problem.y_stride, problem.exclusive, problem.init});
        });
  }

 private:
  template <class Problem>
  void dispatch(const Problem& of) const {
    if constexpr (uses_hook<Space, hook::scan>()) {
      dispatch_scan(space, "parallel_scan", of);
    } else {
      generic_scan(space, "parallel_scan", of);
    }
  }
};

/// The first value of an exclusive scan by Operation in elements of type T.
template <class T, class Operation, class Init>
T first_of(const exclusive<Init>& from) {
  check_given<Init, T>();
  static_assert(!has_initial<Operation>,
                "tandem: exclusive: it has the initial value, so the operation needs no "
                "with_initial()");
  require_holds<T>("exclusive", "init", from.init);
  return static_cast<T>(as_stored<T>(from.init));
}

/// Scans n terms into y by a reducer that has been checked; `init` is null for an inclusive
/// scan.
template <class Space, class Load, class View, class R, class Operands, class Check>
void run_scan(const Space& space, index_t n, const Load& load, const View& y, const R& reducer,
              const typename View::value_type* init, const Operands& with, const Check& check) {
  using T = typename View::value_type;
  if constexpr (has_initial<R> && !starts_at_initial<Load>) {
    using Started = initial_load<Load, T>;
    run_scan(space, n, Started{load, reducer.empty()}, y, reducer, init, with, check);
  } else {
    scan_problem<Load, T, R> problem{n,           load,           reducer, y.data_handle(),
                                     y.stride(0), init != nullptr};
    if (init != nullptr) problem.init = *init;
    const auto check_scan = [&] {
      check();
      return n != 0;
    };
    run(space, call{"parallel_scan",
                    profile_kind::scan,
                    {n},
                    with,
                    check_scan,
                    scan<Space, Load, T, R>{space, problem}});
  }
}

/// Throws unless x can be scanned into y.
template <class X, class Y>
void require_scan_of(const char* name, const X& x, const Y& y) {
  require_equal(name, "extent of x", x.extent(0), "extent of y", y.extent(0));
  require_distinct_elements(name, "y", y);
  const bool in_place =
      std::is_same_v<typename X::value_type, typename Y::value_type> && same_elements(x, y);
  require(in_place || !overlaps(x, y), name, "x and y overlap and are not the same elements");
}

/// Scan of a view; `init` is null for an inclusive one.
template <class Space, class X, class Y, class Operation>
void scan_view(const Space& space, const X& x, const Y& y, const Operation& operation,
               const typename Y::value_type* init) {
  using T = typename Y::value_type;
  static_assert(reaches<Space, X>, "tandem: parallel_scan: the space cannot reach x's memory");
  static_assert(X::rank() == 1, "tandem: parallel_scan: x has one dimension");
  const auto check = [&] { require_scan_of("parallel_scan", x, y); };
  check_stored<typename X::value_type, T>();
  const auto reducer = as_scan_reducer<T>(operation);
  using R = std::remove_const_t<decltype(reducer)>;
  if constexpr (check_scan<Space, typename X::value_type, Y, R>()) {
    with_load(x, reducer, [&](const auto& load) {
      run_scan(space, x.extent(0), load, y, reducer, init,
               operands{input{"x", x}, overwritten{"y", y}}, check);
    });
  }
}

/// Scan of the terms f(i); `init` is null for an inclusive one.
template <class Space, class Indices, class Function, class Y, class Operation>
void scan_function(const Space& space, const Indices& indices, const Function& f, const Y& y,
                   const Operation& operation, const typename Y::value_type* init) {
  if constexpr (!is_refused<Function> && check_term_function<Space, Indices, Function>()) {
    using Index = loop_index<Function>;
    using Term = term_type<Function, Indices>;
    check_stored<Term, typename Y::value_type>();
    const auto reducer = as_scan_reducer<typename Y::value_type>(operation);
    using R = std::remove_const_t<decltype(reducer)>;
    if constexpr (check_scan<Space, Term, Y, R>()) {
      const range& terms = as_indices(indices);
      const auto check = [&] {
        require_terms<Function>("parallel_scan", indices);
        require_equal("parallel_scan", "elements", terms.size(), "extent of y", y.extent(0));
      };
      const auto placed = place_terms<Space, 1>("parallel_scan", f);
      using Placed = std::remove_const_t<decltype(placed)>;
      run_scan(space, terms.size(), function_load<Placed, Index, R>{placed, reducer, terms.begin},
               y, reducer, init, output{"y", y}, check);
    }
  }
}

}  // namespace detail

/// Computes inclusive prefixes, by default running sums: y[i] = x[0] op x[1] op .. op x[i].
///
/// x, y        rank-1 operands of equal extent, any stride; y may be x itself, but not overlap it
///             otherwise
/// operation   associative: a reducer over y's element type (sum, product, minimum, ..) or any
///             function object op(earlier, later); it need not commute
/// Errors      extent_error when the extents differ; argument_error when x and y overlap, have no
///             memory, or have memory that the space cannot access; out_of_memory_error. y is
///             unchanged then
/// Agreement   the same bits on every backend, thread count and device: the scan of
///             docs/numerics.md
/// Complexity  about 2 n operations. Reads x and writes y once; serial also reads y once and writes
///             it a second time. Scratch: a value per 16 elements on a CPU at most and a buffer per
///             thread, a few per 4096 on a GPU
/// Asynchronous on `space`.
template <execution_space Space, viewable X, viewable Y, class Operation = sum<>>
void parallel_scan(const Space& space, X&& x, Y&& y, const Operation& operation = {}) {
  detail::scan_view(space, as_view(std::forward<X>(x)), as_view(std::forward<Y>(y)), operation,
                    nullptr);
}

/// Computes exclusive prefixes, with exclusive{init} behind the operation: y[i] = init op x[0] op
/// .. op x[i - 1]. Everything else is as for the inclusive scan.
///
/// @param from  exclusive{init}: init is the leftmost term of every element, y[0] consists of it
///              alone
/// Complexity   as for the inclusive scan
template <execution_space Space, viewable X, viewable Y, class Operation, class Init>
void parallel_scan(const Space& space, X&& x, Y&& y, const Operation& operation,
                   const exclusive<Init>& from) {
  const auto init = detail::first_of<element_of<Y>, Operation>(from);
  detail::scan_view(space, as_view(std::forward<X>(x)), as_view(std::forward<Y>(y)), operation,
                    &init);
}

/// Scans the terms f(begin), f(begin + 1), .. of a function of the index, for n indices from zero
/// or a range.
///
/// @param indices    n or range{begin, end}
/// @param f          f(i) returns its term by value and is called once per index; it may read the
///                   element of y at its position, but no other
/// @param y          rank-1 operand of as many elements as there are indices, any stride
/// @param operation  as for a scan of an operand
/// @param arguments  follow the index in each call of f, as for parallel_for
/// Errors            those of a scan of an operand; extent_error when an index does not fit f's
///                   parameter, for a negative n and for a range that ends before it begins
/// Complexity        one call of f per index; else as for a scan of an operand
template <execution_space Space, detail::line_space Indices, class Function, viewable Y,
          class Operation = sum<>, class... Argument>
  requires(!detail::is_exclusive<std::remove_cvref_t<Argument>> && ...)
void parallel_scan(const Space& space, const Indices& indices, const Function& f, Y&& y,
                   const Operation& operation = {}, Argument&&... arguments) {
  detail::scan_function(space, indices,
                        detail::bind_to_terms<Space, 1>(f, std::forward<Argument>(arguments)...),
                        as_view(std::forward<Y>(y)), operation, nullptr);
}

/// Scans the terms of a function of the index, exclusively: y(i) combines the terms before i.
///
/// @param indices, f, y, operation, arguments  as for the inclusive scan of terms
/// @param from  exclusive{init}: init is the leftmost term
/// Complexity   as for the inclusive scan of terms
template <execution_space Space, detail::line_space Indices, class Function, viewable Y,
          class Operation, class Init, class... Argument>
void parallel_scan(const Space& space, const Indices& indices, const Function& f, Y&& y,
                   const Operation& operation, const exclusive<Init>& from,
                   Argument&&... arguments) {
  const auto init = detail::first_of<element_of<Y>, Operation>(from);
  detail::scan_function(space, indices,
                        detail::bind_to_terms<Space, 1>(f, std::forward<Argument>(arguments)...),
                        as_view(std::forward<Y>(y)), operation, &init);
}

/// Calls parallel_scan(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) {
    parallel_scan(detail::here(), std::forward<Argument>(a)...);
  }
auto parallel_scan(Argument&&... arguments) {
  return parallel_scan(detail::here(), std::forward<Argument>(arguments)...);
}

}  // namespace tandem
