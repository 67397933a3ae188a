// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/cluster.cuh>
#include <tandem/backends/cuda/ptx/mbarrier.cuh>
#include <tandem/backends/cuda/ptx/tma.cuh>
#include <tandem/core/extents.hpp>

#include <cuda.h>

/// What Hopper's kernels share: tensor maps of their operands, the pipeline of stages between
/// copying and multiplying threads, and the order in which blocks process tiles of c.
namespace tandem::cuda_impl {

/// Threads per warpgroup, and rows of a tile that one warpgroup multiplies.
inline constexpr int warpgroup_threads = 128;
inline constexpr int warpgroup_rows = 64;

/// Bytes per row of a TMA tile in shared memory. The 128-byte swizzle permutes 16-byte pieces
/// within such rows.
inline constexpr int tma_row_bytes = 128;

/// A ring of stages in shared memory, and a thread's current stage. Each stage has a barrier that
/// completes when it is full and one that completes when it may be refilled. Producers start with
/// parity 1, so that they do not wait for empty stages in the first round.
template <int Stages, int StageBytes, int BarriersOffset = Stages* StageBytes>
struct tma_pipeline {
  static constexpr int stages = Stages;
  static constexpr int stage_bytes = StageBytes;
  static constexpr int bytes = BarriersOffset + 2 * Stages * 8;  ///< including the barriers

  std::uint32_t base;  ///< in the shared window
  int stage = 0;
  std::uint32_t parity = 0;

  __device__ __forceinline__ std::uint32_t address() const { return base + stage * StageBytes; }
  __device__ __forceinline__ std::uint32_t full() const { return full(stage); }
  __device__ __forceinline__ std::uint32_t empty() const { return empty(stage); }
  __device__ __forceinline__ std::uint32_t full(int which) const {
    return base + BarriersOffset + 8 * which;
  }
  __device__ __forceinline__ std::uint32_t empty(int which) const {
    return full(which) + 8 * Stages;
  }
  __device__ __forceinline__ void advance() {
    if (++stage < Stages) return;
    stage = 0;
    parity ^= 1;
  }
  /// Skips `count` stages, which other warpgroups process.
  __device__ __forceinline__ void skip(int count) {
    stage += count;
    parity ^= stage / Stages % 2;
    stage %= Stages;
  }
  /// Initialises the barriers. Called by one thread, before a __syncthreads.
  __device__ __forceinline__ void init_barriers(int full_arrivals, int empty_arrivals) const {
    for (int s = 0; s < Stages; ++s) {
      ptx::barrier_init(full(s), full_arrivals);
      ptx::barrier_init(empty(s), empty_arrivals);
    }
    ptx::fence_barrier_init();
  }
};

/// Synchronises the blocks of the cluster.
__device__ __forceinline__ void sync_cluster() {
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

/// Signals to every block of the cluster that this warp no longer reads a stage.
template <class Pipeline>
__device__ __forceinline__ void release_stage(const Pipeline& pipeline, int stage, int cluster) {
  const int lane = threadIdx.x % 32;
  if (lane < cluster) ptx::barrier_arrive_remote(pipeline.empty(stage), lane);
}

/// A tile's position in a plane of `rows` x `columns` tiles.
struct tile_place {
  int row;
  int column;
};

/// Returns the position of tile `index`, numbered along groups of `group` rows, so that
/// concurrently processed tiles share rows of a and columns of b in L2.
__device__ __forceinline__ tile_place place_in_group(int index, int rows, int columns, int group) {
  const int group_tiles = group * columns;
  const int number = index / group_tiles;
  const int first = number * group;
  const int height = rows - first < group ? rows - first : group;
  const int rest = index - number * group_tiles;
  return {first + rest % height, rest / height};
}

/// Describes `planes` matrices of `outer` runs of `inner` contiguous elements. TMA copies them in
/// tiles of tile_inner x tile_outer elements; the swizzle spans a whole row of 128 or 64 bytes.
/// Strides are in bytes.
struct tensor_map {
  CUtensorMapDataType type;
  const void* data;
  index_t inner;
  index_t outer;
  index_t planes;
  index_t outer_stride;
  index_t plane_stride;
  int tile_inner;
  int tile_outer;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
};

/// Encodes a map in the form that kernels expect. Errors: device_error.
CUtensorMap encode(const tensor_map& map);

/// An operand or result as maps describe it: `planes` matrices of `outer` contiguous runs of
/// `inner` elements. Strides are in elements.
struct tensor_matrix {
  const void* data = nullptr;
  index_t inner = 0;
  index_t outer = 0;
  index_t planes = 1;
  index_t outer_stride = 0;
  index_t plane_stride = 0;
};

/// Describes an operand of `outer` rows of a (columns of b) by k terms. It is contiguous along k if
/// `k_major`, otherwise along the outer index.
template <class Operand>
tensor_matrix matrix_of(const Operand& x, bool k_major, index_t outer, index_t k, index_t planes) {
  return {.data = x.data,
          .inner = k_major ? k : outer,
          .outer = k_major ? outer : k,
          .planes = planes,
          .outer_stride = k_major ? x.outer_stride : x.k_stride,
          .plane_stride = x.batch_stride};
}

/// Returns the map of a matrix with elements of `bytes` bytes. Its tiles have `tile_outer` rows of
/// at most `tile_inner` elements and at most 128 bytes; a row has 64 bytes if `tile_inner` elements
/// take no more.
CUtensorMap map_matrix(const tensor_matrix& m, CUtensorMapDataType type, int bytes, int tile_inner,
                       int tile_outer);

}  // namespace tandem::cuda_impl
