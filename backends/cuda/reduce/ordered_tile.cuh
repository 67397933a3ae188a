// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/reduce/lane_tile.cuh>
#include <tandem/backends/cuda/reduce/policy.hpp>
#include <tandem/core/contract/reduction_shape.hpp>

namespace tandem::cuda_impl {

/// A tile (kernel.cuh) of the ordered shape: one segment of contiguous terms, which one thread
/// folds from the left. The tree above segments is the tree above tiles.
template <class Load, class R>
struct ordered_tile {
  using accumulator = typename R::accumulator;
  static constexpr int team = 1;
  static constexpr int block = select_ordered_block(sizeof(accumulator));
  static constexpr int min_blocks_per_sm = 512 / block;  // 128 registers: no spills
  static constexpr work_item_policy items = ordered_items;
  static constexpr index_t elements = canonical::segment;
  static constexpr index_t item_elements = elements * warp_threads;
  static constexpr int max_values = block / warp_threads * items.max_items_per_warp;

  Load load;
  R reducer;

  __device__ int fold_items(int each, index_t n, accumulator* value) const {
    return fold_team_items(*this, each, n, value);
  }

  /// The lanes of a warp must call it with consecutive segments.
  __device__ accumulator fold(index_t segment, index_t n) const {
    if constexpr (sizeof(accumulator) <= max_transposed_bytes) {
      return fold_transposed((segment - lane_of_warp()) * elements, n);
    } else {
      return fold_direct(segment * elements, n);
    }
  }

 private:
  static constexpr int warp_elements = canonical::segment * warp_threads;
  // Accumulators of these sizes are read back 16 bytes at a time, `parts` times per segment.
  static constexpr bool wide =
      sizeof(accumulator) == 4 || sizeof(accumulator) == 8 || sizeof(accumulator) == 16;
  static constexpr int parts = canonical::segment * static_cast<int>(sizeof(accumulator)) / 16;
  static constexpr int part_terms = wide ? canonical::segment / parts : 1;
  // Odd if there are no parts, so that lanes reading their segments have no bank conflicts.
  static constexpr int pitch = canonical::segment + (wide ? 0 : 1);

  /// 16 bytes of a segment.
  struct part {
    values<accumulator, part_terms> term;
  };

  /// Position of part p of segment s. It is permuted so that 8 lanes have no bank conflicts when
  /// they access the same part of 8 adjacent segments, or 8 adjacent parts.
  __device__ static int place_of_part(int s, int p) {
    const int turn = parts == 4 ? s / 2 % 4 : s % 8;
    return s * parts + (p ^ turn);
  }

  /// Position of term e of the warp.
  __device__ static int place_of_term(int e) {
    const int s = e / canonical::segment;
    if constexpr (!wide) return e + s;
    const int i = e % canonical::segment;
    return place_of_part(s, i / part_terms) * part_terms + i % part_terms;
  }

  /// Adjacent lanes load adjacent terms, all in flight together, and read back their segments from
  /// shared memory.
  __device__ accumulator fold_transposed(index_t begin, index_t n) const {
    __shared__ alignas(16) raw_array<accumulator, block * pitch> staging;
    accumulator* const mine = &staging[warp_of_block() * warp_threads * pitch];
    values<accumulator, canonical::segment> term;
    if (begin + warp_elements <= n) {
#pragma unroll
      for (int j = 0; j < canonical::segment; ++j)
        term[j] = load(begin + j * warp_threads + lane_of_warp());
    } else {
#pragma unroll
      for (int j = 0; j < canonical::segment; ++j) {
        const index_t i = begin + j * warp_threads + lane_of_warp();
        term[j] = i < n ? load(i) : reducer.identity();
      }
    }
    __syncwarp();  // other lanes may still be reading the previous segments
#pragma unroll
    for (int j = 0; j < canonical::segment; ++j)
      mine[place_of_term(j * warp_threads + lane_of_warp())] = term[j];
    __syncwarp();
    return fold_segment(mine);
  }

  /// Folds the lane's segment of the warp's terms from the left.
  __device__ accumulator fold_segment(const accumulator* terms) const {
    if constexpr (wide) {
      const uint4* const words = reinterpret_cast<const uint4*>(terms);
      accumulator value = reducer.identity();
#pragma unroll
      for (int p = 0; p < parts; ++p) {
        const part own = __builtin_bit_cast(part, words[place_of_part(lane_of_warp(), p)]);
#pragma unroll
        for (int i = 0; i < part_terms; ++i)
          value = p + i == 0 ? own.term[0] : reducer.combine(value, own.term[i]);
      }
      return value;
    } else {
      accumulator value = terms[lane_of_warp() * pitch];
#pragma unroll
      for (int j = 1; j < canonical::segment; ++j)
        value = reducer.combine(value, terms[lane_of_warp() * pitch + j]);
      return value;
    }
  }

  /// Loads each term immediately before it is combined.
  __device__ accumulator fold_direct(index_t begin, index_t n) const {
    accumulator value = begin < n ? load(begin) : reducer.identity();
#pragma unroll 1
    for (int j = 1; j < canonical::segment && begin + j < n; ++j)
      value = reducer.combine(value, load(begin + j));
    return value;
  }
};

}  // namespace tandem::cuda_impl
