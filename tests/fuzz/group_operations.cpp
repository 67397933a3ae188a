// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on groups that exchange more than results: rows cut anywhere among any number of
// members.

#include "fuzz/groups.hpp"
#include "fuzz/reducers.hpp"

namespace tandem::fuzz {
namespace {

constexpr index_t most = index_t{1} << 15;

template <class T, int Rank, class Space>
using sharded_array = array<T, Rank, group<Space>, layout_right>;

/// A reduction of a matrix along one of its axes, into an array of another cut or a replicated one.
template <class Tested>
struct along_axes {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = typename Tested::term;
    using result = typename decltype(Tested::make())::result;
    const index_t rows = d.size("rows", most, sizeof(T));
    const index_t columns = d.size("columns", most / std::max<index_t>(rows, 1), sizeof(T));
    const int along = d.pick("axis", {"0", "1"});
    const std::vector<T> elements = draw_elements<T>(d, rows * columns);
    const auto members = draw_group(d, space);
    const int parts = members.size();
    sharded_array<T, 2, Space> x(extents<2>(rows, columns), members,
                                 draw_cut(d, "cut", rows, parts));
    const index_t outputs = along == 0 ? columns : rows;
    using results = sharded_array<result, 1, Space>;
    results out = d.one_in("replicated", 3)
                      ? results(extents<1>(outputs), members, replicated)
                      : results(extents<1>(outputs), members, draw_cut(d, "out", outputs, parts));
    copy(members, elements, x);
    std::vector<result> expected;
    for (index_t j = 0; j < outputs; ++j) {
      std::vector<T> terms;
      for (index_t i = 0; i < (along == 0 ? rows : columns); ++i) {
        const index_t at = along == 0 ? i * columns + j : j * columns + i;
        terms.push_back(elements[static_cast<std::size_t>(at)]);
      }
      expected.push_back(Tested::expected(terms));
    }
    parallel_reduce_into(members, x, axis{along}, Tested::make(), out);
    const auto found = to_vector(members, out);
    for (std::size_t i = 0; i < expected.size(); ++i) require_result(found[i], expected[i]);
    return true;
  }
};

/// Ascending numbers in 0 .. n.
std::vector<index_t> draw_offsets(draw& d, index_t n) {
  const index_t count = d.number("segments", 0, d.one_in("many_segments", 4) ? 200 : 9) + 1;
  const auto seed = static_cast<std::uint64_t>(d.number("offsets.seed", 0, 1000));
  std::vector<index_t> at;
  for (index_t s = 0; s < count; ++s) {
    const std::uint64_t random = test::mix(seed << 32 ^ static_cast<std::uint64_t>(s));
    at.push_back(static_cast<index_t>(random % static_cast<std::uint64_t>(n + 1)));
  }
  std::sort(at.begin(), at.end());
  return at;
}

/// Reductions of segments that cuts split, with offsets anywhere.
template <class Tested>
struct segment_reductions {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    using T = typename Tested::term;
    using result = typename decltype(Tested::make())::result;
    const index_t n = d.size("n", most, sizeof(T));
    const std::vector<T> elements = draw_elements<T>(d, n);
    const std::vector<index_t> at = draw_offsets(d, n);
    const auto members = draw_group(d, space);
    const auto count = static_cast<index_t>(at.size()) - 1;
    sharded_array<T, 1, Space> x(extents<1>(n), members, draw_cut(d, "cut", n, members.size()));
    sharded_array<result, 1, Space> out(extents<1>(count), members,
                                        draw_cut(d, "out", count, members.size()));
    copy(members, elements, x);
    segmented_reduce(members, x, at, out, Tested::make());
    const auto found = to_vector(members, out);
    for (std::size_t s = 0; s < found.size(); ++s) {
      const std::vector<T> terms(elements.begin() + at[s], elements.begin() + at[s + 1]);
      require_result(found[s], expected_from<Tested>(terms, at[s]));
    }
    return true;
  }
};

template <class T, class Operation, class Combine>
struct segment_scans {
  template <class Space>
  bool operator()(draw& d, const Space& space) const {
    const index_t n = d.size("n", most, sizeof(T));
    const std::vector<T> elements = draw_elements<T>(d, n);
    const std::vector<index_t> at = draw_offsets(d, n);
    const auto members = draw_group(d, space);
    sharded_array<T, 1, Space> x(extents<1>(n), members, draw_cut(d, "cut", n, members.size()));
    copy(members, elements, x);
    std::vector<T> expected = elements;
    for (std::size_t s = 0; s + 1 < at.size(); ++s) {
      const std::vector<T> terms(elements.begin() + at[s], elements.begin() + at[s + 1]);
      if (terms.empty()) continue;
      const auto prefixes = oracle::scan<T, Combine>(terms, Combine{}).inclusive();
      std::copy(prefixes.begin(), prefixes.end(), expected.begin() + at[s]);
    }
    segmented_scan(members, x, at, x, Operation{});
    require_elements(to_vector(members, x), expected);
    return true;
  }
};

struct add_floats {
  float operator()(float a, float b) const { return oracle::plus(a, b); }
};

const registered all[] = {
    {"group-axis-float", on_a_space<along_axes<sums<float, float>>>},
    {"group-axis-int8", on_a_space<along_axes<sums<std::int8_t, std::int64_t>>>},
    {"group-axis-minloc", on_a_space<along_axes<positions<double, false>>>},
    {"group-axis-ordered", on_a_space<along_axes<ordered>>},
    {"group-segments-float", on_a_space<segment_reductions<sums<float, float>>>},
    {"group-segments-minloc", on_a_space<segment_reductions<positions<float, false>>>},
    {"group-segments-ordered", on_a_space<segment_reductions<ordered>>},
    {"group-segmented-scan", on_a_space<segment_scans<float, sum<float>, add_floats>>},
};

}  // namespace
}  // namespace tandem::fuzz
