// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/hopper/pipeline.cuh>

/// Products of floats as sums of products of bf16: matmul_precision::bf16x6 and bf16x9.
///
/// x = x1 + x2 + x3 with x1 = bf16(x), x2 = bf16(x - x1), x3 = bf16(x - x1 - x2), exact but where
/// a component is denormal. The tensor cores add up products in fp32 with truncation, so no sum of
/// theirs may be long: the sum of bf16x_block_k terms is added to the element's total, rounded to
/// nearest. Within a sum the smallest products come first. The totals of chunks of bf16x_chunk
/// terms are added up in ascending order. So the order depends on k alone.
namespace tandem::cuda_impl {

inline constexpr int bf16x_components = 3;
inline constexpr int bf16x_block_k = 32;  ///< terms of a stage, and of one sum of the tensor cores
inline constexpr int bf16x_chunk = 2048;  ///< terms of a chunk
inline constexpr int bf16x_chunk_blocks = bf16x_chunk / bf16x_block_k;
inline constexpr int bf16x_tile = 128;   ///< rows and columns of a block's tile of c
inline constexpr int bf16x_cluster = 2;  ///< blocks, one below the other, that share a tile of b
inline constexpr int bf16x_stages = 4;   ///< 4 x 48 KiB of the 227 KiB that a block may have
inline constexpr int bf16x_warpgroups = 2;
inline constexpr int bf16x_sums = 64;  ///< elements of the tile that a thread has
inline constexpr int bf16x_threads = 128 * (bf16x_warpgroups + 1);  ///< one more loads the stages

/// How the components of an operand are arranged in memory and in shared memory. For each block of
/// bf16x_block_k terms there are groups of 8 rows (of a; columns of b); of a group there is
/// component after component, 8 rows of 64 bytes each, their 16-byte pieces swizzled as wgmma's
/// 64-byte mode has it. So any groups of a block are one piece of memory, which a bulk copy moves
/// as it is.
inline constexpr int bf16x_group = 8;
inline constexpr int bf16x_component_bytes = bf16x_group * bf16x_block_k * 2;
inline constexpr int bf16x_group_bytes = bf16x_components * bf16x_component_bytes;
inline constexpr int bf16x_operand_bytes = bf16x_tile / bf16x_group * bf16x_group_bytes;
inline constexpr int bf16x_stage_bytes = 2 * bf16x_operand_bytes;

/// An operand and where its components go: groups of all blocks of k, for each of `matrices`
/// matrices.
struct bf16x_operand {
  matmul_operand<float> source;
  index_t outer = 0;        ///< rows of a, columns of b
  index_t groups = 0;       ///< of one block: whole tiles, the rest is zero
  index_t matrices = 1;     ///< 1 when the operand is broadcast over the batch
  bool vectorized = false;  ///< whether 16 bytes can be read along k
  unsigned char* components = nullptr;

  __host__ __device__ index_t block_bytes() const { return groups * bf16x_group_bytes; }
};

/// The kernels' arguments. Of `problem` they use the operands, extents, c and finish.
struct bf16x_arguments {
  matmul_arguments<float> problem;
  bf16x_operand a;
  bf16x_operand b;
  float* totals = nullptr;  ///< of the chunks so far, a tile for each block of the grid
  int blocks = 0;           ///< of k
  int tiles_m = 0;          ///< pairs of tiles, one for each block of a cluster
  int tiles_n = 0;
  int tiles = 0;  ///< pairs of the whole batch
};

/// The pipeline: a stage is a tile of a and, behind it, one of b.
struct bf16x_pipeline : tma_pipeline<bf16x_stages, bf16x_stage_bytes> {
  __device__ __forceinline__ std::uint32_t a() const { return address(); }
  __device__ __forceinline__ std::uint32_t b() const { return a() + bf16x_operand_bytes; }
};

/// A block's tile of c.
struct bf16x_position {
  int batch;
  int row;
  int column;
};

/// The tile of block `rank` of the cluster in pair `pair`. Pairs that are computed together share
/// rows of a and columns of b in L2.
__device__ __forceinline__ bf16x_position bf16x_position_of(const bf16x_arguments& p, int pair,
                                                            int rank) {
  constexpr int band = 8;
  const int matrix = p.tiles_m * p.tiles_n;
  const int batch = pair / matrix;
  const int inside = pair - batch * matrix;
  const int first = inside / (band * p.tiles_n) * band;
  const int height = p.tiles_m - first < band ? p.tiles_m - first : band;
  const int place = inside - first * p.tiles_n;
  return {batch, ((first + place % height) * bf16x_cluster + rank) * bf16x_tile,
          place / height * bf16x_tile};
}

/// The components of the first block of k of a tile's rows (columns).
__device__ __forceinline__ const unsigned char* first_components(const bf16x_operand& operand,
                                                                 int batch, int outer, int blocks) {
  const index_t matrix = operand.matrices == 1 ? 0 : batch;
  return operand.components + matrix * blocks * operand.block_bytes() +
         outer / bf16x_group * index_t{bf16x_group_bytes};
}

}  // namespace tandem::cuda_impl
