// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/generic/histogram.hpp>
#include <tandem/distributed/operations/transfers.hpp>

#include <cstddef>
#include <vector>

/// What the first member of a group combines for all: contributions that are exact in any order.
namespace tandem::detail {

/// Calls f(i) for every i < n on the first member.
template <class Space, class Function>
void loop_on_first(const group<Space>& members, const char* name, index_t n, const Function& f) {
  on_first(members, [&](const Space& first) { dispatch_for(first, name, range(n), f); });
}

/// Copies what the other members have to the first one, member by member. `size` is the number of
/// elements that view_of(p) has on each member p.
template <class T, class Space, class ViewOf>
array<T, 1, Space> gather_on_first(const group<Space>& members, const char* name, index_t size,
                                   const ViewOf& view_of) {
  auto arrived = on_first(members, [&](const Space& first) {
    return array<T, 1, Space>(extents<1>((members.size() - 1) * size), first);
  });
  transfers<Space> moves(name, members);
  for (int p = 1; p < members.size() && size > 0; ++p)
    moves.add(
        p, 0,
        make_copy_problem(view_of(p), subview(arrived.view(), slice{(p - 1) * size, p * size})));
  moves.run();
  return arrived;
}

/// Copies view_of(0) of the first member to view_of(p) of every other one.
template <class Space, class ViewOf>
void give_from_first(const group<Space>& members, const char* name, const ViewOf& view_of) {
  transfers<Space> moves(name, members);
  for (int p = 1; p < members.size(); ++p)
    moves.add(0, p, make_copy_problem(view_of(0), view_of(p)));
  moves.run();
}

/// Adds to element i of a total, an integer, those of `count` arrays of `size` elements.
template <class T>
struct add_arrived {
  T* total;
  const T* arrived;
  index_t size;
  int count;

  TANDEM_FUNCTION void operator()(index_t i) const {
    for (int p = 0; p < count; ++p) add_to<true>(total[i], arrived[p * size + i]);
  }
};

/// Adds the integers of the other members to those of the first: parts[p] are those of member p.
template <class Space, class T>
void add_on_first(const group<Space>& members, const char* name,
                  std::vector<array<T, 1, Space>>& parts) {
  const index_t size = parts[0].size();
  const auto arrived = gather_on_first<T>(
      members, name, size, [&](int p) { return parts[static_cast<std::size_t>(p)].view(); });
  if (members.size() == 1) return;
  loop_on_first(
      members, name, size,
      add_arrived<T>{parts[0].data_handle(), arrived.data_handle(), size, members.size() - 1});
}

}  // namespace tandem::detail
