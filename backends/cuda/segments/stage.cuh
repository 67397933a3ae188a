// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/segments/policy.hpp>
#include <tandem/backends/cuda/segments/tile.cuh>
#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/contract/segmented_problem.hpp>
#include <tandem/core/math.hpp>

/// Reductions of a warp's short segments through shared memory. Terms of adjacent segments are
/// adjacent, so the warp loads them as one contiguous range with many loads in flight, regardless
/// of where segments begin. Then each lane folds one segment, and the whole warp folds segments of
/// many rows.
namespace tandem::cuda_impl {

/// Whether short segments go through shared memory. This requires the commutative shape and
/// accumulators that are not too large.
template <class R>
inline constexpr bool stages_segments =
    R::commutative && select_segment_load(sizeof(typename R::accumulator)).longest > 0;

/// Terms that a warp stages at a time; 0 if segments do not go through shared memory.
template <class R>
inline constexpr int stage_capacity =
    stages_segments<R> ? select_segment_load(sizeof(typename R::accumulator)).staged : 0;

/// Accumulators in a warp's part of shared memory. One slot of padding follows every 128 bytes or
/// fewer, so that lanes whose segments are a power of two apart access different banks.
template <class T>
struct staged_terms {
  static constexpr unsigned line = sizeof(T) <= 4 ? 32 : sizeof(T) <= 8 ? 16 : 8;

  T* stage;

  static __device__ __host__ constexpr int place(int i) {
    return i + static_cast<int>(static_cast<unsigned>(i) / line);
  }
  __device__ T& at(int i) const { return stage[place(i)]; }
  __device__ T operator()(index_t i) const { return at(static_cast<int>(i)); }
  /// Returns the function object of the terms that follow term `begin`, for constant indices. Their
  /// addresses are constants relative to one of two byte offsets.
  __device__ auto from(int begin) const {
    const unsigned first = static_cast<unsigned>(begin) % line;
    const auto nearby = static_cast<unsigned>(place(begin) * static_cast<int>(sizeof(T)));
    const unsigned distant = ptx::optimization_barrier(nearby + static_cast<unsigned>(sizeof(T)));
    return [first, nearby, distant, bytes = reinterpret_cast<const unsigned char*>(stage)](int i) {
      const unsigned own = static_cast<unsigned>(i);
      const unsigned row = first + own % line >= line ? distant : nearby;
      return *reinterpret_cast<const T*>(bytes + row + (own + own / line) * sizeof(T));
    };
  }
};

/// The stage of one warp and the operations on it.
template <class Load, class R, int Block>
class segment_stage {
 public:
  using accumulator = typename R::accumulator;
  static constexpr segment_load_policy policy = select_segment_load(sizeof(accumulator));

  /// Whether a segment of `terms` terms goes through the stage.
  static __device__ bool takes(index_t terms) { return terms > 0 && terms <= policy.longest; }

  __device__ segment_stage(const Load& load, const R& reducer)
      : own_(make_stage()), load_(load), reducer_(reducer) {}

  /// Folds the lanes' segments that are `taken`, and calls store(lane, value) in one lane for each.
  /// Segments separated by other segments are not staged together. All lanes must call it.
  template <class Store>
  __device__ __forceinline__ void fold(const segment_range& terms, bool taken,
                                       const Store& store) const {
    const unsigned others = __ballot_sync(whole_warp, !taken && terms.size() > 0);
    unsigned left = __ballot_sync(whole_warp, taken);
#pragma unroll 1
    while (left != 0) {
      const int head = __ffs(static_cast<int>(left)) - 1;
      const index_t head_begin = warp_shuffle(terms.begin, head);
      const index_t base = head_begin - head_begin % segment_line<Load>;
      const unsigned behind = others >> head;  // the bit of the head itself is clear
      const int end = behind == 0 ? warp_threads : head + __ffs(static_cast<int>(behind)) - 1;
      const bool fits = (left >> lane_of_warp() & 1) != 0 && lane_of_warp() < end &&
                        terms.begin >= head_begin && terms.end - base <= policy.staged;
      const int tail = 31 - __clz(static_cast<int>(__ballot_sync(whole_warp, fits)));
      const index_t last = warp_shuffle(terms.end, tail);
      const bool now = fits && terms.end <= last;  // all that fit, unless segments overlap
      left &= ~__ballot_sync(whole_warp, now);
      load_terms(base, static_cast<int>(head_begin - base), static_cast<int>(last - base));
      fold_staged(static_cast<int>(terms.begin - base), now ? static_cast<int>(terms.size()) : 0,
                  store);
    }
  }

 private:
  /// Terms that a lane holds in registers, and the most that it folds alone: two rows if it holds a
  /// whole one.
  static constexpr int places =
      tandem::min(canonical::lanes<R>, sizeof(accumulator) <= 8 ? warp_threads : warp_threads / 2);
  static constexpr int alone = canonical::lanes<R> == places ? 2 * places : places;

  static __device__ staged_terms<accumulator> make_stage() {
    // fold_alone() reads past the last term.
    constexpr int pitch = staged_terms<accumulator>::place(policy.staged + alone);
    __shared__ alignas(16) raw_array<accumulator, pitch*(Block / warp_threads)> stages;
    return {&stages[warp_of_block() * pitch]};
  }

  /// Stages terms `skipped` to count - 1, counted from `base`, in batches. The last batches may be
  /// short.
  __device__ __forceinline__ void load_terms(index_t base, int skipped, int count) const {
    constexpr int short_batch = tandem::min(policy.batch, 4);
    static_assert(policy.staged % (policy.batch * warp_threads) == 0);
    static_assert(policy.longest + segment_line<Load> - 1 <= policy.staged);
    __syncwarp();  // other lanes may still be reading the previous terms
    const auto terms = terms_from(load_, base);
    int first = 0;
#pragma unroll 1
    for (; count - first > short_batch * warp_threads; first += policy.batch * warp_threads)
      load_batch<policy.batch>(terms, first, skipped, count);
    if (first < count) load_batch<short_batch>(terms, first, skipped, count);
    __syncwarp();
  }

  /// Stages a batch of `terms`, starting at term `first` of `count`. The batch is loaded in full
  /// and repeats the first or last term to fill it: predicated loads would wait for one another.
  template <int Batch, class Terms>
  __device__ __forceinline__ void load_batch(const Terms& terms, int first, int skipped,
                                             int count) const {
    constexpr int apart = staged_terms<accumulator>::place(warp_threads);
    const int own = first + lane_of_warp();
    accumulator* const to = &own_.at(own);
    values<accumulator, Batch> term;
    load_each(terms, term, [&](int k) {
      const int number = k == 0 ? tandem::max(own, skipped) : own + k * warp_threads;
      return tandem::min(number, count - 1);
    });
#pragma unroll
    for (int k = 0; k < Batch; ++k) to[k * apart] = term[k];
  }

  /// Folds the lane's segment of `count` staged terms, starting at `begin`; a count of 0 folds
  /// none. The longest segment decides how many terms every lane inspects.
  template <class Store>
  __device__ __forceinline__ void fold_staged(int begin, int count, const Store& store) const {
    const bool is_own = count > 0 && count <= alone;
    const int own = is_own ? count : 0;
    const int own_begin = is_own ? begin : 0;
    accumulator value;
    if (alone > places && __any_sync(whole_warp, own > places)) {
      value = fold_alone<places, alone / places>(own_begin, own);
    } else if (__any_sync(whole_warp, own > few_terms)) {
      value = fold_alone<places, 1>(own_begin, own);
    } else {
      value = fold_alone<few_terms, 1>(own_begin, own);
    }
    if (is_own) store(lane_of_warp(), value);
#pragma unroll 1
    for (unsigned left = __ballot_sync(whole_warp, count > alone); left != 0; left &= left - 1) {
      const int lane = __ffs(static_cast<int>(left)) - 1;
      const accumulator by_warp =
          fold_by_warp(warp_shuffle(begin, lane), warp_shuffle(count, lane));
      if (lane_of_warp() == 0) store(lane, by_warp);
    }
  }

  /// One lane acts as the first `Lanes` lanes of a tile of `Rows` rows. The loads are
  /// unconditional, because predicated loads would wait for one another; values past the last term
  /// are not combined.
  template <int Lanes, int Rows>
  __device__ __forceinline__ accumulator fold_alone(int begin, int count) const {
    const auto at = own_.from(begin);
    values<accumulator, Lanes> lane;
#pragma unroll
    for (int l = 0; l < Lanes; ++l) {
      lane[l] = at(l);
      if constexpr (Rows == 2) {
        const accumulator second = at(Lanes + l);
        if (Lanes + l < count) lane[l] = reducer_.combine(lane[l], second);
      }
    }
#pragma unroll
    for (int h = Lanes / 2; h >= 1; h /= 2) {
#pragma unroll
      for (int l = 0; l < Lanes / 2; ++l) {  // a constant bound keeps `lane` in registers
        if (l < h && l + h < count) lane[l] = reducer_.combine(lane[l], lane[l + h]);
      }
    }
    return lane[0];
  }

  /// Folds a segment of at most one tile; the value is in lane 0.
  __device__ __forceinline__ accumulator fold_by_warp(int begin, int count) const {
    static_assert(policy.longest <= canonical::tile<R>);
    constexpr int rows = 4;  // keeps 4 loads of 30 cycles in flight
    using tile = segment_tile<shifted_load<staged_terms<accumulator>>, R, rows>;
    return tile{{own_, begin}, reducer_}.fold(lane_of_warp() / tile::team, count);
  }

  staged_terms<accumulator> own_;
  const Load& load_;
  const R& reducer_;
};

}  // namespace tandem::cuda_impl
