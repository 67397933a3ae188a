// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weighted histograms and scatter_add on groups: terms cut anywhere, sharded and replicated sums.
// Weighted histograms under streamed, with any budget.

#include <cmath>

#include "fuzz/groups.hpp"
#include "fuzz/oracles_histogram.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 14;

/// Draws indices below `cells`, or outside of 0 .. cells - 1 in an unchecked build.
std::vector<std::int32_t> draw_indices(draw& d, index_t n, index_t cells) {
  const index_t outside = TANDEM_CHECKED > 0 ? 0 : d.number("outside_every", 0, 5);
  const auto seed = static_cast<std::uint64_t>(d.number("index.seed", 0, 1000));
  std::vector<std::int32_t> at;
  for (index_t i = 0; i < n; ++i) {
    const std::uint64_t random = test::mix(seed ^ static_cast<std::uint64_t>(i) << 10);
    at.push_back(static_cast<std::int32_t>(random % static_cast<std::uint64_t>(cells)));
    if (outside > 0 && i % outside == 0)
      at.back() = static_cast<std::int32_t>(random % 2 == 0 ? cells + i : -1 - i);
  }
  return at;
}

/// Scales some values down, so that cells may have small ones alone.
template <class T>
void shrink_some(draw& d, std::vector<T>& values) {
  const int power = -static_cast<int>(d.number("power", 0, 60));
  const index_t every = d.number("small_every", 1, 4);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (static_cast<index_t>(i) % every != 0) values[i] = std::ldexp(values[i], power);
  }
}

template <class T>
struct sums_by_index {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", most, sizeof(T));
    const index_t cells = 1 + d.size("cells", d.one_in("large", 4) ? 5000 : 60);
    std::vector<T> values = draw_elements<T>(d, n);
    const std::vector<std::int32_t> at = draw_indices(d, n, cells);
    shrink_some(d, values);
    const auto members = draw_group(d, space);
    const cut rows = draw_cut(d, "cut", n, members.size());
    array<T, 1, group<Space>, layout_right> x(extents<1>(n), members, rows);
    array<std::int32_t, 1, group<Space>, layout_right> indices(extents<1>(n), members, rows);
    copy(members, values, x);
    copy(members, at, indices);
    oracle::weighted_sums<T> sums(static_cast<std::uint64_t>(n), cells);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const index_t cell = oracle::bin_of_integer(0, cells, at[i]);
      if (cell >= 0) sums.add(cell, values[i]);
    }
    std::vector<T> expected;
    for (index_t c = 0; c < cells; ++c) expected.push_back(sums.result(c));
    std::vector<T> found(expected.size());
    const int form = d.pick("form", {"histogram", "sharded", "replicated", "streamed"});
    if (form == 0) {
      histogram(members, indices, integer_bins{0}, x, found);
      require_elements(found, expected);
      return true;
    }
    if (form == 3) {
      const auto budget = static_cast<std::size_t>(d.number("budget", 64, 256)) << 10;
      histogram(streamed(space, {.budget = budget}), at, integer_bins{0}, values, found);
      require_elements(found, expected);
      return true;
    }
    for (T& sum : expected) sum = sum != 0 ? T{2} + sum : T{2};
    using output = array<T, 1, group<Space>, layout_right>;
    output out = form == 1 ? output(extents<1>(cells), T{2}, members,
                                    draw_cut(d, "out", cells, members.size()))
                           : output(extents<1>(cells), T{2}, members, replicated);
    scatter_add(members, indices, x, out);
    require_elements(to_vector(members, out), expected);
    return true;
  }
};

const registered all[] = {
    {"group-sums-float", on_a_space<sums_by_index<float>>},
    {"group-sums-double", on_a_space<sums_by_index<double>>},
};

}  // namespace
}  // namespace tandem::fuzz
