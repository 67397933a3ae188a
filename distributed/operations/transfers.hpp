// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/strided.hpp>
#include <tandem/distributed/group/arguments.hpp>

#include <cstddef>
#include <optional>
#include <vector>

/// Rows on their way from member to member.
namespace tandem::detail {

/// A copy from the memory of one member to that of another.
struct transfer {
  int from;
  int to;
  copy_problem what;
};

/// Enqueues the transfers, each on the member that receives it: behind the work that its source has
/// been given, and before the work that its source is given next.
template <class Space>
void run_transfers(const group<Space>& members, const std::vector<transfer>& transfers) {
  std::vector<std::optional<typename Space::event_type>> given(
      static_cast<std::size_t>(members.size()));
  for (const transfer& one : transfers) {
    auto& event = given[static_cast<std::size_t>(one.from)];
    if (one.from != one.to && !event) event.emplace(members.member(one.from).record());
  }
  for (const transfer& one : transfers) {
    const Space& to = members.member(one.to);
    if (one.from != one.to) to.wait(*given[static_cast<std::size_t>(one.from)]);
    dispatch_copy(to, one.what);
  }
  std::vector<std::optional<typename Space::event_type>> taken(given.size());
  for (const transfer& one : transfers) {
    if (one.from == one.to) continue;
    auto& event = taken[static_cast<std::size_t>(one.to)];
    if (!event) event.emplace(members.member(one.to).record());
    members.member(one.from).wait(*event);
  }
}

/// Appends the copies of the rows `rows` of x, from the members that own them, to `to`, a view on
/// member q that has the indices of the whole.
template <class X, class View>
void add_rows(std::vector<transfer>& transfers, const X& x, const range& rows, int q,
              const View& to) {
  const index_t row = x.row_size();
  const auto add = [&](int p, index_t begin, index_t end) {
    if (begin >= end || row == 0) return;
    const extents<1> count((end - begin) * row);
    const auto whole = x.whole(p);
    using Source = view<typename decltype(whole)::element_type, 1, layout_right,
                        typename decltype(whole)::memory_type>;
    using Destination =
        view<typename View::element_type, 1, layout_right, typename View::memory_type>;
    transfers.push_back({p, q,
                         make_copy_problem(Source(whole.data_handle() + begin * row, count),
                                           Destination(to.data_handle() + begin * row, count))});
  };
  if (x.is_replicated()) return add(q, rows.begin, rows.end);
  for (int p = 0; p < x.members(); ++p) {
    add(p, std::max(rows.begin, x.rows().begin(p)), std::min(rows.end, x.rows().end(p)));
  }
}

}  // namespace tandem::detail
