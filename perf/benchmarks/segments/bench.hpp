// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/benchmarks/segments/lengths.hpp>

/// Sums of segments, and of the values of runs of equal keys. Arrays do not rotate: they are larger
/// than a device's cache.
namespace perf {

using segment_case = segment_lengths;

/// The cases of segmented_reduce, with 2^26 terms or a little less, or 2^-shift of them.
std::vector<segment_case> segment_cases(int shift = 0);
/// Likewise of reduce_by_key.
std::vector<segment_case> run_cases(int shift = 0);

problem segment_problem(const segment_case& asked);
problem run_problem(const segment_case& asked);

/// The data of a candidate.
template <class Space>
struct segment_data {
  explicit segment_data(const segment_case& asked)
      : offsets(make_offsets(*space, asked)),
        x(extents<1>(terms_of(*space, offsets)), *space),
        sums(extents<1>(asked.count), *space) {
    fill_with(*space, x.view(), uniform_values<float>{41});
  }

  std::shared_ptr<Space> space = std::make_shared<Space>();
  array<int, 1, Space> offsets;
  array<float, 1, Space> x;
  array<float, 1, Space> sums;
};

/// Makes a candidate that calls reduce(data), which sets data.sums.
template <class Data, class Reduce, class Case>
candidate resident_sums(const Case& asked, const Reduce& reduce) {
  auto data = std::make_shared<Data>(asked);
  return resident(
      data->space, [=](std::int64_t) { reduce(*data); },
      [=] { return weighted_summary(*data->space, data->sums.view()); });
}

template <class Space>
candidate segments_by_tandem(const segment_case& asked) {
  return resident_sums<segment_data<Space>>(asked, [](segment_data<Space>& data) {
    tandem::segmented_reduce(*data.space, data.x, data.offsets, data.sums);
  });
}

/// The key of a run, which differs from that of the next one.
struct run_key {
  TANDEM_FUNCTION std::uint32_t operator()(index_t run, int) const {
    return static_cast<std::uint32_t>(run) * 2654435761u;
  }
};

/// Segments as runs of equal keys.
template <class Space>
struct run_data : segment_data<Space> {
  explicit run_data(const segment_case& asked)
      : segment_data<Space>(asked),
        keys(this->x.extents(), *this->space),
        keys_out(this->sums.extents(), *this->space) {
    fill_segments(*this->space, this->offsets, keys.view(), run_key{});
  }

  array<std::uint32_t, 1, Space> keys;
  array<std::uint32_t, 1, Space> keys_out;
};

template <class Space>
candidate runs_by_tandem(const segment_case& asked) {
  return resident_sums<run_data<Space>>(asked, [](run_data<Space>& data) {
    tandem::reduce_by_key(*data.space, data.keys, data.x, data.keys_out, data.sums);
  });
}

}  // namespace perf
