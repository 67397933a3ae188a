// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/contract/segmented_problem.hpp>
#include <tandem/core/math.hpp>

#include <type_traits>

namespace tandem::cuda_impl {

/// Whether a load provides a function object for the terms from a given index.
template <class Load>
inline constexpr bool has_from = requires(const Load& load) { load.from(index_t{}); };

/// The terms of a load, starting at term `begin`.
template <class Load>
using terms_from_begin = std::conditional_t<has_from<Load>, Load, shifted_load<Load>>;
template <class Load>
__device__ __forceinline__ terms_from_begin<Load> terms_from(const Load& load, index_t begin) {
  if constexpr (has_from<Load>) {
    return load.from(begin);
  } else {
    return {load, begin};
  }
}

/// Whether a term takes two loads, the second of which depends on the first.
template <class Load>
inline constexpr bool loads_twice = requires { typename Load::stored; };

/// A warp's loads begin at a multiple of this many terms. If L2 has to look up a line for each term
/// of the second load, the first load should touch as few lines as possible, regardless of where
/// segments begin.
template <class Load>
inline constexpr int segment_line = loads_twice<Load> ? warp_threads : 1;

/// Loads terms index(0) .. index(Count - 1), all in flight. If loads_twice, all lanes of a warp
/// must call it.
template <int Count, class Load, class T, class Index>
__device__ __forceinline__ void load_each(const Load& load, T (&term)[Count], const Index& index) {
  if constexpr (loads_twice<Load>) {
    values<typename Load::stored, Count> stored;
#pragma unroll
    for (int k = 0; k < Count; ++k) stored[k] = load.fetch(index(k));
    __syncwarp();  // otherwise ptxas mixes the steps and serialises the loads
#pragma unroll
    for (int k = 0; k < Count; ++k) term[k] = load.finish(stored[k]);
  } else {
#pragma unroll
    for (int k = 0; k < Count; ++k) term[k] = load(index(k));
  }
}

/// Most terms of a segment that fold_few() accepts.
inline constexpr int few_terms = 8;

/// Combines 1 to few_terms terms in canonical order. The commutative shape halves the lanes, which
/// hold one term each; the ordered shape is a left fold. Loop bounds are constants, so that
/// compilers unroll the loops and keep the terms in registers.
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

/// A tile of the commutative shape (reduce/lane_tile.cuh) for segments, whose tiles are mostly
/// incomplete. `Rows` rows are loaded in full and repeat the last term to fill them: predicated
/// loads would wait for one another. A term may therefore be loaded more than once. A user's
/// function could notice that, but segments have none.
template <class Load, class R, int Rows>
struct segment_tile {
  using accumulator = typename R::accumulator;
  static constexpr int lanes = canonical::lanes<R>;
  static constexpr int team = lanes < warp_threads ? lanes : warp_threads;
  static constexpr index_t elements = canonical::tile<R>;
  static constexpr index_t item_elements = elements * (warp_threads / team);
  static_assert(team == warp_threads || !loads_twice<Load>,
                "tandem: lanes of a warp load together");

  Load load;
  R reducer;

  /// Returns the value of a tile of n terms, n > 0, in the team's first thread; past n, the
  /// identity. All lanes of a warp must call it.
  ///
  /// @param skipped  number of terms before the tile from which loads begin, less than lanes;
  ///                 nonzero only if the tile's lanes are a warp's
  __device__ __forceinline__ accumulator fold(index_t tile, index_t n, int skipped = 0) const {
    values<accumulator, width> lane;
#pragma unroll
    for (int k = 0; k < width; ++k) lane[k] = reducer.identity();
    const index_t begin = tile * elements;
    const int count = static_cast<int>(tandem::clamp(n - begin, index_t{0}, elements));
#pragma unroll 1
    for (int row = 0; row < count + skipped; row += Rows * lanes)
      fold_rows(lane, begin, row + lane_of_warp() % team, skipped, count + skipped);
    if constexpr (width == 2) lane[0] = reducer.combine(lane[0], lane[1]);
    if (skipped != 0) lane[0] = warp_shuffle(lane[0], (lane_of_warp() + skipped) % warp_threads);
#pragma unroll
    for (int h = team / 2; h >= 1; h /= 2)
      lane[0] = reducer.combine(lane[0], warp_shuffle_down(lane[0], h, team));
    return lane[0];
  }

 private:
  static constexpr int width = lanes / team;  // lanes per thread
  static_assert(canonical::rows % Rows == 0);

  /// Combines `Rows` rows of terms `skipped` to count - 1 of a tile, starting at the thread's term
  /// `first`.
  __device__ __forceinline__ void fold_rows(values<accumulator, width>& lane, index_t begin,
                                            int first, int skipped, int count) const {
    values<accumulator, Rows * width> term;
    load_each(terms_from(load, begin), term, [&](int i) {
      const int number = i == 0 ? tandem::max(first, skipped) : first + i * team;
      return tandem::min(number, count - 1);
    });
#pragma unroll
    for (int i = 0; i < Rows * width; ++i) {
      const int number = first + i * team;
      if ((i > 0 || number >= skipped) && number < count)
        lane[i % width] = reducer.combine(lane[i % width], term[i]);
    }
  }
};

}  // namespace tandem::cuda_impl
