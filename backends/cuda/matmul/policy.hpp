// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/element_type.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

/// The tiles from which plans choose: those for float and double (batched/policy.hpp has those for
/// small products), and those for tensor cores along with how their kernels split k. Tuning as
/// data, tested on the host; kernels take it as template arguments.
namespace tandem::cuda_impl {

/// Elements of T that move as 16 bytes.
template <class T>
inline constexpr index_t vector_width = 16 / static_cast<index_t>(sizeof(T));

/// The order in which each thread of the SIMT engine multiplies its elements: by rows, by columns,
/// or in squares of 2 x 2, one pair of columns after the other.
enum class matmul_order : unsigned char { rows, columns, squares };

/// How a block of the FMA kernels partitions its work. Tuning as data, and their template argument.
///
/// A block computes m x n elements of c and loops over k in steps of `k` terms, which are copied to
/// shared memory `stages` - 1 steps ahead. Its warps form a warps_m x warps_n grid over the tile.
/// Without tensor cores, the lanes of a warp form a grid of lanes_m x (32 / lanes_m), and each
/// holds a rectangle of elements in registers.
struct matmul_tile {
  int m = 0;
  int n = 0;
  int k = 0;
  int warps_m = 0;
  int warps_n = 0;
  int lanes_m = 0;
  int k_step = 0;  ///< terms whose operands are loaded together; more terms hide more latency
  int stages = 0;
  int min_blocks_per_sm = 0;                ///< limits the registers per thread
  int pad = 0;                              ///< padding in elements between the terms of a stage
  matmul_order order = matmul_order::rows;  ///< with 16-byte copies; see simt_engine::multiply
  int copy_step = 0;  ///< step, of k_step terms, in which the next tile's copy is issued

  TANDEM_FUNCTION constexpr int threads() const { return 32 * warps_m * warps_n; }

  /// Pitch in elements between the terms of a (or b) in shared memory. With 4 elements of padding,
  /// the 8 terms x 4 rows that a warp writes when it transposes are in different banks. The tensor
  /// cores' operands are swizzled instead (fma/dmma.cuh).
  TANDEM_FUNCTION constexpr int a_pitch() const { return m + pad; }
  TANDEM_FUNCTION constexpr int b_pitch() const { return n + pad; }

  /// Elements of one stage in shared memory.
  TANDEM_FUNCTION constexpr int stage_elements() const { return k * (a_pitch() + b_pitch()); }

  /// Shared memory per block. If k has more than one chunk, the running totals follow the stages.
  constexpr std::size_t shared_bytes(std::size_t element_bytes, bool several_chunks) const {
    const int totals = several_chunks ? m * n : 0;
    return element_bytes * static_cast<std::size_t>(stages * stage_elements() + totals);
  }
};

/// Tiles for fp32, largest first. FFMA issues once per clock and partition, so the fraction of FFMA
/// among a loop's instructions limits what a tile can reach: 8 x 16 elements per thread need 6
/// 16-byte loads from shared memory for 128 FFMA. Small tiles are for few blocks, which wait for
/// memory rather than multiply: 12 stages keep most of k = 256 in flight at once.
// clang-format off
//                                         m    n   k  warps lanes_m k_step stages resident pad
inline constexpr matmul_tile f32_m128n256{128, 256,  8,  2, 4,    8,      1,     4,       1,  4,
                                          matmul_order::squares, 2};
inline constexpr matmul_tile f32_m128n128{128, 128,  8,  2, 2,    8,      1,     4,       2,  4};
inline constexpr matmul_tile f32_m64n128 { 64, 128,  8,  2, 2,    4,      1,     4,       3,  4,
                                          matmul_order::columns};
inline constexpr matmul_tile f32_m64n128w{ 64, 128,  8,  2, 4,    4,      1,     4,       2,  4};
inline constexpr matmul_tile f32_m128n64 {128,  64, 16,  4, 2,    4,      1,     3,       2,  4,
                                          matmul_order::squares};
inline constexpr matmul_tile f32_m16n64  { 16,  64, 16,  1, 2,    4,      1,     4,       6,  4};
inline constexpr matmul_tile f32_m16n32  { 16,  32, 16,  1, 2,    8,      4,    12,       8,  4};

/// Tiles for fp64, largest first. The first one fills the 227 KiB available to a block of sm_90,
/// including the running totals of several chunks.
inline constexpr matmul_tile f64_m128n128{128, 128, 16,  4, 2,    8,      1,     3,       1,  0};
inline constexpr matmul_tile f64_m64n128 { 64, 128, 16,  2, 4,    8,      1,     4,       1,  0};
inline constexpr matmul_tile f64_m128n64 {128,  64, 16,  2, 2,    8,      1,     4,       2,  0};
inline constexpr matmul_tile f64_m32n64  { 32,  64, 16,  2, 2,    4,      1,     3,       4,  0};
inline constexpr matmul_tile f64_m16n32  { 16,  32, 16,  1, 2,    4,      1,     6,       8,  0};

/// Tiles for fp64 that TMA loads (hopper/f64).
inline constexpr matmul_tile f64_tma_m128n64{128, 64, 16, 2, 2, 8,      1,     4,       2,  0};
inline constexpr matmul_tile f64_tma_m64n64 {64,  64, 16, 2, 2, 8,      1,     3,       4,  0};
// clang-format on

static_assert(f64_m128n128.shared_bytes(8, true) <= 232448,
              "tandem: 227 KiB is what a block of sm_90 may have");

/// The index along which adjacent lanes copy an operand: k, or the row of a (column of b).
enum class operand_major : unsigned char { k_major, mn_major };

/// The copy widths for which a tile has kernels: one element, 16 bytes, or both. 16-byte copies pay
/// off if each thread has many elements to multiply. `tma`: the kernels of hopper/f64.
enum class matmul_copies : unsigned char { scalar, both, vectorized, tma };

/// A tile that the plan may choose. `efficiency` is the fraction of the multiply-add peak that a
/// multiprocessor with 16 warps reaches in its main loop. `overhead` is the cost of filling the
/// stages and writing the tile, in terms. All are fitted to measured times of all candidates.
struct matmul_candidate {
  const char* name;
  matmul_tile tile;
  double efficiency;
  int overhead;
  matmul_copies copies;
};

inline constexpr matmul_candidate f32_candidates[] = {
    {"matmul f32 128x256", f32_m128n256, 0.89, 24, matmul_copies::both},
    {"matmul f32 128x128", f32_m128n128, 0.80, 24, matmul_copies::scalar},
    {"matmul f32 64x128", f32_m64n128, 0.76, 16, matmul_copies::both},
    {"matmul f32 64x128 by 8 warps", f32_m64n128w, 0.69, 16, matmul_copies::vectorized},
    {"matmul f32 128x64", f32_m128n64, 0.61, 16, matmul_copies::vectorized},
    {"matmul f32 16x64", f32_m16n64, 0.45, 16, matmul_copies::scalar},
    {"matmul f32 16x32", f32_m16n32, 0.30, 16, matmul_copies::both},
};
inline constexpr matmul_candidate f64_candidates[] = {
    {"matmul f64 128x128", f64_m128n128, 0.89, 40, matmul_copies::vectorized},
    {"matmul f64 64x128", f64_m64n128, 0.87, 40, matmul_copies::both},
    {"matmul f64 128x64", f64_m128n64, 0.84, 24, matmul_copies::vectorized},
    {"matmul f64 32x64", f64_m32n64, 0.68, 16, matmul_copies::both},
    {"matmul f64 16x32", f64_m16n32, 0.54, 16, matmul_copies::both},
    // Reaches with 8 warps what others reach with 16.
    {"matmul f64 128x64 by TMA", f64_tma_m128n64, 1.06, 36, matmul_copies::tma},
    {"matmul f64 64x64 by TMA", f64_tma_m64n64, 0.81, 20, matmul_copies::tma},
};

/// The candidates for elements of type T.
template <class T>
constexpr std::span<const matmul_candidate> matmul_candidates() {
  if constexpr (std::is_same_v<T, float>) {
    return f32_candidates;
  } else {
    return f64_candidates;
  }
}

/// The candidate with kernels that add chunks to the totals of earlier terms.
inline constexpr int continuing_candidate = 0;

/// The tile of a candidate, in the form that kernels take it: nvcc 13.0 cannot compile kernels with
/// a template argument of class type.
template <class T, int Candidate>
inline constexpr matmul_tile candidate_tile =
    std::is_same_v<T, float> ? f32_candidates[Candidate].tile : f64_candidates[Candidate].tile;

/// The element types that tensor cores multiply. They accumulate in float, or modulo 2^32 for 8-bit
/// integers.
enum class tensor_type : unsigned char { bf16, half, tf32, int8 };

/// The type as which tensor cores multiply elements of In. Defined only for the supported elements,
/// so that a new type cannot be mistaken for one of its size.
template <class In>
inline constexpr tensor_type tensor_type_of = []() -> tensor_type {
  if constexpr (std::is_same_v<In, bf16>) return tensor_type::bf16;
  if constexpr (std::is_same_v<In, half>) return tensor_type::half;
  if constexpr (std::is_same_v<In, float>) return tensor_type::tf32;
  if constexpr (tandem::detail::is_int8<In>) return tensor_type::int8;
}();

/// Terms per chunk of k on the tensor cores, after which the total is kept and the accumulator
/// restarts at 0: all of them up to matmul_tensor_chain, or up to matmul_chunk if the call splits
/// k; otherwise matmul_chunk, so that separate blocks can process the chunks. Depends only on k and
/// the call's option; the chunks' totals are added in ascending order in float. Within a chunk, the
/// instruction's rounding applies.
constexpr index_t tensor_chunk(index_t k, bool split_k) {
  return k <= (split_k ? matmul_chunk : matmul_tensor_chain) ? k : matmul_chunk;
}

/// Number of chunks of k; 1 if there is nothing to multiply.
constexpr index_t tensor_chunks(index_t k, bool split_k) {
  const index_t chunk = tensor_chunk(k, split_k);
  return k <= chunk ? 1 : (k + chunk - 1) / chunk;
}

/// A tile of the wgmma kernels that the plan may choose.
///
/// `block_clocks` is the time that a block of k (128 bytes of a row: 64 terms of 16 bits, 32 of
/// tf32) takes on an otherwise idle multiprocessor. `tile_clocks` is the time of a tile besides its
/// blocks of k. Both are fitted to measured times: a warpgroup's products wait for each other
/// however narrow they are, and for copies if the pipeline is short.
struct tensor_tile {
  const char* name;
  int warpgroups;  ///< 64 rows each
  int n;
  int cluster;            ///< maximum blocks that share tiles of an operand
  int min_blocks_per_sm;  ///< resident blocks per multiprocessor
  double block_clocks;
  double tile_clocks;
  bool pingpong = false;  ///< warpgroups alternate in multiplying whole tiles
  int element_bytes = 0;  ///< operand element size for which it is meant; 0: any

  constexpr int m() const { return 64 * warpgroups; }
  /// Whether tf32's kernel accepts an a that is not K-major, which goes through registers. Two
  /// blocks per multiprocessor or ping-pong warpgroups leave no registers for it.
  constexpr bool takes_a_in_registers() const {
    return !pingpong && (min_blocks_per_sm == 1 || warpgroups == 1);
  }
  /// Columns whose totals a warpgroup holds, 64 rows each.
  constexpr int held() const { return pingpong ? n * warpgroups : n; }
};

inline constexpr tensor_tile tensor_tiles[] = {
    {"wgmma 128x256", 2, 256, 2, 1, 1080, 5000},
    {"wgmma 128x128", 2, 128, 2, 1, 580, 3200},
    {"wgmma 128x128 ping-pong", 2, 128, 2, 1, 580, 1400, true, 4},
    {"wgmma 128x192 ping-pong", 2, 192, 2, 1, 780, 2820, true, 2},
    {"wgmma 128x64", 2, 64, 2, 1, 360, 2500},
    {"wgmma 128x64, two a multiprocessor", 2, 64, 1, 2, 670, 1000},
    {"wgmma 64x64, two a multiprocessor", 1, 64, 1, 2, 345, 2650},
    {"wgmma 64x32", 1, 32, 1, 1, 270, 3000},
};

/// The tile with kernels that add chunks to the totals of earlier terms, for 16-bit elements: the
/// largest one whose registers hold totals besides a chunk's sums.
inline constexpr int continuing_tensor_tile = 1;
static_assert(tensor_tiles[continuing_tensor_tile].held() == 128);

/// Rows of tiles per group. A group's tiles of c are processed concurrently, so that they find a
/// and b in L2.
inline constexpr int tensor_group = 16;

/// Rows of tiles per group if c has floats and L2 holds a and b anyway. Few rows, so that rows of c
/// are written whole.
inline constexpr int tensor_group_of_floats = 2;
inline constexpr double tensor_held_bytes = 16e6;  // a part of L2, which c passes through, too

/// Most tiles per launch; their indices have 32 bits.
inline constexpr index_t tensor_launch_tiles = index_t{1} << 30;

/// wgmma tiles for 8-bit integers, largest first; a block of k is 128 terms.
inline constexpr tensor_tile int8_hopper_tiles[] = {
    {"wgmma 128x256", 2, 256, 2, 1, 1080, 6300},
    {"wgmma 128x128", 2, 128, 1, 1, 620, 4000},
    {"wgmma 64x128", 1, 128, 1, 2, 400, 2800},
    {"wgmma 64x32", 1, 32, 1, 2, 330, 2300},
};

/// The wgmma tiles for a type, which plans index.
constexpr std::span<const tensor_tile> hopper_tiles(tensor_type type) {
  if (type == tensor_type::int8) return int8_hopper_tiles;
  return tensor_tiles;
}

/// How an operand is copied to shared memory.
enum class mma_access : unsigned char {
  k_major_vectorized,   ///< contiguous along k: 16 aligned bytes at a time
  mn_major_vectorized,  ///< contiguous along rows of a (columns of b): likewise, 16-bit types
  k_major,              ///< element by element, adjacent lanes along k
  mn_major              ///< element by element, adjacent lanes along rows of a (columns of b)
};

/// How a block of the mma kernels partitions its work: m x n elements of c, by a grid of warps_m x
/// warps_n warps, in steps of step_bytes of k that are copied `stages` - 1 steps ahead.
struct mma_tile {
  int m = 0;
  int n = 0;
  int warps_m = 0;
  int warps_n = 0;
  int stages = 0;
  int min_blocks_per_sm = 0;  ///< limits the registers per thread

  TANDEM_FUNCTION constexpr int threads() const { return 32 * warps_m * warps_n; }

  /// Bytes of one operand's step in shared memory: rows of step_bytes, or step_bytes / 2 terms of
  /// `outer` 16-bit elements each. 16 bytes of padding put the 8 rows that an ldmatrix reads
  /// together in different banks.
  TANDEM_FUNCTION static constexpr int operand_bytes(int outer) {
    const int rows = outer * terms_pitch;
    const int terms = step_bytes / 2 * outer_pitch(outer);
    return rows > terms ? rows : terms;
  }
  TANDEM_FUNCTION static constexpr int outer_pitch(int outer) { return 2 * outer + 16; }

  TANDEM_FUNCTION constexpr int stage_bytes() const { return operand_bytes(m) + operand_bytes(n); }

  /// Pitch in elements of the finished tile of 4-byte sums. 8 elements of padding put the 8-byte
  /// accesses of half a warp's fragments in different banks.
  TANDEM_FUNCTION constexpr int sum_pitch() const { return n + 8; }

  /// Shared memory per block: the stages, which the finished tile reuses.
  TANDEM_FUNCTION constexpr std::size_t shared_bytes() const {
    const int copies = stages * stage_bytes();
    const int sums = m * sum_pitch() * 4;
    return static_cast<std::size_t>(copies > sums ? copies : sums);
  }

  static constexpr int step_bytes = 64;                ///< of k per step: 32 terms of 16 bits
  static constexpr int terms_pitch = step_bytes + 16;  ///< bytes between rows
};

/// Tiles, largest first. In the first one, a warp holds 64 x 64 elements in 128 registers per lane;
/// with fewer, shared memory reads would be the bottleneck. The last one, which only 16-bit floats
/// have, gives a small c blocks for most multiprocessors, and its stages hold 320 terms.
inline constexpr mma_tile mma_tiles[] = {
    {.m = 128, .n = 128, .warps_m = 2, .warps_n = 2, .stages = 4, .min_blocks_per_sm = 2},
    {.m = 64, .n = 64, .warps_m = 2, .warps_n = 2, .stages = 4, .min_blocks_per_sm = 4},
    {.m = 32, .n = 32, .warps_m = 2, .warps_n = 2, .stages = 10, .min_blocks_per_sm = 4},
};

}  // namespace tandem::cuda_impl
