// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/reduce/kernel.cuh>
#include <tandem/backends/cuda/segments/policy.hpp>
#include <tandem/core/contract/segmented_problem.hpp>
#include <tandem/core/contract/term_loaders.hpp>
#include <tandem/core/math.hpp>

/// Reductions of segments: few terms by a thread, more by a warp, and segments longer than a chunk
/// chunk by chunk by all warps of a second kernel, whose values a third combines.
namespace tandem::cuda_impl {

/// The aligned adjacent tree over at most 2^Levels - 1 values that arrive in order. Slot k holds a
/// finished subtree of 2^k values exactly if bit k of their count is one.
template <class T, class R, int Levels>
class value_tree {
 public:
  __device__ explicit value_tree(const R& reducer) : reducer_(reducer) {}

  __device__ __forceinline__ void push(T value) {
    int k = 0;
#pragma unroll 1
    for (; (count_ >> k & 1) != 0; ++k) value = reducer_.combine(slot_[k], value);
    slot_[k] = value;
    ++count_;
  }
  /// The root, after at least one push. A subtree without a sibling moves up a level unchanged.
  __device__ __forceinline__ T root() {
    int k = __ffs(static_cast<int>(count_)) - 1;
    T value = slot_[k];
#pragma unroll 1
    for (++k; count_ >> k != 0; ++k) {
      if ((count_ >> k & 1) != 0) value = reducer_.combine(slot_[k], value);
    }
    return value;
  }

 private:
  const R& reducer_;
  unsigned count_ = 0;
  raw_array<T, Levels> slot_;
};

/// Most terms of a segment that fold_few() takes.
inline constexpr int few_terms = 8;

/// Whether fold_few() suits the accumulators of R.
template <class R>
inline constexpr bool folds_few = sizeof(typename R::accumulator) <= 16;

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

/// Whether a load's terms are elements by their address rather than a function's.
template <class Load>
inline constexpr bool loads_elements = false;
template <class T, class R>
inline constexpr bool loads_elements<contiguous_load<T, R>> = true;
template <class T, class R>
inline constexpr bool loads_elements<strided_load<T, R>> = true;

/// How a warp folds the terms of one segment: in items of a tile per team.
template <class Load, class R>
struct segment_fold {
  using tile = reduce_tile_for<shifted_load<Load>, R>;
  using accumulator = typename R::accumulator;
  static constexpr segment_fold_policy policy =
      select_segment_fold(loads_elements<Load>, tile::block);
  static constexpr int block = policy.block;
  static constexpr int blocks_per_sm = policy.blocks_per_sm;
  static constexpr index_t item_terms = tile::item_elements;
  static constexpr index_t chunk_terms = segments_tuning.chunk_items * item_terms;

  /// The value of an item of the segment's, in lane 0. All lanes of the warp call it.
  static __device__ __forceinline__ accumulator item(const tile& of, index_t number,
                                                     index_t terms) {
    constexpr int tiles = warp_threads / tile::team;
    const index_t first = number * tiles + lane_of_warp() / tile::team;
    return warp_tree<tile::team, warp_threads>(of.fold(first, terms), of.reducer);
  }

  /// The value of 1 term or more, in lane 0. All lanes of the warp call it with the same range.
  static __device__ __forceinline__ accumulator fold(const Load& load, const segment_range& terms,
                                                     const R& reducer) {
    const tile of{shifted_load<Load>{load, terms.begin}, reducer};
    const index_t size = terms.size();
    const accumulator only = item(of, 0, size);
    if (size <= item_terms) return only;
    value_tree<accumulator, R, 6> tree(reducer);  // of segments_tuning.chunk_items at most
    tree.push(only);
#pragma unroll 1
    for (index_t i = 1; i * item_terms < size; ++i) tree.push(item(of, i, size));
    return tree.root();
  }
};

/// The segments that are longer than a chunk, as the first kernel finds them.
template <class T>
struct long_segments {
  unsigned* count;   ///< zero before the first kernel
  unsigned most;     ///< more than these exist only where segments overlap
  index_t* segment;  ///< their numbers, in any order
  T* chunk;          ///< values of chunks, from chunk 2 * (begin / chunk_terms) on for each
};

/// Segments per block's warp are neighbours, `each` of them, one per lane at most: a lane folds few
/// terms alone, the warp folds the others one after another.
template <class Load, class Offset, class R>
__global__ void __launch_bounds__(segment_fold<Load, R>::block,
                                  segment_fold<Load, R>::blocks_per_sm)
    segments_kernel(const __grid_constant__ segmented_problem<Load, Offset, R> problem, int each,
                    const long_segments<typename R::accumulator> longer) {
  ptx::grid_dependency_wait();
  using fold = segment_fold<Load, R>;
  const R& reducer = problem.reducer;
  const index_t warps = index_t{gridDim.x} * warps_of_block();
#pragma unroll 1
  for (index_t first = (index_t{blockIdx.x} * warps_of_block() + warp_of_block()) * each;
       first < problem.segments; first += warps * each) {
    const index_t own = first + lane_of_warp();
    const bool exists = lane_of_warp() < each && own < problem.segments;
    const segment_range terms = exists ? problem.segment(own) : segment_range{0, 0};
    bool is_left = exists && terms.size() > 0;
    if (exists && terms.size() == 0) problem.output(own) = reducer.empty();
    if (longer.count != nullptr && terms.size() > fold::chunk_terms) {
      const unsigned at = atomicAdd(longer.count, 1u);
      if (at < longer.most) longer.segment[at] = own;
      is_left = false;
    }
    if constexpr (folds_few<R>) {
      if (is_left && terms.size() <= few_terms) {
        problem.output(own) = reducer.finish(fold_few(problem.load, terms, reducer));
        is_left = false;
      }
    }
#pragma unroll 1
    for (unsigned left = __ballot_sync(whole_warp, is_left); left != 0; left &= left - 1) {
      const int lane = __ffs(static_cast<int>(left)) - 1;
      const segment_range all = {warp_shuffle(terms.begin, lane), warp_shuffle(terms.end, lane)};
      const auto value = fold::fold(problem.load, all, reducer);
      if (lane_of_warp() == 0) problem.output(first + lane) = reducer.finish(value);
    }
  }
}

/// Folds the chunks of the long segments, a warp each, counted through all of them.
template <class Load, class Offset, class R>
__global__ void __launch_bounds__(segment_fold<Load, R>::block,
                                  segment_fold<Load, R>::blocks_per_sm)
    chunks_kernel(const __grid_constant__ segmented_problem<Load, Offset, R> problem,
                  const long_segments<typename R::accumulator> longer) {
  ptx::grid_dependency_wait();
  using fold = segment_fold<Load, R>;
  const unsigned count = tandem::min(*longer.count, longer.most);
  const index_t warps = index_t{gridDim.x} * warps_of_block();
  // The first chunk of the current segment that is this warp's.
  index_t next = index_t{blockIdx.x} * warps_of_block() + warp_of_block();
#pragma unroll 1
  for (unsigned k = 0; k < count; ++k) {
    const segment_range terms = problem.segment(longer.segment[k]);
    const index_t chunks = ceil_div(terms.size(), fold::chunk_terms);
    auto* const to = longer.chunk + 2 * (terms.begin / fold::chunk_terms);
#pragma unroll 1
    for (; next < chunks; next += warps) {
      const index_t begin = terms.begin + next * fold::chunk_terms;
      const segment_range own = {begin, tandem::min(terms.end, begin + fold::chunk_terms)};
      const auto value = fold::fold(problem.load, own, problem.reducer);
      if (lane_of_warp() == 0) to[next] = value;
    }
    next -= chunks;
  }
}

/// Combines the chunks of the long segments, a warp per segment.
template <class Load, class Offset, class R>
__global__ void __launch_bounds__(segments_tuning.join_block)
    join_chunks_kernel(const __grid_constant__ segmented_problem<Load, Offset, R> problem,
                       const long_segments<typename R::accumulator> longer) {
  ptx::grid_dependency_wait();
  using fold = segment_fold<Load, R>;
  using accumulator = typename R::accumulator;
  const R& reducer = problem.reducer;
  const unsigned count = tandem::min(*longer.count, longer.most);
  const unsigned warps = gridDim.x * static_cast<unsigned>(warps_of_block());
#pragma unroll 1
  for (unsigned k = blockIdx.x * static_cast<unsigned>(warps_of_block()) +
                    static_cast<unsigned>(warp_of_block());
       k < count; k += warps) {
    const index_t segment = longer.segment[k];
    const segment_range terms = problem.segment(segment);
    const index_t chunks = ceil_div(terms.size(), fold::chunk_terms);
    const accumulator* const from = longer.chunk + 2 * (terms.begin / fold::chunk_terms);
    value_tree<accumulator, R, 31> tree(reducer);
#pragma unroll 1
    for (index_t first = 0; first < chunks; first += warp_threads) {
      const index_t own = first + lane_of_warp();
      const accumulator value = own < chunks ? from[own] : reducer.identity();
      tree.push(warp_tree<1, warp_threads>(value, reducer));
    }
    if (lane_of_warp() == 0) problem.output(segment) = reducer.finish(tree.root());
  }
}

}  // namespace tandem::cuda_impl
