// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/hopper/pipeline.cuh>

/// Products of floats as sums of products of bf16: matmul_precision::bf16x6 and bf16x9.
///
/// x = x1 + x2 + x3 with x1 = bf16(x), x2 = bf16(x - x1), x3 = bf16(x - x1 - x2). This is exact
/// unless a component is denormal. The tensor cores accumulate in fp32 with truncation, so their
/// sums must be short: after bf16x_block_k terms, the sum is added to the element's total, rounded
/// to nearest. Within a sum the smallest products come first. The totals of chunks of bf16x_chunk
/// terms are added in ascending order. So the order depends only on k.
namespace tandem::cuda_impl {

inline constexpr int bf16x_components = 3;
inline constexpr int bf16x_block_k = 32;  ///< terms per stage, and per tensor core sum
inline constexpr int bf16x_chunk = 2048;  ///< terms per chunk
inline constexpr int bf16x_chunk_blocks = bf16x_chunk / bf16x_block_k;
inline constexpr int bf16x_tile = 128;   ///< rows and columns of a block's tile of c
inline constexpr int bf16x_cluster = 2;  ///< blocks stacked in m that share a tile of b
inline constexpr int bf16x_stages = 4;   ///< 4 x 48 KiB of the 227 KiB that a block may have
inline constexpr int bf16x_warpgroups = 2;
inline constexpr int bf16x_sums = 64;  ///< elements of the tile per thread
inline constexpr int bf16x_threads = 128 * (bf16x_warpgroups + 1);  ///< + 1: the producer

/// Layout of an operand's components in global and shared memory. Each block of bf16x_block_k terms
/// consists of groups of 8 rows of a (columns of b). A group stores one component after another,
/// each 8 rows of 64 bytes, whose 16-byte pieces are swizzled as in wgmma's 64-byte mode. So any
/// consecutive groups of a block are contiguous, and a bulk copy moves them unchanged.
inline constexpr int bf16x_group = 8;
inline constexpr int bf16x_component_bytes = bf16x_group * bf16x_block_k * 2;
inline constexpr int bf16x_group_bytes = bf16x_components * bf16x_component_bytes;
inline constexpr int bf16x_operand_bytes = bf16x_tile / bf16x_group * bf16x_group_bytes;
inline constexpr int bf16x_stage_bytes = 2 * bf16x_operand_bytes;

/// An operand and the memory for its components: the groups of all blocks of k, for each of
/// `matrices` matrices.
struct bf16x_operand {
  matmul_operand<float> source;
  index_t outer = 0;        ///< rows of a, columns of b
  index_t groups = 0;       ///< per block: whole tiles, zero-padded
  index_t matrices = 1;     ///< 1 if the operand is broadcast over the batch
  bool vectorized = false;  ///< whether 16 bytes can be read along k
  unsigned char* components = nullptr;

  __host__ __device__ index_t block_bytes() const { return groups * bf16x_group_bytes; }
};

/// The kernels' arguments. From `problem` they use the operands, extents, c and finish.
struct bf16x_arguments {
  matmul_arguments<float> problem;
  bf16x_operand a;
  bf16x_operand b;
  float* totals = nullptr;  ///< of the chunks so far, one tile per block of the grid
  int blocks = 0;           ///< of k
  int tiles_m = 0;          ///< pairs of tiles, one tile per block of a cluster
  int tiles_n = 0;
  int tiles = 0;  ///< pairs in the whole batch
};

/// The pipeline. A stage holds a tile of a followed by one of b.
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

/// Returns the tile of block `rank` of the cluster in pair `pair`. Pairs computed concurrently
/// share rows of a and columns of b in L2.
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

/// Returns the components of a tile's rows (columns) in the first block of k.
__device__ __forceinline__ const unsigned char* first_components(const bf16x_operand& operand,
                                                                 int batch, int outer, int blocks) {
  const index_t matrix = operand.matrices == 1 ? 0 : batch;
  return operand.components + matrix * blocks * operand.block_bytes() +
         outer / bf16x_group * index_t{bf16x_group_bytes};
}

}  // namespace tandem::cuda_impl
