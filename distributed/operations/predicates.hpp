// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/predicates.hpp>
#include <tandem/distributed/operations/reductions.hpp>

#include <cstddef>
#include <type_traits>

/// Questions about the elements of a sharded array, or about indices, on groups. Each has the
/// answer, the preconditions and the errors of the one on one space.
namespace tandem {

namespace detail {

/// Reduces the values of a predicate over the elements of a sharded array.
template <class Term, class Space, class X, class Predicate, class Reducer>
Term reduce_predicate_of_group(const group<Space>& members, const char* name, const X& x,
                               const Predicate& predicate, const Reducer& reducer) {
  static_assert(std::is_invocable_r_v<bool, const Predicate&, typename X::value_type>,
                "tandem: all_of, any_of, none_of or count_if: the predicate takes an element and "
                "returns a bool");
  if constexpr (check_kernel<Predicate, Space>()) {
    return reduce_elements(
        members, name, reducer,
        [&]<class Elements>(const Elements& elements) {
          return predicate_term<Term, Elements, Predicate>{elements, predicate};
        },
        x);
  }
  return Term{};  // of what does not compile
}

/// Makes a term of a predicate of indices.
template <class Term, int Rank, class Predicate>
auto term_of_predicate(const Predicate& predicate) {
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return index_predicate_term<Term, Predicate, parameter_type<Predicate, D>...>{predicate};
  }(std::make_index_sequence<std::size_t{Rank}>{});
}

/// Reduces the values of a predicate over indices.
template <class Term, class Space, class Indices, class Predicate, class Reducer, class... Argument>
Term reduce_index_predicate_of_group(const group<Space>& members, const char* name,
                                     const Indices& indices, const Predicate& predicate,
                                     const Reducer& reducer, Argument&... arguments) {
  constexpr int rank = rank_of<Indices>;
  const auto bound = [&]([[maybe_unused]] int p) {
    const auto& with_arguments =
        bind_to_terms<Space, rank>(predicate, argument_of(arguments, p)...);
    return term_of_predicate<Term, rank>(with_arguments);
  };
  return reduce_bound(members, name, indices, bound, reducer, arguments...);
}

}  // namespace detail

/// Counts the elements of x that satisfy the predicate, as count_if() on one space.
///
/// @param x          sharded or replicated array; the halo is left out
/// @param predicate  as on one space
/// Errors            argument_error for an array of other members; those of one space
/// Complexity        one call of the predicate per element; reads x once
/// Blocks until the result is available.
template <class Space, detail::sharded_operand X, class Predicate>
index_t count_if(const group<Space>& members, const X& x, const Predicate& predicate) {
  return detail::reduce_predicate_of_group<index_t>(members, "count_if", x, predicate,
                                                    sum<index_t>{});
}

/// Returns whether every element of x satisfies the predicate; true if there are none.
///
/// @param x, predicate  as for count_if on a group, with its errors and complexity
/// Blocks until the result is available.
template <class Space, detail::sharded_operand X, class Predicate>
bool all_of(const group<Space>& members, const X& x, const Predicate& predicate) {
  return detail::reduce_predicate_of_group<unsigned>(members, "all_of", x, predicate,
                                                     bitwise_and<unsigned>{}) != 0;
}

/// Returns whether any element of x satisfies the predicate; false if there are none.
///
/// @param x, predicate  as for count_if on a group, with its errors and complexity
/// Blocks until the result is available.
template <class Space, detail::sharded_operand X, class Predicate>
bool any_of(const group<Space>& members, const X& x, const Predicate& predicate) {
  return detail::reduce_predicate_of_group<unsigned>(members, "any_of", x, predicate,
                                                     bitwise_or<unsigned>{}) != 0;
}

/// Returns whether no element of x satisfies the predicate; true if there are none.
///
/// @param x, predicate  as for count_if on a group, with its errors and complexity
/// Blocks until the result is available.
template <class Space, detail::sharded_operand X, class Predicate>
bool none_of(const group<Space>& members, const X& x, const Predicate& predicate) {
  return !any_of(members, x, predicate);
}

/// Counts the indices for which the predicate is true, as count_if() on one space.
///
/// @param indices    as for parallel_for on a group
/// @param predicate  as on one space, with the indices of the whole
/// @param arguments  sharded arrays of one cut and replicated arrays, as views; values by copy
/// Errors            those of parallel_for on a group, and of count_if on one space
/// Complexity        one call of the predicate per index
/// Blocks until the result is available.
template <class Space, index_space Indices, class Predicate, class... Argument>
index_t count_if(const group<Space>& members, const Indices& indices, const Predicate& predicate,
                 Argument&&... arguments) {
  return detail::reduce_index_predicate_of_group<index_t>(members, "count_if", indices, predicate,
                                                          sum<index_t>{}, arguments...);
}

/// Returns whether the predicate is true for every index; true if there are none.
///
/// @param indices, predicate, arguments  as for count_if over indices on a group, with its errors
///                                       and complexity
/// Blocks until the result is available.
template <class Space, index_space Indices, class Predicate, class... Argument>
bool all_of(const group<Space>& members, const Indices& indices, const Predicate& predicate,
            Argument&&... arguments) {
  return detail::reduce_index_predicate_of_group<unsigned>(
             members, "all_of", indices, predicate, bitwise_and<unsigned>{}, arguments...) != 0;
}

/// Returns whether the predicate is true for any index; false if there are none.
///
/// @param indices, predicate, arguments  as for count_if over indices on a group, with its errors
///                                       and complexity
/// Blocks until the result is available.
template <class Space, index_space Indices, class Predicate, class... Argument>
bool any_of(const group<Space>& members, const Indices& indices, const Predicate& predicate,
            Argument&&... arguments) {
  return detail::reduce_index_predicate_of_group<unsigned>(
             members, "any_of", indices, predicate, bitwise_or<unsigned>{}, arguments...) != 0;
}

/// Returns whether the predicate is true for no index; true if there are none.
///
/// @param indices, predicate, arguments  as for count_if over indices on a group, with its errors
///                                       and complexity
/// Blocks until the result is available.
template <class Space, index_space Indices, class Predicate, class... Argument>
bool none_of(const group<Space>& members, const Indices& indices, const Predicate& predicate,
             Argument&&... arguments) {
  return !any_of(members, indices, predicate, arguments...);
}

}  // namespace tandem
