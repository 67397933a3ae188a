// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>

/// Products of floats as sums of products of bf16: matmul_precision::bf16x6 and bf16x9.
///
/// x = x1 + x2 + x3 with x1 = bf16(x), x2 = bf16(x - x1), x3 = bf16(x - x1 - x2), exact but where
/// a part is denormal. The tensor cores add up products in fp32 with truncation, so no sum of
/// theirs may be long: the sum of split_k terms is added to the element's total, rounded to
/// nearest. Within a sum the smallest products come first. The totals of chunks of split_chunk
/// terms are added up in ascending order. So the order depends on k alone.
namespace tandem::cuda_impl {

inline constexpr int split_parts = 3;
inline constexpr int split_k = 32;        ///< terms of a stage, and of one sum of the tensor cores
inline constexpr int split_chunk = 2048;  ///< terms of a chunk
inline constexpr int split_chunk_blocks = split_chunk / split_k;
inline constexpr int split_tile = 128;   ///< rows and columns of a block's tile of c
inline constexpr int split_cluster = 2;  ///< blocks, one below the other, that share a tile of b
/// 4 x 48 KiB of the 227 KiB that a block of sm_90 may have.
inline constexpr int split_stages = 4;
inline constexpr int split_warpgroups = 2;
inline constexpr int split_sums = 64;  ///< elements of the tile that a thread has
inline constexpr int split_threads = 128 * (split_warpgroups + 1);  ///< one more brings the stages

/// How the parts of an operand lie in memory and in shared memory. For each block of split_k terms
/// there are groups of 8 rows (of a; columns of b); of a group there is part after part, 8 rows of
/// 64 bytes each, their 16-byte pieces swizzled as wgmma's 64-byte mode has it. So any groups of a
/// block are one piece of memory, which a bulk copy brings as it is.
inline constexpr int split_group = 8;
inline constexpr int split_part_bytes = split_group * split_k * 2;
inline constexpr int split_group_bytes = split_parts * split_part_bytes;
inline constexpr int split_operand_bytes = split_tile / split_group * split_group_bytes;
inline constexpr int split_stage_bytes = 2 * split_operand_bytes;
inline constexpr int split_shared_bytes = split_stages * (split_stage_bytes + 2 * 8);

/// An operand and where its parts go: groups of all blocks of k, for each of `matrices` matrices.
struct split_operand {
  matmul_operand<float> source;
  index_t outer = 0;     ///< rows of a, columns of b
  index_t groups = 0;    ///< of one block: whole tiles, the rest is zero
  index_t matrices = 1;  ///< 1 when the operand is broadcast over the batch
  bool wide = false;     ///< whether 16 bytes can be read along k
  unsigned char* parts = nullptr;

  __host__ __device__ index_t block_bytes() const { return groups * split_group_bytes; }
};

/// What the kernels are given: of `problem` they use the operands, extents, c and finish.
struct split_arguments {
  matmul_arguments<float> problem;
  split_operand a;
  split_operand b;
  float* totals = nullptr;  ///< of the chunks so far, a tile for each block of the grid
  int blocks = 0;           ///< of k
  int tiles_m = 0;          ///< pairs of tiles, one for each block of a cluster
  int tiles_n = 0;
  int tiles = 0;  ///< pairs of the whole batch
};

}  // namespace tandem::cuda_impl
