// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/element_type.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

/// The tiles among which plans choose: of float and double (batched/policy.hpp has those of small
/// products), and of tensor cores with how their kernels divide k. Tuning as data, tested on the
/// host; kernels take it as template arguments.
namespace tandem::cuda_impl {

/// Elements of T that move as 16 bytes.
template <class T>
inline constexpr index_t vector_width = 16 / static_cast<index_t>(sizeof(T));

/// The order in which each thread of the SIMT engine multiplies its elements: by rows, by columns,
/// or in squares of 2 x 2, one pair of columns after the other.
enum class matmul_order : unsigned char { rows, columns, squares };

/// How a block of the FMA kernels cuts its work: tuning as data, and their template argument.
///
/// A block computes m x n elements of c and walks k in steps of `k` terms, which are copied to
/// shared memory `stages` - 1 steps ahead. Its warps form a warps_m x warps_n grid over the tile.
/// Without tensor cores the lanes of a warp form a grid of lanes_m x (32 / lanes_m), and each holds
/// a rectangle of elements in registers.
struct matmul_tile {
  int m = 0;
  int n = 0;
  int k = 0;
  int warps_m = 0;
  int warps_n = 0;
  int lanes_m = 0;
  int k_step = 0;  ///< terms whose operands are loaded together: more hide the loads' latency
  int stages = 0;
  int min_blocks_per_sm = 0;                ///< bounds the registers per thread
  int pad = 0;                              ///< elements between the terms of a stage
  matmul_order order = matmul_order::rows;  ///< with 16-byte copies, see simt_engine::multiply
  int copy_step = 0;  ///< step of a tile, of k_step terms, in which the copy of another one starts

  TANDEM_FUNCTION constexpr int threads() const { return 32 * warps_m * warps_n; }

  /// Elements from one term of a (or b) to the next in shared memory. With 4 more than the tile has
  /// the 8 terms x 4 rows that a warp writes when it transposes are in different banks. The tensor
  /// cores' operands are swizzled instead (fma/dmma.cuh).
  TANDEM_FUNCTION constexpr int a_pitch() const { return m + pad; }
  TANDEM_FUNCTION constexpr int b_pitch() const { return n + pad; }

  /// Elements of one stage in shared memory.
  TANDEM_FUNCTION constexpr int stage_elements() const { return k * (a_pitch() + b_pitch()); }

  /// Shared memory of a block. With more than one chunk of k the running totals have their place
  /// behind the stages.
  constexpr std::size_t shared_bytes(std::size_t element_bytes, bool several_chunks) const {
    const int totals = several_chunks ? m * n : 0;
    return element_bytes * static_cast<std::size_t>(stages * stage_elements() + totals);
  }
};

/// Tiles of fp32, largest first. FFMA is issued once per clock and partition, so the share of FFMA
/// among a loop's instructions is what a tile can reach: 8 x 16 elements per thread need 6 16-byte
/// loads from shared memory for 128 FFMA. Small tiles are for few blocks, which wait for memory
/// rather than multiply: 12 stages have most of k = 256 under way at once.
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

/// Tiles of fp64, largest first. The first fills the 227 KiB that a block of sm_90 may have when
/// the running totals of several chunks are kept there too.
inline constexpr matmul_tile f64_m128n128{128, 128, 16,  4, 2,    8,      1,     3,       1,  0};
inline constexpr matmul_tile f64_m64n128 { 64, 128, 16,  2, 4,    8,      1,     4,       1,  0};
inline constexpr matmul_tile f64_m128n64 {128,  64, 16,  2, 2,    8,      1,     4,       2,  0};
inline constexpr matmul_tile f64_m32n64  { 32,  64, 16,  2, 2,    4,      1,     3,       4,  0};
inline constexpr matmul_tile f64_m16n32  { 16,  32, 16,  1, 2,    4,      1,     6,       8,  0};

/// Tiles of fp64 that TMA loads (hopper/f64).
inline constexpr matmul_tile f64_tma_m128n64{128, 64, 16, 2, 2, 8,      1,     4,       2,  0};
inline constexpr matmul_tile f64_tma_m64n64 {64,  64, 16, 2, 2, 8,      1,     3,       4,  0};
// clang-format on

static_assert(f64_m128n128.shared_bytes(8, true) <= 232448,
              "tandem: 227 KiB is what a block of sm_90 may have");

/// The index along which neighbouring lanes copy an operand: k, or the row of a (column of b).
enum class operand_major : unsigned char { k_major, mn_major };

/// The copies for which a tile has kernels: of one element, of 16 bytes, or both. 16-byte copies
/// pay where each thread has many elements to multiply. `tma`: the kernels of hopper/f64.
enum class matmul_copies : unsigned char { scalar, both, vectorized, tma };

/// A tile that the plan may choose. `efficiency` is the share of the multiply-add peak that a
/// multiprocessor with 16 warps reaches in its main loop, `overhead` the terms that filling the
/// stages and writing the tile take as long as. All are fitted to measured times of all candidates.
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
    // Reaches with 8 warps what others do with 16.
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

/// The tile of a candidate, as kernels take it: nvcc 13.0 cannot compile kernels with a template
/// argument of class type.
template <class T, int Candidate>
inline constexpr matmul_tile candidate_tile =
    std::is_same_v<T, float> ? f32_candidates[Candidate].tile : f64_candidates[Candidate].tile;

/// What tensor cores multiply; they add up in float, 8-bit integers modulo 2^32.
enum class tensor_type : unsigned char { bf16, half, tf32, int8 };

/// The type as which tensor cores multiply elements of In. Not a constant for any other elements,
/// so that a new type does not pass for one of its size.
template <class In>
inline constexpr tensor_type tensor_type_of = []() -> tensor_type {
  if constexpr (std::is_same_v<In, bf16>) return tensor_type::bf16;
  if constexpr (std::is_same_v<In, half>) return tensor_type::half;
  if constexpr (std::is_same_v<In, float>) return tensor_type::tf32;
  if constexpr (tandem::detail::is_int8<In>) return tensor_type::int8;
}();

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
  bool pingpong = false;  ///< warpgroups alternate in multiplying whole tiles
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

/// The tiles of wgmma for a type, whose numbers plans hold.
constexpr std::span<const tensor_tile> hopper_tiles(tensor_type type) {
  if (type == tensor_type::int8) return int8_hopper_tiles;
  return tensor_tiles;
}

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
  /// each by `outer` of them. 16 bytes separate them, so that the 8 rows that an ldmatrix reads at
  /// a time are in different banks.
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
