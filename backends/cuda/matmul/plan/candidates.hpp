// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>

#include <cstddef>
#include <span>
#include <type_traits>

/// The tiles among which a plan chooses for float and double: tuning as data, tested on the host.
/// Kernels take them as template arguments.
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

/// Tiles of fp32, largest first. FFMA is issued once a clock and partition, so the share of FFMA
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

}  // namespace tandem::cuda_impl
