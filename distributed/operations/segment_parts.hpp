// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/segmented_reduce.hpp>
#include <tandem/distributed/operations/replicas.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

/// Which segments the members of a group hold, and which of them cuts split.
namespace tandem::detail {

/// The rows that members have as terms; the first one has all rows of a replicated array.
template <class X>
cut rows_as_terms(const char* operation, const X& x, int parts) {
  auto sizes = list_for<index_t>(operation, parts);
  for (int p = 0; p < parts; ++p) sizes.push_back(reduced_rows(x, p).size());
  return cut::of(sizes);
}

/// The offsets of all segments, as the check of their order reads them.
template <class Offset>
struct offsets_of_whole {
  const Offset* offsets;
  index_t offset_stride;
  index_t terms;
  index_t segments;
};

/// The first segment that begins at a term or behind it, and the terms of the one before.
struct segment_boundary {
  index_t first;
  index_t begin;
  index_t end;
};

/// Finds the boundary at a term by bisection.
template <class Offset>
struct find_segment_boundary {
  const Offset* offsets;
  index_t segments;
  index_t term;
  segment_boundary* found;

  TANDEM_FUNCTION void operator()(index_t) const {
    index_t first = 0;
    index_t last = segments + 1;
    while (first < last) {
      const index_t middle = first + (last - first) / 2;
      if (static_cast<index_t>(offsets[middle]) < term) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    const bool is_inside = first > 0 && first <= segments;
    *found = {first < segments ? first : segments,
              is_inside ? static_cast<index_t>(offsets[first - 1]) : term,
              is_inside ? static_cast<index_t>(offsets[first]) : term};
  }
};

/// Stores the offsets of a member's segments, counted from its first term and kept within its
/// terms. The last segment is left empty if it goes on behind them.
template <class Offset>
struct store_own_offsets {
  const Offset* offsets;
  index_t begin;
  index_t end;
  index_t split;  ///< number of the offset at which a segment ends elsewhere; -1 if none does
  index_t* own;

  TANDEM_FUNCTION void operator()(index_t k) const {
    const auto at = static_cast<index_t>(offsets[k == split ? k - 1 : k]);
    own[k] = (at < begin ? begin : at > end ? end : at) - begin;
  }
};

/// The segments of a sharded line: which of them begin in each part, and which are split.
template <class Space>
class segment_parts {
 public:
  /// A segment whose terms several members have.
  struct split_segment {
    int member;  ///< the one with its first term
    index_t number;
    range terms;
  };

  segment_parts(const char* name, const group<Space>& members, const cut& terms)
      : name_(name),
        members_(members),
        terms_(terms),
        own_(list_for<own_offsets>(name, members.size())),
        split_(list_for<split_segment>(name, members.size())) {}

  /// Finds them. Waits for the offsets.
  template <class Offset>
  void find(const array<Offset, 1, group<Space>, layout_right>& offsets) {
    const index_t segments = offsets.extent(0) - 1;
    if constexpr (checks_contents) {
      for_member(0, members_.size(), [&] {
        require_offsets_ascend(
            members_.member(0), name_,
            offsets_of_whole<Offset>{offsets.whole(0).data_handle(), 1, terms_.rows(), segments});
      });
    }
    auto found = list_for<mailbox>(name_, members_.size());
    fence_on_error(members_, [&] {
      for_each_member(members_, [&](int p) {
        found.emplace_back(extents<1>(1));
        dispatch_for(members_.member(p), name_, range(1),
                     find_segment_boundary<Offset>{offsets.whole(p).data_handle(), segments,
                                                   terms_.begin(p), found.back().data_handle()});
      });
    });
    members_.fence();
    count(found, segments);
    for_each_member(members_, [&](int p) { store_offsets(p, offsets.whole(p).data_handle()); });
  }

  /// Which segments begin in each part. The last part has those that begin behind all terms.
  const cut& segments() const { return segments_; }
  const std::vector<split_segment>& split() const { return split_; }
  /// The offsets of the segments of member p, counted from its first term; split ones are empty.
  auto offsets(int p) const { return own_[static_cast<std::size_t>(p)].const_view(); }
  /// The terms of a segment that member p has, counted from the beginning of the segment.
  range terms_of(const split_segment& one, int p) const {
    const index_t begin = std::clamp(terms_.begin(p), one.terms.begin, one.terms.end);
    const index_t end = std::clamp(terms_.end(p), begin, one.terms.end);
    return {begin - one.terms.begin, end - one.terms.begin};
  }

 private:
  using mailbox = array<segment_boundary, 1, typename mailbox_space<Space>::type>;
  using own_offsets = array<index_t, 1, Space>;

  /// Cuts the segments, and lists the split ones. Offsets may descend.
  void count(const std::vector<mailbox>& found, index_t segments) {
    const int parts = members_.size();
    auto sizes = list_for<index_t>(name_, parts);
    index_t first = 0;
    for (int p = 0; p < parts; ++p) {
      const index_t next =
          p + 1 == parts
              ? segments
              : std::max(first, found[static_cast<std::size_t>(p) + 1].data_handle()->first);
      sizes.push_back(next - first);
      first = next;
    }
    segments_ = cut::of(sizes);
    for (int p = 1; p < parts; ++p) {
      const segment_boundary& at = *found[static_cast<std::size_t>(p)].data_handle();
      const index_t number = segments_.begin(p) - 1;
      const bool is_new = split_.empty() || split_.back().number < number;
      if (at.first - 1 != number || !is_new || at.begin < 0 || at.begin >= terms_.begin(p))
        continue;
      const range terms(at.begin, std::min(at.end, terms_.rows()));
      if (terms.end > terms_.begin(p)) split_.push_back({segments_.part_of(number), number, terms});
    }
  }

  template <class Offset>
  void store_offsets(int p, const Offset* offsets) {
    const index_t first = segments_.begin(p);
    const index_t count = segments_.size(p);
    const auto is_last = [&](const split_segment& one) {
      return one.number == first + count - 1 && count > 0;
    };
    const bool splits = std::any_of(split_.begin(), split_.end(), is_last);
    own_.emplace_back(extents<1>(count + 1), members_.member(p));
    dispatch_for(members_.member(p), name_, range(count + 1),
                 store_own_offsets<Offset>{offsets + first, terms_.begin(p), terms_.end(p),
                                           splits ? count : -1, own_.back().data_handle()});
  }

  const char* name_;
  const group<Space>& members_;
  cut terms_;
  cut segments_;
  std::vector<own_offsets> own_;
  std::vector<split_segment> split_;
};

}  // namespace tandem::detail
