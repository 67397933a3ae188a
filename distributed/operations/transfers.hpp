// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/strided.hpp>
#include <tandem/core/view/subview.hpp>
#include <tandem/distributed/group/arguments.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

/// Rows on their way from member to member.
namespace tandem::detail {

/// Copies between the members of a group, each from the memory of one to that of another.
template <class Space>
class transfers {
 public:
  transfers(const char* operation, const group<Space>& members)
      : operation_(operation), members_(members), ready_(no_events()), sent_(no_events()) {}

  /// Adds a copy. Errors: out_of_memory_error.
  void add(int from, int to, const copy_problem& what) {
    try {
      list_.push_back({from, to, what});
    } catch (const std::bad_alloc&) {
      fail_host_memory(operation_, (list_.size() + 1) * sizeof(transfer));
    }
  }

  /// Adds the copies of the rows `rows` of x, from the members that own them, to `to`, a view on
  /// member q that has the indices of the whole.
  template <class X, class View>
  void add_rows(const X& x, const range& rows, int q, const View& to) {
    if (x.is_replicated()) return add_rows_of(x, q, rows, q, to);
    for (int p = 0; p < x.members(); ++p) {
      const range common(std::max(rows.begin, x.rows().begin(p)),
                         std::min(rows.end, x.rows().end(p)));
      add_rows_of(x, p, common, q, to);
    }
  }

  /// Adds the copies of columns of the sharded matrix x, from all members, to `to` on member q.
  template <class X, class View>
  void add_columns(const X& x, const slice& columns, int q, const View& to) {
    for (int p = 0; p < x.members(); ++p) {
      const slice rows(x.rows().begin(p), x.rows().end(p));
      if (rows.size() == 0 || columns.size() == 0) continue;
      add(p, q, make_copy_problem(subview(x.whole(p), rows, columns), subview(to, rows, columns)));
    }
  }

  /// Enqueues the copies, each on the member that sends it: behind the work that its receiver has
  /// been given, and before the work that its receiver is given next. Two GPUs that send to each
  /// other do so at once, while copies that both receive have taken turns.
  void run() {
    const auto on = [&](int p, const auto& f) {
      for_member(p, members_.size(), [&] { f(members_.member(p)); });
    };
    for (const transfer& one : list_) {
      if (one.from != one.to) on(one.to, [&](const Space&) { record(ready_, one.to); });
    }
    for (const transfer& one : list_) {
      on(one.from, [&](const Space& from) {
        if (one.from != one.to) from.wait(*ready_[static_cast<std::size_t>(one.to)]);
        dispatch_copy(from, one.what);
      });
    }
    for (const transfer& one : list_) {
      if (one.from == one.to) continue;
      on(one.from, [&](const Space&) { record(sent_, one.from); });
      on(one.to, [&](const Space& to) { to.wait(*sent_[static_cast<std::size_t>(one.from)]); });
    }
  }

 private:
  struct transfer {
    int from;
    int to;
    copy_problem what;
  };
  using events = std::vector<std::optional<typename Space::event_type>>;

  events no_events() const {
    auto list = list_for<typename events::value_type>(operation_, members_.size());
    for (int p = 0; p < members_.size(); ++p) list.emplace_back();
    return list;
  }

  void record(events& of, int p) {
    auto& event = of[static_cast<std::size_t>(p)];
    if (!event) event.emplace(members_.member(p).record());
  }

  template <class X, class View>
  void add_rows_of(const X& x, int p, const range& rows, int q, const View& to) {
    const index_t row = x.row_size();
    if (rows.size() == 0 || row == 0) return;
    const auto line = [&]<class V>(const V& whole) {
      return view<typename V::element_type, 1, layout_right, typename V::memory_type>(
          whole.data_handle() + rows.begin * row, extents<1>(rows.size() * row));
    };
    add(p, q, make_copy_problem(line(x.whole(p)), line(to)));
  }

  const char* operation_;
  const group<Space>& members_;
  std::vector<transfer> list_;
  events ready_;  ///< to receive
  events sent_;
};

}  // namespace tandem::detail
