// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scatter_add: floats by the rule of weighted histograms, integers modulo their width.

#include "fuzz/oracles_histogram.hpp"
#include "fuzz/placed.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 16;
constexpr index_t most_cells = 70000;

/// Draws indices below `cells`: all of them, few, or the same; in an unchecked build some are out
/// of range.
template <class Index, class Line>
void put_indices(draw& d, index_t cells, Line& at) {
  const auto spread = static_cast<std::uint64_t>(d.one_in("few", 4) ? 3 : cells);
  const index_t outside = TANDEM_CHECKED > 0 ? 0 : d.number("outside_every", 0, 5);
  const std::uint64_t seed = static_cast<std::uint64_t>(d.number("index.seed", 0, 1000));
  for (index_t i = 0; i < at.size(); ++i) {
    const std::uint64_t random = test::mix(seed ^ static_cast<std::uint64_t>(i) << 10);
    at.initial(i) = static_cast<Index>(random % spread % static_cast<std::uint64_t>(cells));
    if (outside > 0 && i % outside == 0) {
      at.initial(i) = static_cast<Index>(random % 2 == 0 ? cells + i : -1 - i);
    }
  }
  at.expect_unchanged();
}

template <class T, class Index>
struct scatters {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", d.one_in("large", 60) ? 16 * most : most, sizeof(T));
    const index_t cells = 1 + d.size("cells", d.one_in("many", 4) ? most_cells : 600);
    placed<Index, 1, Space> at(space, draw_placement(d, "indices", extents<1>(n), true),
                               draw_values(d, "unused"));
    placed<T, 1, Space> values(space, draw_placement(d, "values", extents<1>(n), false),
                               draw_values(d, "value"));
    placed<T, 1, Space> out(space, {extents<1>(cells), extents<1>(1), guard, cells + 2 * guard},
                            {1, 5});
    put_indices<Index>(d, cells, at);
    if constexpr (std::is_floating_point_v<T>) spread_magnitudes(d, values);
    expect(at, values, out);
    at.upload(space);
    values.upload(space);
    const way how = draw_way(d);
    // A graph is replayed twice with out restored, so each run adds once.
    run(
        space, TANDEM_CHECKED > 0 && how == way::in_graph ? way::directly : how,
        [&] { out.upload(space); },
        [&](const Space& s) { scatter_add(s, at.strided(), values.strided(), out.packed()); });
    out.check(space, "out");
    return true;
  }

 private:
  template <class At, class Values, class Out>
  static void expect(const At& at, const Values& values, Out& out) {
    const index_t cells = out.size();
    if constexpr (std::is_floating_point_v<T>) {
      oracle::weighted_sums<T> sums(static_cast<std::uint64_t>(at.size()), cells);
      for (index_t i = 0; i < at.size(); ++i) {
        const index_t cell = oracle::bin_of_integer(0, cells, at(i));
        if (cell >= 0) sums.add(cell, values(i));
      }
      for (index_t c = 0; c < cells; ++c) {
        const T sum = sums.result(c);
        if (sum != 0) out.expected(c) += sum;
      }
    } else {
      for (index_t i = 0; i < at.size(); ++i) {
        const index_t cell = oracle::bin_of_integer(0, cells, at(i));
        if (cell < 0) continue;
        out.expected(cell) = static_cast<T>(static_cast<std::uint64_t>(out.expected(cell)) +
                                            static_cast<std::uint64_t>(values(i)));
      }
    }
  }
};

template <class T, class Index>
constexpr auto tested = on_a_space<scatters<T, Index>>;

const registered all[] = {
    {"scatter_add-float", tested<float, std::int32_t>},
    {"scatter_add-double", tested<double, std::int64_t>},
    {"scatter_add-int32", tested<std::int32_t, std::uint16_t>},
    {"scatter_add-uint64", tested<std::uint64_t, std::int32_t>},
};

}  // namespace
}  // namespace tandem::fuzz
