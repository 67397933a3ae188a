// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/distributed/operations/parallel_reduce.hpp>
#include <tandem/distributed/operations/replicas.hpp>

#include <type_traits>

namespace tandem {

namespace detail {

/// Throws unless an output can hold one result on every member.
template <class Space, class T, int Rank>
void require_result(const group<Space>& members,
                    const array<T, Rank, group<Space>, layout_right>& out) {
  constexpr const char* name = "parallel_reduce_into";
  require_members(name, members, out);
  require(out.is_replicated(), name, "out is replicated, not sharded");
  require_equal(name, "elements of out", out.size(), "results", 1);
}

/// Gives every member a result.
template <class Space, class T, int Rank, class Result>
void store_result(const group<Space>& members, array<T, Rank, group<Space>, layout_right>& out,
                  const Result& value) {
  static_assert(std::is_same_v<T, Result>,
                "tandem: parallel_reduce_into: out has the reducer's result type");
  for_each_member(members, [&](int p) {
    dispatch_for(members.member(p), "parallel_reduce_into", range(1),
                 store_known<T>{out.part(p).data_handle(), value});
  });
}

}  // namespace detail

/// Combines the terms of a function, and gives every member the result: parallel_reduce() on a
/// group, for results that kernels read next.
///
/// @param indices, f, reducer, arguments  as for parallel_reduce() on a group
/// @param out   replicated array of one element of the reducer's result type
/// Errors       those of parallel_reduce() on a group; argument_error for an array of other
///              members, and unless it is replicated; extent_error unless it has one element
/// Complexity   as for parallel_reduce() on a group
/// Waits for the group: the host combines what members have found.
template <class Space, index_space Indices, class Function, reducer_or_deduced Reducer, class T,
          int Rank, class... Argument>
void parallel_reduce_into(const group<Space>& members, const Indices& indices, const Function& f,
                          const Reducer& reducer, array<T, Rank, group<Space>, layout_right>& out,
                          Argument&&... arguments) {
  detail::require_result(members, out);
  detail::store_result(members, out, parallel_reduce(members, indices, f, reducer, arguments...));
}

/// Reduces the elements of a sharded array, and gives every member the result.
///
/// @param x, reducer               as for parallel_reduce() on a group
/// @param out, errors, complexity  as for terms of a function
/// Waits for the group: the host combines what members have found.
template <class Space, detail::sharded_operand X, reducer_or_deduced Reducer, class T, int Rank>
void parallel_reduce_into(const group<Space>& members, const X& x, const Reducer& reducer,
                          array<T, Rank, group<Space>, layout_right>& out) {
  detail::require_result(members, out);
  detail::store_result(members, out, parallel_reduce(members, x, reducer));
}

}  // namespace tandem
