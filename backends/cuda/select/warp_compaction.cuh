// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/select/policy.hpp>
#include <tandem/core/contract/select_problem.hpp>
#include <tandem/core/reducers.hpp>

#include <cstdint>
#include <type_traits>

namespace tandem::cuda_impl {

/// A warp's packed elements, or their positions in the part if elements are large.
template <class T, int Size, bool WritesRuns>
struct compaction_stage {
  T element[Size];
};
/// All elements of the part and the packed positions. Reading kept elements from global memory
/// again would cost one sector each.
template <class T, int Size>
struct compaction_stage<T, Size, true> {
  alignas(16) T element[Size];
  std::uint16_t position[Size];
};

/// A warp's part of a selection's tile: `rows` rows of `items` adjacent elements per lane. Kept
/// elements are packed into the warp's stage in shared memory; for elements larger than 16 bytes,
/// their positions in the part are packed instead.
template <class T, class Keep>
class warp_compaction {
 public:
  /// Whether the indices of kept elements are requested.
  static constexpr bool writes_runs = std::is_same_v<Keep, keep_runs>;
  static constexpr select_policy policy = select_selection(sizeof(T), writes_runs);
  static constexpr int items = policy.items;
  static constexpr int row = warp_threads * items;
  static constexpr int size = row * policy.rows;  ///< elements per warp and tile
  using staged = std::conditional_t<policy.staged, T, int>;
  using stage_type = compaction_stage<staged, size, writes_runs>;

  __device__ warp_compaction(const select_problem<T, Keep>& problem, bool vectorized_loads)
      : problem_(problem), vectorized_loads_(vectorized_loads) {}

  /// Issues the loads of the part that starts at element `first`.
  __device__ void load(index_t first) {
    if constexpr (Keep::looks_back) {
      if (first > 0 && first < problem_.size) edge_ = element(first - 1);
    }
    if constexpr (policy.staged) {
      if (vectorized_loads_ && first + size <= problem_.size) {
        load_vectorized(first);
      } else {
        load_scalar(first);
      }
    }
  }

  /// Packs the kept elements of the loaded part into the stage and returns their number.
  __device__ int pack(stage_type& stage, index_t first, const Keep& keep) {
    const index_t left = problem_.size - first;
    if (left >= size) return pack_part<true>(stage, first, size, keep);
    return pack_part<false>(stage, first, left > 0 ? static_cast<int>(left) : 0, keep);
  }

  /// Writes `count` packed elements of the part at `first` to out[start], out[start + 1], ..
  __device__ void write(const stage_type& stage, index_t first, index_t start, int count) const {
    const index_t room = problem_.room - start;
    const int end = room < count ? static_cast<int>(room > 0 ? room : 0) : count;
    T* const out = problem_.out + start * problem_.out_stride;
    int i = lane_of_warp();
    if constexpr (writes_runs) {
      for (; i < count && i <= room; i += warp_threads) {
        const int position = stage.position[i];
        problem_.keep.begins[start + i] = first + position;
        if (i < end) out[i * problem_.out_stride] = resolved(stage, position, first);
      }
    } else {
      constexpr int together = 4;  // shared-memory loads issued before their stores
      for (; i + (together - 1) * warp_threads < end; i += together * warp_threads) {
        values<staged, together> taken;
#pragma unroll
        for (int k = 0; k < together; ++k) taken[k] = stage.element[i + k * warp_threads];
#pragma unroll
        for (int k = 0; k < together; ++k)
          out[(i + k * warp_threads) * problem_.out_stride] = resolved(taken[k], first);
      }
      for (; i < end; i += warp_threads)
        out[i * problem_.out_stride] = resolved(stage.element[i], first);
    }
  }

  /// Writes the total number of elements after the begins of `runs` runs. Called by one thread.
  __device__ void end_runs(index_t runs) const {
    if (runs <= problem_.room) problem_.keep.begins[runs] = problem_.size;
  }

 private:
  // The scan over the lanes packs the counts of several rows into one word; a field holds up to
  // `row`, the most elements that a row can keep.
  static constexpr int fields = row < 256 ? 4 : 2;
  static constexpr int field_bits = 32 / fields;
  static constexpr unsigned field_mask = (1u << field_bits) - 1;
  static_assert(row <= field_mask);

  __device__ T element(index_t i) const { return problem_.element(i); }

  __device__ T resolved(staged taken, index_t first) const {
    if constexpr (policy.staged) {
      return taken;
    } else {
      return element(first + taken);
    }
  }

  /// The element at the packed position of a run's begin.
  __device__ T resolved(const stage_type& stage, int position, index_t first) const {
    if constexpr (policy.staged) {
      return stage.element[position];
    } else {
      return element(first + position);
    }
  }

  __device__ void load_vectorized(index_t first) {
    const uint4* const from = reinterpret_cast<const uint4*>(problem_.x + first) + lane_of_warp();
#pragma unroll
    for (int r = 0; r < policy.rows; ++r) {
      const uint4 bits = __ldg(from + r * warp_threads);
      __builtin_memcpy(static_cast<void*>(value_[r]), &bits, sizeof(T) * items);
    }
  }

  __device__ void load_scalar(index_t first) {
#pragma unroll
    for (int r = 0; r < policy.rows; ++r) {
#pragma unroll
      for (int k = 0; k < items; ++k) {
        const index_t i = first + place(r, k);
        if (i < problem_.size) value_[r][k] = element(i);
      }
    }
  }

  /// The position in the part of this lane's item k of row r.
  __device__ static int place(int r, int k) { return r * row + lane_of_warp() * items + k; }

  /// The kept items of this lane in row r, as a bit mask. `keep` is called only for valid elements,
  /// because it may index memory by an element's value.
  template <bool Whole>
  __device__ unsigned kept_items(int r, index_t first, int left, const Keep& keep) {
    unsigned kept = 0;
    if constexpr (!policy.staged) {
      if (place(r, 0) < left) kept = problem_.keeps(first + place(r, 0)) ? 1 : 0;
    } else {
      const T before = before_row(r);
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (!Whole && place(r, k) >= left) break;
        const bool is_first = Keep::looks_back && first + place(r, k) == 0;
        const bool is_kept =
            is_first || keep(value_[r][k], k == 0 ? before : value_[r][k == 0 ? 0 : k - 1]);
        kept |= static_cast<unsigned>(is_kept) << k;
      }
    }
    return kept;
  }

  /// The element before this lane's first one in row r. Must be called for rows in ascending order.
  __device__ T before_row(int r) {
    if constexpr (Keep::looks_back) {
      const T last = warp_shuffle(value_[r][items - 1], (lane_of_warp() + 31) % warp_threads);
      const T before = lane_of_warp() == 0 ? edge_ : last;
      edge_ = last;  // in lane 0: the row's last element
      return before;
    } else {
      return value_[r][0];
    }
  }

  template <bool Whole>
  __device__ int pack_part(stage_type& stage, index_t first, int left, const Keep& keep) {
    if constexpr (writes_runs && policy.staged) stage_all(stage);
    int packed = 0;
#pragma unroll
    for (int from = 0; from < policy.rows; from += fields) {
      values<unsigned, fields> kept = {};
      unsigned counts = 0;
#pragma unroll
      for (int f = 0; f < fields && from + f < policy.rows; ++f) {
        kept[f] = kept_items<Whole>(from + f, first, left, keep);
        counts |= static_cast<unsigned>(__popc(kept[f])) << (f * field_bits);
      }
      const unsigned through = warp_inclusive_scan(counts, sum<unsigned>{});
      const unsigned all = warp_shuffle(through, warp_threads - 1);
#pragma unroll
      for (int f = 0; f < fields && from + f < policy.rows; ++f) {
        const int before = static_cast<int>((through - counts) >> (f * field_bits) & field_mask);
        stage_row(stage, packed + before, from + f, kept[f]);
        packed += static_cast<int>(all >> (f * field_bits) & field_mask);
      }
    }
    return packed;
  }

  __device__ void stage_all(stage_type& stage) const {
#pragma unroll
    for (int r = 0; r < policy.rows; ++r) {
      if constexpr (sizeof(T) * items == sizeof(uint4)) {
        uint4 word;
        __builtin_memcpy(&word, value_[r], sizeof word);
        *reinterpret_cast<uint4*>(&stage.element[place(r, 0)]) = word;
      } else {
#pragma unroll
        for (int k = 0; k < items; ++k) stage.element[place(r, k)] = value_[r][k];
      }
    }
  }

  /// Packs the kept items of row r into the stage, starting at position `at`.
  __device__ void stage_row(stage_type& stage, int at, int r, unsigned kept) {
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if ((kept >> k & 1) == 0) continue;
      if constexpr (writes_runs) {
        stage.position[at++] = static_cast<std::uint16_t>(place(r, k));
      } else if constexpr (policy.staged) {
        stage.element[at++] = value_[r][k];
      } else {
        stage.element[at++] = place(r, k);
      }
    }
  }

  const select_problem<T, Keep>& problem_;
  bool vectorized_loads_;
  values<values<T, policy.staged ? items : 1>, policy.staged ? policy.rows : 1> value_;
  T edge_{};  // the element before the part; valid in lane 0 only
};

}  // namespace tandem::cuda_impl
