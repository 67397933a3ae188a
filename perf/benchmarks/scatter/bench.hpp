// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

namespace perf {

/// Sums of n floats in cells: random ones, or all of them in one.
struct scatter_case {
  index_t n;
  spread kind;  ///< uniform or all_equal

  static constexpr int cells = 1 << 20;
};

problem scatter_problem(const scatter_case& asked);

/// The data of a candidate, which is larger than any cache but for the cells.
template <class Space>
struct scatter_data {
  explicit scatter_data(const scatter_case& asked)
      : at(extents<1>(asked.n), *space), values(extents<1>(asked.n), *space) {
    fill_with(*space, at.view(), bin_values{31, scatter_case::cells, asked.kind});
    fill_with(*space, values.view(), uniform_values<float>{32});
  }

  std::shared_ptr<Space> space = std::make_shared<Space>();
  array<std::int32_t, 1, Space> at;
  array<float, 1, Space> values;
  array<float, 1, Space> out{extents<1>(scatter_case::cells), *space};
};

/// Makes a candidate that calls add(data), which adds to the cells. Runs that are timed add to what
/// others left there.
template <class Space, class Add>
candidate resident_scatter(const scatter_case& asked, const Add& add) {
  auto data = std::make_shared<scatter_data<Space>>(asked);
  candidate made = resident(
      data->space, [=](std::int64_t) { add(*data); }, [] { return outcome{}; });
  made.check = [=] {
    tandem::fill(*data->space, data->out, 0.0f);
    add(*data);
    return weighted_summary(*data->space, data->out.view());
  };
  return made;
}

/// Makes tandem's candidate.
template <class Space>
candidate scatter_by_tandem(const scatter_case& asked) {
  return resident_scatter<Space>(asked, [](scatter_data<Space>& data) {
    tandem::scatter_add(*data.space, data.at, data.values, data.out);
  });
}

}  // namespace perf
