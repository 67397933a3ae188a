// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/scan/policy.hpp>
#include <tandem/backends/cuda/scan/prefix_tree.cuh>
#include <tandem/backends/cuda/scan/tile_rows.cuh>
#include <tandem/backends/cuda/scan/tile_steps.cuh>
#include <tandem/backends/cuda/scan/tile_tickets.cuh>
#include <tandem/core/contract/scan_problem.hpp>

/// What a scan of a part of a whole needs beside the kernels of an ordinary scan.
namespace tandem::cuda_impl {

/// Threads of scan_start_kernel: a warp per level.
inline constexpr int scan_start_block = canonical::scan_levels * warp_threads;

/// Publishes the nodes to the left of a part with the epoch of the next kernel, which scans it, and
/// makes that kernel's tickets begin with the part's first tile. One block.
template <class T>
__global__ void __launch_bounds__(scan_start_block)
    scan_start_kernel(const T* left, int first_tile, const __grid_constant__ prefix_tree<T> nodes,
                      const __grid_constant__ tile_tickets tickets) {
  ptx::grid_dependency_wait();
  const unsigned epoch = tickets.next_epoch();
  const int level = warp_of_block();
  if (level < nodes.levels()) nodes.warp_publish_left(first_tile, level, left, epoch);
  __syncthreads();  // all threads have read the epoch
  if (threadIdx.x == 0) {
    tickets.start_at(first_tile);
    tickets.clear_stale_cell(epoch);
  }
}

/// Whether the lanes that compute totals load their segments of up to 64 bytes from global memory.
/// That is faster than staging small elements, and slower for large ones.
template <class Load, class T>
inline constexpr bool loads_segments = copies_elements<Load, T> && sizeof(T) <= 4;

/// Loads 16 elements in 16-byte words; they are not read again soon.
template <class T>
__device__ void load_segment(const T* from, values<T, canonical::segment>& segment) {
  struct image {
    values<uint4, static_cast<int>(sizeof(T))> word;
  } bits;
  struct elements {
    values<T, canonical::segment> value;
  };
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(T)); ++i)
    bits.word[i] = __ldcs(reinterpret_cast<const uint4*>(from) + i);
  const elements loaded = __builtin_bit_cast(elements, bits);
#pragma unroll
  for (int i = 0; i < canonical::segment; ++i) segment[i] = loaded.value[i];
}

/// Combines the totals of a tile's rows. Called by one thread.
template <class T, class R>
__device__ T total_of_rows(scan_row_totals<T>& rows, const R& reducer) {
  T total = rows[0];
#pragma unroll
  for (int row = 1; row < canonical::tile_rows; ++row) total = reducer.combine(total, rows[row]);
  return total;
}

/// Computes the totals of tiles `first` to `first` + gridDim.x - 1, which are whole, of small
/// elements: a block per tile.
template <class Load, class T, class R>
__global__ void __launch_bounds__(scan_block, select_scan(sizeof(T)).tile_blocks_per_sm)
    scan_totals_kernel(const __grid_constant__ scan_problem<Load, T, R> problem, int first,
                       T* totals, const __grid_constant__ scan_mapping mapping) {
  ptx::grid_dependency_wait();
  extern __shared__ uint4 staging[];
  __shared__ scan_row_totals<T> row_total;
  const int tile = first + static_cast<int>(blockIdx.x);
  values<T, canonical::segment> segment;
  if (mapping.vectorized_loads) {
    load_segment(problem.load.data + row_begin(tile) + lane_of_warp() * canonical::segment,
                 segment);
  } else {
    const scan_rows<Load, T, R> rows(problem, mapping, staging);
    rows.prepare(0, tile);
    rows.template wait<0>();
    rows.read(0, tile, segment);
  }
  fold_row(segment, problem.reducer, row_total);
  __syncthreads();
  if (threadIdx.x == 0) totals[blockIdx.x] = total_of_rows<T>(row_total, problem.reducer);
}

/// Computes the totals of tiles `first` to `end` - 1, which are whole. A block takes every
/// gridDim.x-th of them and loads up to two ahead.
template <class Load, class T, class R>
__global__ void __launch_bounds__(scan_block, select_scan(sizeof(T)).tile_blocks_per_sm)
    scan_totals_pipeline_kernel(const __grid_constant__ scan_problem<Load, T, R> problem, int first,
                                int end, T* totals, const __grid_constant__ scan_mapping mapping) {
  ptx::grid_dependency_wait();
  extern __shared__ uint4 staging[];
  __shared__ scan_row_totals<T> row_total[2];
  const scan_rows<Load, T, R> rows(problem, mapping, staging);
  const int step = static_cast<int>(gridDim.x);
  const int ahead = mapping.stages - 1;
  int loaded = first + static_cast<int>(blockIdx.x);  // the tile that is loaded next
  int free = 0;                                       // the stage that it takes
  const auto load = [&] {
    if (loaded < end) {
      rows.prepare(free, loaded);
    } else {
      ptx::copy_async_commit();
    }
    loaded = end - loaded > step ? loaded + step : end;
    free = free < ahead ? free + 1 : 0;
  };
  for (int i = 0; i < ahead; ++i) load();
  int stage = 0;
  int turn = 0;
  for (int tile = first + static_cast<int>(blockIdx.x); tile < end;) {
    load();
    if (ahead == 2) {
      rows.template wait<2>();
    } else if (ahead == 1) {
      rows.template wait<1>();
    } else {
      rows.template wait<0>();
    }
    values<T, canonical::segment> segment;
    rows.read(stage, tile, segment);
    fold_row(segment, problem.reducer, row_total[turn]);
    __syncthreads();
    if (threadIdx.x == 0) totals[tile - first] = total_of_rows<T>(row_total[turn], problem.reducer);
    turn = 1 - turn;
    stage = stage < ahead ? stage + 1 : 0;
    tile = end - tile > step ? tile + step : end;
  }
}

}  // namespace tandem::cuda_impl
