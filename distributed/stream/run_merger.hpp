// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/view/subview.hpp>
#include <tandem/distributed/operations/copy.hpp>
#include <tandem/distributed/operations/sorted_runs.hpp>
#include <tandem/distributed/operations/split_search.hpp>
#include <tandem/distributed/stream/streamed.hpp>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem::detail {

/// What a sort moves: the operands are a tuple of views, of keys or of keys and values.
template <class Views>
struct sorted_types;
template <class Keys, class... Values>
struct sorted_types<std::tuple<Keys, Values...>> {
  using key = typename Keys::value_type;
  using value = std::tuple_element_t<0, std::tuple<typename Values::value_type..., void>>;
  static constexpr auto row_bytes =
      static_cast<index_t>((sizeof(key) + ... + sizeof(typename Values::value_type)));
};

/// Merges the sorted runs of operands of the host, piece by piece of the result.
template <class Space, class T, class V, class Runs, class To>
class run_merger {
 public:
  using line = keyed_line<T, V>;
  using word = key_word<sizeof(T)>;

  /// @param length  elements of each run but the last one
  /// Errors: out_of_memory_error.
  run_merger(const streamed<Space>& how, const char* name, sort_order order, index_t length,
             const Runs& runs, const To& to)
      : how_(how),
        name_(name),
        order_(order),
        runs_(runs),
        to_(to),
        size_(std::get<0>(to).size()),
        length_(length),
        step_(how.chunk_rows(name, size_, 2 * sorted_types<To>::row_bytes, 1)) {
    const auto count = static_cast<int>((size_ - 1) / length + 1);
    begins_ = list_for<index_t>(name, count);
    ends_ = list_for<index_t>(name, count);
    for (int run = 0; run < count; ++run) begins_.push_back(run * length);
    ends_ = begins_;
    lanes_ = list_for<lane>(name, how.lanes().size());
    for (int l = 0; l < how.lanes().size(); ++l) {
      const Space& space = how.lanes().member(l);
      lanes_.push_back(
          {keyed_array<Space, T, V>(step_, space), keyed_array<Space, T, V>(step_, space), {}, {}});
    }
  }

  /// Waits until all elements are in their place.
  void run() {
    fence_on_error(how_.lanes(), [&] {
      const index_t pieces = (size_ - 1) / step_ + 1;
      for (index_t piece = 0; piece < pieces; ++piece) {
        start(piece);
        if (piece > 0) give_back(piece - 1);
        if (how_.how().progress) how_.how().progress(size_ + rows_of(piece).end, 2 * size_);
      }
      give_back(pieces - 1);
    });
    how_.lanes().fence();
  }

 private:
  struct lane {
    keyed_array<Space, T, V> arrived;
    keyed_array<Space, T, V> merged;
    line result;
    range rows;
  };

  range rows_of(index_t piece) const {
    return {piece * step_, std::min((piece + 1) * step_, size_)};
  }
  int lane_of(index_t piece) const { return static_cast<int>(piece % how_.lanes().size()); }

  void start(index_t piece) {
    const Space& space = how_.lanes().member(lane_of(piece));
    lane& on = lanes_[static_cast<std::size_t>(lane_of(piece))];
    on.rows = rows_of(piece);
    if (order_ == sort_order::ascending) {
      find_ends<sort_order::ascending>(on.rows.size());
    } else {
      find_ends<sort_order::descending>(on.rows.size());
    }
    auto parts = list_for<merge_input<line>>(name_, static_cast<int>(begins_.size()));
    index_t at = 0;
    for (std::size_t run = 0; run < begins_.size(); ++run) {
      const range part(begins_[run], ends_[run]);
      if (part.size() == 0) continue;
      parts.push_back({elements_from(on.arrived.line(), at), part.size()});
      move(part, runs_, parts.back().line,
           [&](const auto& ours, const auto& theirs) { copy(space, ours, theirs); });
      at += part.size();
    }
    on.result = merge_runs_to(space, name_, parts, on.merged.line(), on.arrived.line(), order_);
    begins_ = ends_;
  }

  void give_back(index_t piece) {
    const Space& space = how_.lanes().member(lane_of(piece));
    const lane& on = lanes_[static_cast<std::size_t>(lane_of(piece))];
    move(on.rows, to_, on.result,
         [&](const auto& ours, const auto& theirs) { copy(space, theirs, ours); });
  }

  /// Calls move_rows(a, b) for rows of views of the host and as many elements of a lane.
  template <class Views, class Move>
  static void move(const range& rows, const Views& views, const line& of_lane,
                   const Move& move_rows) {
    move_rows(rows_of_view(std::get<0>(views), rows), line_view<Space>(of_lane.keys, rows.size()));
    if constexpr (!std::is_void_v<V>)
      move_rows(rows_of_view(std::get<1>(views), rows),
                line_view<Space>(of_lane.values, rows.size()));
  }

  /// Finds where the runs end whose fronts are the next `count` elements.
  template <sort_order Order>
  void find_ends(index_t count) {
    auto sizes = list_for<index_t>(name_, static_cast<int>(begins_.size()));
    for (std::size_t run = 0; run < begins_.size(); ++run) {
      const index_t end = std::min(static_cast<index_t>(run + 1) * length_, size_);
      sizes.push_back(std::min(end - begins_[run], count));
    }
    auto targets = list_for<index_t>(name_, 1);
    targets.push_back(count);
    split_search<word, 1> search(name_, std::move(sizes), std::move(targets));
    auto counts = make_vector<index_t>(name_, search.run_count());
    const T* const keys = std::get<0>(runs_).data_handle();
    while (search.is_open()) {
      search.begin_round();
      const auto place = static_cast<word>(search.found()[0] | word{1} << search.shift());
      for (index_t run = 0; run < search.run_count(); ++run) {
        counts[static_cast<std::size_t>(run)] =
            count_preceding<Order>(keys + begins_[static_cast<std::size_t>(run)],
                                   search.low(run, 0), search.high(run, 0), place);
      }
      search.end_round(
          [&](index_t run, index_t, int) { return counts[static_cast<std::size_t>(run)]; });
    }
    for (index_t run = 0; run < search.run_count(); ++run) {
      const auto r = static_cast<std::size_t>(run);
      ends_[r] = begins_[r] + search.split(run, 0);
    }
  }

  const streamed<Space>& how_;
  const char* name_;
  sort_order order_;
  Runs runs_;
  To to_;
  index_t size_;
  index_t length_;
  index_t step_;
  std::vector<index_t> begins_;  ///< of what is left of each run
  std::vector<index_t> ends_;    ///< of what the next piece takes
  std::vector<lane> lanes_;
};

}  // namespace tandem::detail
