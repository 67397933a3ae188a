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

const registered all[] = {
    {"group-axis-float", on_a_space<along_axes<sums<float, float>>>},
    {"group-axis-int8", on_a_space<along_axes<sums<std::int8_t, std::int64_t>>>},
    {"group-axis-minloc", on_a_space<along_axes<positions<double, false>>>},
    {"group-axis-ordered", on_a_space<along_axes<ordered>>},
};

}  // namespace
}  // namespace tandem::fuzz
