// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/lines.hpp>

#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Evaluates a predicate as a term of type Term rather than bool, which g++ does not vectorise.
template <class Term, class View, class Predicate>
struct predicate_term {
  using user_function = Predicate;
  static constexpr bool is_predicate = true;

  View x;
  Predicate predicate;

  template <class... Index>
  TANDEM_FUNCTION constexpr Term operator()(Index... i) const {
    return static_cast<Term>(static_cast<bool>(predicate(x(i...))));
  }
};

/// Reduces the values of the predicate over the elements of x.
template <class Term, class Space, class View, class Predicate, class Reducer>
Term reduce_predicate(const Space& space, const char* name, const View& x,
                      const Predicate& predicate, const Reducer& reducer) {
  static_assert(reaches<Space, View>,
                "tandem: all_of, any_of, none_of or count_if: the space cannot reach the memory of "
                "x");
  static_assert(std::is_invocable_r_v<bool, const Predicate&, typename View::value_type>,
                "tandem: all_of, any_of, none_of or count_if: the predicate takes an element and "
                "returns a bool");
  if constexpr (check_kernel<Predicate, Space>()) {
    const auto make = [&]<class Elements>(const Elements& elements) {
      return predicate_term<Term, Elements, Predicate>{elements, predicate};
    };
    return reduce_elements(space, name, reducer, make, read_only(x));
  }
  return Term{};  // of what does not compile
}

/// Evaluates a predicate of indices as a term of type Term.
template <class Term, class Predicate, class... Index>
struct index_predicate_term {
  using user_function = Predicate;
  static constexpr bool is_predicate = true;

  Predicate predicate;

  TANDEM_FUNCTION constexpr Term operator()(Index... i) const {
    return static_cast<Term>(static_cast<bool>(predicate(i...)));
  }
};

/// Reduces the values of the predicate over indices.
template <class Term, class Space, class Indices, class Predicate, class Reducer>
Term reduce_index_predicate(const Space& space, const char* name, const Indices& indices,
                            const Predicate& predicate, const Reducer& reducer) {
  return [&]<std::size_t... D>(std::index_sequence<D...>) -> Term {
    constexpr bool takes =
        std::is_invocable_r_v<bool, const Predicate&, parameter_type<Predicate, D>...>;
    static_assert(takes,
                  "tandem: all_of, any_of, none_of or count_if: over indices, the predicate takes "
                  "one for each dimension and returns a bool");
    if constexpr (takes && check_index<Predicate>() && check_kernel<Predicate, Space>()) {
      using term = index_predicate_term<Term, Predicate, parameter_type<Predicate, D>...>;
      return reduce_terms(space, name, indices, term{predicate}, reducer);
    }
    return Term{};  // of what does not compile
  }(std::make_index_sequence<std::size_t{rank_of<Indices>}>{});
}

}  // namespace detail

/// Counts the elements of x that satisfy the predicate.
///
///   const auto bad = tandem::count_if(space, x, TANDEM_LAMBDA(float v) { return v != v; });
///
/// x           operand of any rank and layout
/// predicate   function object element -> bool without side effects, called in any order and at the
///             same time
/// Errors      argument_error when x has no memory, or memory that the space cannot access;
///             out_of_memory_error for scratch
/// Agreement   the same count on every backend
/// Complexity  one call of the predicate per element; reads x once. Scratch as for parallel_reduce
/// Blocks until the result is available.
template <execution_space Space, viewable X, class Predicate>
index_t count_if(const Space& space, X&& x, const Predicate& predicate) {
  return detail::reduce_predicate<index_t>(space, "count_if", as_view(std::forward<X>(x)),
                                           predicate, sum<index_t>{});
}

/// Returns whether every element of x satisfies the predicate; true if there are none.
///
/// @param x          operand of any rank and layout
/// @param predicate  function object element -> bool without side effects, as for count_if
/// Errors            those of count_if
/// Agreement         the same answer on every backend
/// Complexity        as for count_if: always reads all of x
/// Blocks until the result is available.
template <execution_space Space, viewable X, class Predicate>
bool all_of(const Space& space, X&& x, const Predicate& predicate) {
  return detail::reduce_predicate<unsigned>(space, "all_of", as_view(std::forward<X>(x)), predicate,
                                            bitwise_and<unsigned>{}) != 0;
}

/// Returns whether any element of x satisfies the predicate; false if there are none.
///
/// @param x          operand of any rank and layout
/// @param predicate  function object element -> bool without side effects, as for count_if
/// Errors            those of count_if
/// Agreement         the same answer on every backend
/// Complexity        as for count_if: always reads all of x
/// Blocks until the result is available.
template <execution_space Space, viewable X, class Predicate>
bool any_of(const Space& space, X&& x, const Predicate& predicate) {
  return detail::reduce_predicate<unsigned>(space, "any_of", as_view(std::forward<X>(x)), predicate,
                                            bitwise_or<unsigned>{}) != 0;
}

/// Returns whether no element of x satisfies the predicate; true if there are none.
///
/// @param x          operand of any rank and layout
/// @param predicate  function object element -> bool without side effects, as for count_if
/// Errors            those of count_if
/// Agreement         the same answer on every backend
/// Complexity        as for count_if: always reads all of x
/// Blocks until the result is available.
template <execution_space Space, viewable X, class Predicate>
bool none_of(const Space& space, X&& x, const Predicate& predicate) {
  return detail::reduce_predicate<unsigned>(space, "none_of", as_view(std::forward<X>(x)),
                                            predicate, bitwise_or<unsigned>{}) == 0;
}

/// Counts the indices for which the predicate is true.
///
///   const auto edges = tandem::count_if(
///       space, grid{ny, nx}, TANDEM_LAMBDA(int j, int i) { return a(j, i) != b(j, i); });
///
/// indices     n, a range or a grid, as for parallel_for
/// predicate   function object of an index for each dimension -> bool without side effects, called
///             with its own types of indices, in any order and at the same time
/// arguments   follow the indices in each call, as for parallel_for
/// Errors      extent_error when an index does not fit its parameter, for a negative n or extent
///             and for a range that ends before it begins; out_of_memory_error for scratch
/// Agreement   the same count on every backend
/// Complexity  one call of the predicate per index. Scratch as for parallel_reduce
/// Blocks until the result is available.
template <execution_space Space, index_space Indices, class Predicate, class... Argument>
index_t count_if(const Space& space, const Indices& indices, const Predicate& predicate,
                 Argument&&... arguments) {
  return detail::reduce_index_predicate<index_t>(
      space, "count_if", indices,
      detail::bind_to_terms<Space, detail::rank_of<Indices>>(predicate,
                                                             std::forward<Argument>(arguments)...),
      sum<index_t>{});
}

/// Returns whether the predicate is true for every index; true if there are none.
///
/// @param indices, predicate, arguments  as for count_if over indices
/// Errors      those of count_if over indices
/// Agreement   the same answer on every backend
/// Complexity  as for count_if over indices: always calls the predicate for all of them
/// Blocks until the result is available.
template <execution_space Space, index_space Indices, class Predicate, class... Argument>
bool all_of(const Space& space, const Indices& indices, const Predicate& predicate,
            Argument&&... arguments) {
  return detail::reduce_index_predicate<unsigned>(
             space, "all_of", indices,
             detail::bind_to_terms<Space, detail::rank_of<Indices>>(
                 predicate, std::forward<Argument>(arguments)...),
             bitwise_and<unsigned>{}) != 0;
}

/// Returns whether the predicate is true for any index; false if there are none.
///
/// @param indices, predicate, arguments  as for count_if over indices
/// Errors      those of count_if over indices
/// Agreement   the same answer on every backend
/// Complexity  as for count_if over indices: always calls the predicate for all of them
/// Blocks until the result is available.
template <execution_space Space, index_space Indices, class Predicate, class... Argument>
bool any_of(const Space& space, const Indices& indices, const Predicate& predicate,
            Argument&&... arguments) {
  return detail::reduce_index_predicate<unsigned>(
             space, "any_of", indices,
             detail::bind_to_terms<Space, detail::rank_of<Indices>>(
                 predicate, std::forward<Argument>(arguments)...),
             bitwise_or<unsigned>{}) != 0;
}

/// Returns whether the predicate is true for no index; true if there are none.
///
/// @param indices, predicate, arguments  as for count_if over indices
/// Errors      those of count_if over indices
/// Agreement   the same answer on every backend
/// Complexity  as for count_if over indices: always calls the predicate for all of them
/// Blocks until the result is available.
template <execution_space Space, index_space Indices, class Predicate, class... Argument>
bool none_of(const Space& space, const Indices& indices, const Predicate& predicate,
             Argument&&... arguments) {
  return detail::reduce_index_predicate<unsigned>(
             space, "none_of", indices,
             detail::bind_to_terms<Space, detail::rank_of<Indices>>(
                 predicate, std::forward<Argument>(arguments)...),
             bitwise_or<unsigned>{}) == 0;
}

/// Calls count_if(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { count_if(detail::here(), std::forward<Argument>(a)...); }
auto count_if(Argument&&... arguments) {
  return count_if(detail::here(), std::forward<Argument>(arguments)...);
}

/// Calls all_of(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { all_of(detail::here(), std::forward<Argument>(a)...); }
auto all_of(Argument&&... arguments) {
  return all_of(detail::here(), std::forward<Argument>(arguments)...);
}

/// Calls any_of(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { any_of(detail::here(), std::forward<Argument>(a)...); }
auto any_of(Argument&&... arguments) {
  return any_of(detail::here(), std::forward<Argument>(arguments)...);
}

/// Calls none_of(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { none_of(detail::here(), std::forward<Argument>(a)...); }
auto none_of(Argument&&... arguments) {
  return none_of(detail::here(), std::forward<Argument>(arguments)...);
}

}  // namespace tandem
