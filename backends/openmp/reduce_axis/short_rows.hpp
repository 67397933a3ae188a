// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/cache_level.hpp>
#include <tandem/backends/openmp/reduce/tile.hpp>
#include <tandem/backends/openmp/reduce_axis/policy.hpp>
#include <tandem/core/contract/term_loaders.hpp>

namespace tandem::openmp_impl {

/// Reduces the `count` contiguous terms of each slice, at least one per lane and less than a tile.
/// begin_of(s) is the begin of slice s, and store(s, total) takes its result. With `Whole`, count
/// is a multiple of the lanes, which then stay in registers.
template <class T, bool Whole, class R, class Begin, class Store>
void reduce_short_slices(const Begin& begin_of, int count, bool from_dram, const R& reducer,
                         const Store& store) {
  using A = typename R::accumulator;
  constexpr int slices = short_slices_at_once;
  constexpr int lanes = canonical::lanes<R>;
  constexpr int in_vector = vector_bytes / static_cast<int>(sizeof(A));
  constexpr int left = in_vector < 8 ? 8 : in_vector;
  lane_array<A, left> part[static_cast<std::size_t>(slices)];
  lane_array<A, slices> turned[static_cast<std::size_t>(left)];
  for (int s = 0; s < slices; ++s) {
    const contiguous_load<T, R> load{begin_of(s), reducer};
    const tile_loader<contiguous_load<T, R>> terms{load, 0};
    if (from_dram) prefetch_ahead(load.data, static_cast<std::size_t>(count) * sizeof(T));
    lane_array<A, lanes> lane;
    if constexpr (Whole) {
      accumulate_rows<lanes>(terms, count / lanes, lane, reducer);
    } else {
      accumulate_partial(terms, count, lane, reducer);
    }
    combine_lanes<lanes, left>(lane, reducer);
    for (int l = 0; l < left; ++l) part[s][l] = lane[l];
  }
  for (int l = 0; l < left; ++l) {
    for (int s = 0; s < slices; ++s) turned[l][s] = part[s][l];
  }
  for (int h = left / 2; h >= 1; h /= 2) {
    for (int l = 0; l < h; ++l) {
      for (int s = 0; s < slices; ++s)
        turned[l][s] = reducer.combine(turned[l][s], turned[l + h][s]);
    }
  }
  for (int s = 0; s < slices; ++s) store(s, turned[0][s]);
}

}  // namespace tandem::openmp_impl
