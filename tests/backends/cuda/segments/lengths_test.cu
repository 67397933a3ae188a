// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments at the lengths from which on another number of lanes, or more than one warp, reduces
// one.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <vector>

#include <doctest/doctest.h>

#include <tandem/backends/cuda/segments/dispatch.cuh>

using namespace tandem::test;
using tandem::index_t;

namespace {

using load = tandem::contiguous_load<float, tandem::sum<float>>;
using fold = tandem::cuda_impl::segment_fold<load, tandem::sum<float>>;

/// Checks sums of segments of these lengths against reductions of each alone.
void check_lengths(const std::vector<index_t>& lengths) {
  const tandem::cuda space(0);
  const tandem::serial reference;
  std::vector<index_t> offsets{0};
  for (const index_t length : lengths) offsets.push_back(offsets.back() + length);
  const auto values = random_values<float>(static_cast<std::size_t>(offsets.back()), 11);
  const auto x = to_space(space, values);
  const auto on_device = to_space(space, offsets);
  tandem::array<float, 1, tandem::cuda> sums(tandem::extents<1>(lengths.size()), space);
  tandem::segmented_reduce(space, x.const_view(), on_device.const_view(), sums.view(),
                           tandem::sum<float>{});
  const auto got = to_host(space, sums);
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    const std::vector<float> own(values.begin() + offsets[s], values.begin() + offsets[s + 1]);
    INFO("segment of " << lengths[s]);
    CHECK(same_bits(got[s], tandem::parallel_reduce(reference, own, tandem::sum<float>{})));
  }
}

}  // namespace

TEST_CASE("cuda segments: lengths around what a lane, an item and a chunk take") {
  const index_t few = tandem::cuda_impl::few_terms;
  const index_t item = fold::item_terms;
  const index_t chunk = fold::chunk_terms;
  check_lengths({0, 1, few - 1, few, few + 1, 0, item - 1, item, item + 1});
  check_lengths({chunk - 1, chunk, chunk + 1, 0, 2 * chunk, 2 * chunk + item + 1, 3});
}
