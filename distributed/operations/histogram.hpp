// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/histogram.hpp>
#include <tandem/distributed/operations/copy.hpp>

#include <concepts>
#include <type_traits>
#include <vector>

namespace tandem {

namespace detail {

/// Adds to `total` the counts that each of `count` lanes has found, which found(lane) returns.
template <class Total, class Found>
void add_counts_of(int count, Total& total, const Found& found) {
  for (int lane = 0; lane < count; ++lane) {
    const auto counts = found(lane);
    for (std::size_t b = 0; b < total.size(); ++b)
      total[b] = static_cast<typename Total::value_type>(total[b] + counts[b]);
  }
}

/// Counts the elements of each member's rows and returns the sums over the members.
template <class Space, class Count, class X, class... Bins>
std::vector<Count> count_parts(const group<Space>& members, const X& x, index_t size,
                               const Bins&... bins) {
  require_members("histogram", members, x);
  auto parts = list_for<array<Count, 1, Space>>("histogram", members.size());
  const int counting = x.is_replicated() ? 1 : members.size();
  for_each_member(members, [&](int p) {
    if (p >= counting) return;
    parts.emplace_back(extents<1>(size), members.member(p));
    histogram(members.member(p), x.part(p), bins..., parts.back());
  });
  auto total = make_vector<Count>("histogram", size);
  add_counts_of(counting, total, [&](int p) {
    return to_vector(members.member(p), parts[static_cast<std::size_t>(p)]);
  });
  return total;
}

/// Counts into an operand of the host or a replicated array.
template <class Space, class X, class Counts, class... Bins>
void count_on_group(const group<Space>& members, const X& x, Counts& counts, const Bins&... bins) {
  if constexpr (sharded_operand<Counts>) {
    require(counts.is_replicated(), "histogram",
            "the counts are an operand of the host or replicated");
    using Count = typename std::remove_cvref_t<Counts>::value_type;
    const auto total = count_parts<Space, Count>(members, x, counts.size(), bins...);
    copy(members, total, counts);
    members.fence();
  } else {
    const auto to = as_view(counts);
    using Count = typename std::remove_const_t<decltype(to)>::value_type;
    const auto total = count_parts<Space, Count>(members, x, to.size(), bins...);
    copy(members.member(0), total, to);
    members.member(0).fence();
  }
}

}  // namespace detail

/// Counts the values of a sharded array in bins, as histogram() on one space.
///
/// @param x       sharded or replicated array
/// @param bins    {.lo, .hi} for float and double, {.first} for integers, which may be left out if
///                it is 0
/// @param counts  operand of the host, or replicated array, of rank 1; overwritten
/// Errors         argument_error for arrays of other members, and for counts that are sharded;
///                those of histogram on one space
/// Complexity     each member counts its rows; the host adds the counts
/// Waits for the group.
template <class Space, detail::sharded_operand X, class Counts>
void histogram(const group<Space>& members, const X& x, uniform_bins<typename X::value_type> bins,
               Counts&& counts) {
  detail::count_on_group(members, x, counts, bins);
}
template <class Space, detail::sharded_operand X, class Counts>
  requires std::integral<typename X::value_type>
void histogram(const group<Space>& members, const X& x, integer_bins bins, Counts&& counts) {
  detail::count_on_group(members, x, counts, bins);
}
template <class Space, detail::sharded_operand X, class Counts>
  requires std::integral<typename X::value_type>
void histogram(const group<Space>& members, const X& x, Counts&& counts) {
  detail::count_on_group(members, x, counts, integer_bins{});
}

}  // namespace tandem
