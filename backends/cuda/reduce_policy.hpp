// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of reductions on a GPU, as data. Nothing here changes a result.
namespace tandem::cuda_impl {

/// How one kind of tile is mapped onto a block.
struct reduce_policy {
  int block;     ///< threads of a block
  int batch;     ///< loads that a thread starts before it combines the first
  int partials;  ///< partial results that a lane of the last block takes: 64 bytes, a power of two
};

/// Reductions through a function object, one term a load. 16 loads of 4 bytes on the 1280 threads
/// that fit a multiprocessor are 80 KB in flight; 21 KB cover the latency (4.3 TB/s x 650 ns /
/// 132). Larger accumulators: as many as leave the registers for the user's own function.
constexpr reduce_policy select_reduce(std::size_t accumulator_bytes) {
  if (accumulator_bytes <= 4) return {.block = 256, .batch = 16, .partials = 16};
  if (accumulator_bytes <= 8) return {.block = 256, .batch = 16, .partials = 8};
  if (accumulator_bytes <= 16) return {.block = 256, .batch = 8, .partials = 4};
  if (accumulator_bytes <= 32) return {.block = 256, .batch = 4, .partials = 2};
  return {.block = 256, .batch = 2, .partials = 1};
}

/// Rows of 16-byte loads that a thread has in flight where elements are contiguous and aligned: 64
/// registers.
inline constexpr int vector_batch = 16;

/// Blocks that a multiprocessor shall hold of them, or 0 for the compiler's choice. Left alone,
/// ptxas picks 40 registers and keeps 6 loads in flight: enough at six blocks, but a small input
/// then waits six times for memory. Told of three blocks, it starts 17 at once. Threads with more
/// than 8 registers of accumulators are left alone.
constexpr int vector_resident_blocks(std::size_t element_bytes, std::size_t accumulator_bytes) {
  const std::size_t registers = 16 / element_bytes * ((accumulator_bytes + 3) / 4);
  return registers <= 8 ? 3 : 0;
}

/// From this many blocks on, a team of lanes folds two tiles: half the partial results, and work to
/// overlap with the first tile's tree. 2048 blocks are 2^26 floats.
inline constexpr index_t pair_blocks = 2048;

/// Threads of a block of the ordered shape. A block turns strided loads into contiguous segments
/// through shared memory, 17 accumulators a thread: at most 34 KB of the 48 KB that need no opt-in.
constexpr int select_ordered_block(std::size_t accumulator_bytes) {
  return accumulator_bytes <= 8 ? 256 : 128;
}

/// Accumulators above this size are loaded in their order, without the detour through shared
/// memory.
inline constexpr std::size_t most_staged_bytes = 16;

}  // namespace tandem::cuda_impl
