// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/reduce/ordered_tile.cuh>
#include <tandem/backends/cuda/segments/policy.hpp>
#include <tandem/backends/cuda/segments/stage.cuh>
#include <tandem/backends/cuda/segments/tile.cuh>
#include <tandem/core/contract/segmented_problem.hpp>
#include <tandem/core/contract/term_loaders.hpp>
#include <tandem/core/math.hpp>

/// Reductions of segments. A thread folds a few terms and a warp folds more. Segments longer than a
/// chunk are split: all warps of a second kernel fold the chunks. Their values are combined by the
/// warp that folds a segment's last one or, if there are many, by a third kernel.
namespace tandem::cuda_impl {

/// The aligned adjacent tree over fewer than 2^31 values that arrive in order. Slot k holds a
/// finished subtree of 2^k values if and only if bit k of the count is set.
template <class T, class R>
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
  /// Returns the root; requires at least one push. A subtree without a sibling moves up a level
  /// unchanged.
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
  raw_array<T, 31> slot_;
};

/// Whether a load's terms are elements loaded from an address rather than results of a function.
template <class Load>
inline constexpr bool loads_elements = false;
template <class T, class R>
inline constexpr bool loads_elements<contiguous_load<T, R>> = true;
template <class T, class R>
inline constexpr bool loads_elements<strided_load<T, R>> = true;

/// The tile with which a warp folds the terms of one segment.
template <class Load, class R>
struct segment_tile_for {
  using type = ordered_tile<terms_from_begin<Load>, R>;
};
template <class Load, class R>
  requires(R::commutative)
struct segment_tile_for<Load, R> {
  static constexpr int batch = select_segment_load(sizeof(typename R::accumulator)).batch;
  using type =
      segment_tile<terms_from_begin<Load>, R, canonical::lanes<R> == 64 ? batch / 2 : batch>;
};

/// Whether lanes fold a few terms directly from memory. They do so for terms of one or two words.
/// Terms of a function qualify only if there is no stage, because the stage loads them in memory
/// order.
template <class Load, class R>
inline constexpr bool folds_few =
    sizeof(typename R::accumulator) <= 16 && (loads_elements<Load> || !stages_segments<R>);

/// How a warp folds the terms of one segment, or of one chunk of a longer segment. A chunk is one
/// tile per team, small enough that a long segment occupies many warps.
template <class Load, class R>
struct segment_fold {
  using tile = typename segment_tile_for<Load, R>::type;
  using accumulator = typename R::accumulator;
  static constexpr segment_fold_policy policy =
      select_segment_fold(loads_elements<Load>, sizeof(accumulator));
  static constexpr int block = policy.block;
  static constexpr int blocks_per_sm = policy.blocks_per_sm;
  static constexpr index_t chunk_terms = tile::item_elements;

  /// Returns the value of 1 to chunk_terms terms in lane 0. All lanes of the warp must pass the
  /// same range.
  static __device__ __forceinline__ accumulator fold(const Load& load, const segment_range& terms,
                                                     const R& reducer) {
    if constexpr (loads_twice<Load> && canonical::lanes<R> == warp_threads) {
      const auto skipped = static_cast<int>(terms.begin % segment_line<Load>);
      const tile of{terms_from(load, terms.begin - skipped), reducer};
      return of.fold(0, terms.size(), skipped);
    } else {
      const tile of{terms_from(load, terms.begin), reducer};
      return warp_tree<tile::team, warp_threads>(of.fold(lane_of_warp() / tile::team, terms.size()),
                                                 reducer);
    }
  }
};

/// The segments that are longer than a chunk, in the arbitrary order in which the first kernel
/// finds them. Their chunks are numbered consecutively across segments.
template <class T>
struct long_segments {
  /// The number of segments and, in the lower bits, of chunks; zero before the first kernel. Both
  /// are in one word, so that first chunks ascend.
  unsigned long long* count;
  unsigned* readers;  ///< blocks of the last kernel that do not need the count any more
  unsigned most;      ///< more segments, or twice as many chunks, exist only if segments overlap
  index_t* segment;   ///< their indices
  unsigned* first;    ///< their first chunks
  unsigned* folded;   ///< how many of their chunks have been folded; null for the third kernel
  T* chunk;           ///< values of chunks, 2 * most of them

  static constexpr int chunk_bits = 40;

  __device__ unsigned size() const { return size_of(*count); }
  __device__ unsigned chunks() const { return chunks_of(*count); }

  /// Appends a segment of `chunks` chunks. If segments overlap there may be too many; the excess is
  /// dropped before the count overflows its bits.
  __device__ void append(index_t number, index_t chunks) const {
    const auto so_far = load_l2(count);
    if (size_of(so_far) == most || chunks_of(so_far) == 2 * most) return;
    const auto before =
        atomicAdd(count, 1ull << chunk_bits | static_cast<unsigned long long>(chunks));
    const auto at = static_cast<unsigned>(before >> chunk_bits);
    if (at >= most) return;
    segment[at] = number;
    first[at] = chunks_of(before);
    if (folded != nullptr) folded[at] = 0;
  }

  /// Resets the count to zero once all blocks have called this.
  __device__ void release() const {
    __syncthreads();
    if (threadIdx.x == 0 && ptx::atom_inc_acq_rel(readers, gridDim.x - 1) == gridDim.x - 1)
      *count = 0;
  }

  /// Finds the last of the first `size` segments whose first chunk is not after `chunk`. All lanes
  /// of a warp call it; each reads one of 32 candidates.
  __device__ unsigned warp_find(unsigned chunk, unsigned size) const {
    unsigned begin = 0;
#pragma unroll 1
    while (size > 1) {
      const unsigned step = (size + warp_threads - 1) / warp_threads;
      const unsigned own = static_cast<unsigned>(lane_of_warp()) * step;
      const bool is_before = own < size && first[begin + own] <= chunk;
      const unsigned skipped =
          static_cast<unsigned>(__popc(__ballot_sync(whole_warp, is_before)) - 1) * step;
      begin += skipped;
      size = tandem::min(step, size - skipped);
    }
    return begin;
  }

 private:
  __device__ unsigned size_of(unsigned long long word) const {
    return static_cast<unsigned>(tandem::min(word >> chunk_bits, 1ull * most));
  }
  __device__ unsigned chunks_of(unsigned long long word) const {
    return static_cast<unsigned>(tandem::min(word & ((1ull << chunk_bits) - 1), 2ull * most));
  }
};

/// The number of segments if an earlier kernel counts them and the host does not know it yet.
struct counted_segments {
  const index_t* count = nullptr;  ///< null: the problem's number; otherwise at most that
  int multiprocessors = 0;
};

/// Each warp processes `each` adjacent segments, at most one per lane. A lane folds a few terms
/// alone, short segments go through the warp's stage, and the warp folds the rest one by one.
template <class Load, class Offset, class R>
__global__ void __launch_bounds__(segment_fold<Load, R>::block,
                                  segment_fold<Load, R>::blocks_per_sm)
    segments_kernel(const __grid_constant__ segmented_problem<Load, Offset, R> problem, int each,
                    const counted_segments counted,
                    const long_segments<typename R::accumulator> longer) {
  ptx::grid_dependency_wait();
  using fold = segment_fold<Load, R>;
  using stage = segment_stage<Load, R, fold::block>;
  const R& reducer = problem.reducer;
  index_t count = problem.segments;
  if (counted.count != nullptr) {
    count = tandem::min(count, *counted.count);
    each = segments_at_once(count, counted.multiprocessors,
                            segments_per_stage(count, problem.terms, stage_capacity<R>));
  }
  const index_t step = index_t{gridDim.x} * warps_of_block() * each;
  index_t first = (index_t{blockIdx.x} * warps_of_block() + warp_of_block()) * each;
  if (first >= count) return;
  Offset begin;
  Offset end;
  const auto load_offsets = [&](index_t s) {
    s = tandem::min(s, count - 1);
    begin = problem.offset(s);
    end = problem.offset(s + 1);
  };
  load_offsets(first + lane_of_warp());
#pragma unroll 1
  for (; first < count; first += step) {
    const index_t own = first + lane_of_warp();
    const bool exists = lane_of_warp() < each && own < count;
    const segment_range terms = exists ? problem.segment(begin, end) : segment_range{0, 0};
    load_offsets(own + step);  // while the terms of these segments are in flight
    bool is_left = exists && terms.size() > 0;
    if (exists && terms.size() == 0) problem.output(own) = reducer.empty();
    if (longer.count != nullptr && terms.size() > fold::chunk_terms) {
      longer.append(own, ceil_div(terms.size(), fold::chunk_terms));
      is_left = false;
    }
    if constexpr (folds_few<Load, R>) {
      // Terms that the stage loads anyway for adjacent segments are not loaded twice.
      const bool all = !stages_segments<R> || !__any_sync(whole_warp, terms.size() > few_terms);
      if (is_left && all && terms.size() <= few_terms) {
        problem.output(own) = reducer.finish(fold_few(problem.load, terms, reducer));
        is_left = false;
      }
    }
    if constexpr (stages_segments<R>) {
      const bool taken = is_left && stage::takes(terms.size());
      stage(problem.load, reducer).fold(terms, taken, [&](int lane, const auto& value) {
        problem.output(first + lane) = reducer.finish(value);
      });
      is_left = is_left && !taken;
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

/// Combines the values of a segment's chunks and stores its result.
template <class Load, class Offset, class R>
__device__ void join_chunks(const segmented_problem<Load, Offset, R>& problem,
                            const long_segments<typename R::accumulator>& longer, unsigned k) {
  using accumulator = typename R::accumulator;
  const index_t segment = longer.segment[k];
  const index_t first_chunk = longer.first[k];
  const index_t chunks =
      tandem::min(ceil_div(problem.segment(segment).size(), segment_fold<Load, R>::chunk_terms),
                  2 * index_t{longer.most} - first_chunk);
  if (chunks <= 0) return;  // only if segments overlap
  value_tree<accumulator, R> tree(problem.reducer);
#pragma unroll 1
  for (index_t first = 0; first < chunks; first += warp_threads) {
    const index_t own = first + lane_of_warp();
    const accumulator value =
        own < chunks ? load_l2(longer.chunk + first_chunk + own) : problem.reducer.identity();
    tree.push(warp_tree<1, warp_threads>(value, problem.reducer));
  }
  if (lane_of_warp() == 0) problem.output(segment) = problem.reducer.finish(tree.root());
}

/// Folds the chunks of the long segments, one warp per chunk.
template <class Load, class Offset, class R>
__global__ void __launch_bounds__(segment_fold<Load, R>::block,
                                  segment_fold<Load, R>::blocks_per_sm)
    chunks_kernel(const __grid_constant__ segmented_problem<Load, Offset, R> problem,
                  const long_segments<typename R::accumulator> longer) {
  ptx::grid_dependency_wait();
  using fold = segment_fold<Load, R>;
  const unsigned count = longer.size();
  const unsigned chunks = longer.chunks();
  if (longer.folded != nullptr) longer.release();
  const unsigned warps = gridDim.x * static_cast<unsigned>(warps_of_block());
#pragma unroll 1
  for (unsigned chunk = blockIdx.x * static_cast<unsigned>(warps_of_block()) +
                        static_cast<unsigned>(warp_of_block());
       chunk < chunks; chunk += warps) {
    const unsigned k = longer.warp_find(chunk, count);
    const segment_range terms = problem.segment(longer.segment[k]);
    const index_t begin = terms.begin + index_t{chunk - longer.first[k]} * fold::chunk_terms;
    if (begin >= terms.end) continue;  // only if segments overlap
    const segment_range own = {begin, tandem::min(terms.end, begin + fold::chunk_terms)};
    const auto value = fold::fold(problem.load, own, problem.reducer);
    bool is_last = false;
    if (lane_of_warp() == 0) {
      longer.chunk[chunk] = value;
      const auto others = static_cast<unsigned>(ceil_div(terms.size(), fold::chunk_terms) - 1);
      is_last =
          longer.folded != nullptr && ptx::atom_inc_acq_rel(longer.folded + k, others) == others;
    }
    if (!__any_sync(whole_warp, is_last)) continue;
    __syncwarp();
    join_chunks(problem, longer, k);
  }
}

/// Combines the chunks of the long segments, one warp per segment.
template <class Load, class Offset, class R>
__global__ void __launch_bounds__(segments_tuning.join_block)
    join_chunks_kernel(const __grid_constant__ segmented_problem<Load, Offset, R> problem,
                       const long_segments<typename R::accumulator> longer) {
  ptx::grid_dependency_wait();
  const unsigned count = longer.size();
  longer.release();
  const unsigned warps = gridDim.x * static_cast<unsigned>(warps_of_block());
#pragma unroll 1
  for (unsigned k = blockIdx.x * static_cast<unsigned>(warps_of_block()) +
                    static_cast<unsigned>(warp_of_block());
       k < count; k += warps)
    join_chunks(problem, longer, k);
}

}  // namespace tandem::cuda_impl
