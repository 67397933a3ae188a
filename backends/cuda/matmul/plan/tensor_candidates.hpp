// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>

#include <cstddef>
#include <cstdint>

/// The tiles among which a plan chooses on tensor cores, and how their kernels divide k. Plain C++,
/// tested on the host.
namespace tandem::cuda_impl {

/// What tensor cores multiply; they add up in float, 8-bit integers modulo 2^32.
enum class tensor_type : unsigned char { bf16, half, tf32, int8 };

/// Most terms that tensor cores add up for an element before the total is kept and the next one
/// begins at 0.
inline constexpr index_t tensor_chain = 16384;

/// Terms of one chunk of k on the tensor cores: all of them up to tensor_chain, else 1024, so that
/// blocks of their own can take them. A function of k alone; the chunks' totals are added in
/// ascending order in float. Within a chunk the instruction's own rounding holds.
constexpr index_t tensor_chunk(index_t k) { return k <= tensor_chain ? k : 1024; }

/// Number of chunks of k: 1 where there is nothing to multiply.
constexpr index_t tensor_chunks(index_t k) {
  return k <= tensor_chain ? 1 : (k + tensor_chunk(k) - 1) / tensor_chunk(k);
}

/// A tile that the plan may choose, of the wgmma kernels.
///
/// `block_clocks` is what a block of k (128 bytes of a row: 64 terms of 16 bits, 32 of tf32) takes
/// a multiprocessor that does nothing else, `tile_clocks` what a tile takes beside its blocks of k.
/// Both are fitted to measured times: a warpgroup's products wait for each other however narrow
/// they are, and for copies where the pipeline is short.
struct tensor_tile {
  const char* name;
  int warpgroups;  ///< of 64 rows each
  int n;
  int cluster;            ///< most blocks that share tiles of an operand
  int min_blocks_per_sm;  ///< blocks that a multiprocessor holds
  double block_clocks;
  double tile_clocks;
  bool pingpong = false;  ///< warpgroups multiply whole tiles by turns
  int element_bytes = 0;  ///< of the operands that it is for, 0: any

  constexpr int m() const { return 64 * warpgroups; }
  /// Whether tf32's kernel takes an a that is not K-major, by way of registers: two blocks per
  /// multiprocessor or ping-pong warpgroups have none left for it.
  constexpr bool takes_a_in_registers() const {
    return !pingpong && (min_blocks_per_sm == 1 || warpgroups == 1);
  }
  /// Columns whose totals, of 64 rows each, a warpgroup holds.
  constexpr int held() const { return pingpong ? n * warpgroups : n; }
};

inline constexpr tensor_tile tensor_tiles[] = {
    {"wgmma 128x256", 2, 256, 2, 1, 1080, 5000},
    {"wgmma 128x128", 2, 128, 2, 1, 580, 3200},
    {"wgmma 128x128 ping-pong", 2, 128, 2, 1, 580, 1400, true, 4},
    {"wgmma 128x192 ping-pong", 2, 192, 2, 1, 780, 2820, true, 2},
    {"wgmma 128x64", 2, 64, 2, 1, 360, 2500},
    {"wgmma 128x64, two a multiprocessor", 2, 64, 1, 2, 670, 1000},
    {"wgmma 64x64, two a multiprocessor", 1, 64, 1, 2, 400, 1500},
    {"wgmma 64x32", 1, 32, 1, 1, 270, 3000},
};

/// Rows of tiles that make a group: its tiles of c are at work together, so that they find a and b
/// in L2.
inline constexpr int tensor_group = 16;

/// Rows of tiles of a group where c has floats and L2 holds a and b anyway: few, so that rows of c
/// are written whole.
inline constexpr int tensor_group_of_floats = 2;
inline constexpr double tensor_held_bytes = 16e6;  // a part of L2, which c passes through too

/// Most tiles of one launch, whose numbers have 32 bits.
inline constexpr index_t tensor_launch_tiles = index_t{1} << 30;

/// Tiles of wgmma for 8-bit integers, largest first; a block of k is 128 terms.
inline constexpr tensor_tile int8_hopper_tiles[] = {
    {"wgmma 128x256", 2, 256, 2, 1, 1080, 6300},
    {"wgmma 128x128", 2, 128, 1, 1, 620, 4000},
    {"wgmma 64x128", 1, 128, 1, 2, 400, 2800},
    {"wgmma 64x32", 1, 32, 1, 2, 330, 2300},
};

/// How an operand is copied to shared memory.
enum class mma_access : unsigned char {
  k_major_vectorized,   ///< terms of k are contiguous: 16 aligned bytes at a time
  mn_major_vectorized,  ///< rows of a (columns of b) are: 16 aligned bytes at a time; 16-bit types
  k_major,              ///< element by element, neighbouring lanes along k
  mn_major              ///< element by element, neighbouring lanes along rows of a (columns of b)
};

/// How a block of the mma kernels cuts its work: m x n elements of c, by a grid of warps_m x
/// warps_n warps, in steps of step_bytes of k that are copied `stages` - 1 steps ahead.
struct mma_tile {
  int m = 0;
  int n = 0;
  int warps_m = 0;
  int warps_n = 0;
  int stages = 0;
  int min_blocks_per_sm = 0;  ///< bounds the registers per thread

  TANDEM_FUNCTION constexpr int threads() const { return 32 * warps_m * warps_n; }

  /// Bytes of one operand's step in shared memory: rows of step_bytes, or as many terms of 16 bits
  /// each by `outer` of them. 16 bytes lie between, so that the 8 rows that an ldmatrix reads at a
  /// time are in different banks.
  TANDEM_FUNCTION static constexpr int operand_bytes(int outer) {
    const int rows = outer * terms_pitch;
    const int terms = step_bytes / 2 * outer_pitch(outer);
    return rows > terms ? rows : terms;
  }
  TANDEM_FUNCTION static constexpr int outer_pitch(int outer) { return 2 * outer + 16; }

  TANDEM_FUNCTION constexpr int stage_bytes() const { return operand_bytes(m) + operand_bytes(n); }

  /// Elements from one row to the next of the finished tile, of 4-byte sums: 8 more than it has, so
  /// that the 8 bytes of half a warp's fragments are in different banks.
  TANDEM_FUNCTION constexpr int sum_pitch() const { return n + 8; }

  /// Shared memory of a block: the stages, in which the finished tile has room too.
  TANDEM_FUNCTION constexpr std::size_t shared_bytes() const {
    const int copies = stages * stage_bytes();
    const int sums = m * sum_pitch() * 4;
    return static_cast<std::size_t>(copies > sums ? copies : sums);
  }

  static constexpr int step_bytes = 64;                ///< of k in one step: 32 terms of 16 bits
  static constexpr int terms_pitch = step_bytes + 16;  ///< bytes from row to row
};

/// Tiles, largest first. A warp of the first holds 64 x 64 elements, 128 registers per lane: less
/// would be bound by reading shared memory.
inline constexpr mma_tile mma_tiles[] = {
    {.m = 128, .n = 128, .warps_m = 2, .warps_n = 2, .stages = 4, .min_blocks_per_sm = 2},
    {.m = 64, .n = 64, .warps_m = 2, .warps_n = 2, .stages = 4, .min_blocks_per_sm = 4},
};

}  // namespace tandem::cuda_impl
