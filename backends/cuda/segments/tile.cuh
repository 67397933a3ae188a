// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/contract/segmented_problem.hpp>
#include <tandem/core/math.hpp>

namespace tandem::cuda_impl {

/// Most terms of a segment that fold_few() takes.
inline constexpr int few_terms = 8;

/// The canonical combination of 1 to few_terms terms: of the commutative shape the halving of lanes
/// with a term each, of the ordered one a left fold. Bounds of loops are constants, so that
/// compilers unroll them and terms stay in registers.
template <class Load, class R>
__device__ typename R::accumulator fold_few(const Load& load, const segment_range& terms,
                                            const R& reducer) {
  using T = typename R::accumulator;
  const int count = static_cast<int>(terms.size());
  T term[few_terms] = {};
  for (int l = 0; l < few_terms; ++l) {
    if (l < count) term[l] = load(terms.begin + l);
  }
  if constexpr (R::commutative) {
    for (int h = few_terms / 2; h >= 1; h /= 2) {
      for (int l = 0; l < few_terms / 2; ++l) {
        if (l < h && l + h < count) term[l] = reducer.combine(term[l], term[l + h]);
      }
    }
  } else {
    for (int l = 1; l < few_terms; ++l) {
      if (l < count) term[0] = reducer.combine(term[0], term[l]);
    }
  }
  return term[0];
}

/// A tile of the commutative shape (reduce/lane_tile.cuh) where most tiles are incomplete, as
/// segments' are. `Rows` rows are loaded in whole, the last term again where there are no more: of
/// loads with a predicate each, one waits for the other. So a load is called more than once for a
/// term, which a user's function might notice, but segments have none.
template <class Load, class R, int Rows>
struct segment_tile {
  using accumulator = typename R::accumulator;
  static constexpr int lanes = canonical::lanes<R>;
  static constexpr int team = lanes < warp_threads ? lanes : warp_threads;
  static constexpr index_t elements = canonical::tile<R>;
  static constexpr index_t item_elements = elements * (warp_threads / team);

  Load load;
  R reducer;

  /// The value of a tile of n terms, at least one, in the team's first thread; the identity beyond
  /// n. All lanes of a warp call it.
  __device__ __forceinline__ accumulator fold(index_t tile, index_t n) const {
    values<accumulator, width> lane;
#pragma unroll
    for (int k = 0; k < width; ++k) lane[k] = reducer.identity();
    const index_t begin = tile * elements;
    const int count = static_cast<int>(tandem::clamp(n - begin, index_t{0}, elements));
#pragma unroll 1
    for (int row = 0; row < count; row += Rows * lanes)
      fold_rows(lane, begin, row + lane_of_warp() % team, count);
    if constexpr (width == 2) lane[0] = reducer.combine(lane[0], lane[1]);
#pragma unroll
    for (int h = team / 2; h >= 1; h /= 2)
      lane[0] = reducer.combine(lane[0], warp_shuffle_down(lane[0], h, team));
    return lane[0];
  }

 private:
  static constexpr int width = lanes / team;  // lanes per thread
  static_assert(canonical::rows % Rows == 0);

  /// Combines `Rows` rows of a tile of `count` terms, from the lane's term `first` on.
  __device__ __forceinline__ void fold_rows(values<accumulator, width>& lane, index_t begin,
                                            int first, int count) const {
    values<accumulator, Rows * width> term;
#pragma unroll
    for (int i = 0; i < Rows * width; ++i)
      term[i] = load(begin + tandem::min(first + i * team, count - 1));
#pragma unroll
    for (int i = 0; i < Rows * width; ++i) {
      if (first + i * team < count) lane[i % width] = reducer.combine(lane[i % width], term[i]);
    }
  }
};

}  // namespace tandem::cuda_impl
