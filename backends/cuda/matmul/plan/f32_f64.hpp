// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan/candidates.hpp>

#include <tandem/core/detail/strided.hpp>
#include <tandem/core/math.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

/// Which kernel multiplies what: plain C++, so that a machine without a GPU can test it. No choice
/// made here changes a bit of the result.
namespace tandem::cuda_impl {

/// What neighbouring lanes walk when they copy an operand: k, or the row of a (column of b).
enum class operand_major : unsigned char { k_major, mn_major };

/// Which of a tile's kernels exist: with copies of one element, of 16 bytes, or both. 16-byte
/// copies pay where a thread has many elements to multiply. `boxes`: the one of matmul_boxes.cuh.
enum class matmul_copies : unsigned char { scalar, both, vectorized, tma };

/// A tile that the plan may choose. `efficiency` is the share of the multiply-add peak that a
/// multiprocessor with 16 warps reaches in its main loop, `overhead` the terms that filling the
/// stages and writing the tile take as long as: fitted to an H200's times of all candidates at the
/// shapes of docs/performance.md.
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

/// What the choice needs to know of a device.
struct matmul_device {
  int multiprocessors = 1;
  std::size_t block_shared = 49152;  ///< most bytes of shared memory a block may ask for
  bool has_tma = false;              ///< whether the kernels of matmul_boxes.cuh run there
};

/// How a problem is computed.
struct matmul_plan {
  matmul_kernel kernel = matmul_kernel::naive;  ///< automatic: the candidate below
  int candidate = 0;                            ///< index into matmul_candidates
  operand_major a = operand_major::k_major;
  operand_major b = operand_major::k_major;
  bool vectorized = false;  ///< whether 16 bytes are copied at a time where the engine can
  bool pack_b =
      false;  ///< whether b is first copied into aligned rows, of which b and vectorized tell
  /// Blocks that share a tile's k: 1, or one a chunk, whose totals a second kernel adds in order.
  index_t split_k_slices = 1;
  double cost = 0;  ///< as estimated: multiply-adds of the busiest multiprocessor
  const char* reason = "";
};

using tandem::detail::transposed;

/// Elements from one row of a packed operand to the next: 16 bytes divide it.
template <class T>
constexpr index_t aligned_row(index_t columns) {
  return round_up<index_t>(columns, vector_width<T>);
}

/// The problem or its transpose: the one whose rows of c are contiguous, except that a c of few
/// columns becomes one of few rows, for which there is a tile.
template <class T>
constexpr matmul_problem<T> oriented(const matmul_problem<T>& p) {
  const bool contiguous_columns = p.c_row == 1 && p.c_column != 1;
  const bool few_rows = p.m <= f32_m16n64.m && p.n > f32_m16n64.m;
  const bool few_columns = p.n <= f32_m16n64.m && p.m > f32_m16n64.m;
  return few_columns || (contiguous_columns && !few_rows) ? transposed(p) : p;
}

namespace detail {

/// How an operand can be read.
struct operand_access {
  operand_major major;
  bool vectorized;
  bool tma = false;  ///< whether tensor copies can bring it
};

/// The access for an operand of `outer` rows (columns) by k terms. In fp32 an operand whose
/// neighbours are along k is transposed on its way into shared memory, element by element: it asks
/// nothing of addresses.
template <class T>
operand_access choose_access(const T* data, index_t outer, index_t outer_stride, index_t k,
                             index_t k_stride, index_t batch, index_t batch_stride) {
  using tandem::detail::magnitude;
  const bool k_major = k > 1 && (outer == 1 || magnitude(k_stride) < magnitude(outer_stride));
  constexpr index_t width = vector_width<T>;
  if (k_major && sizeof(T) == 4) return {operand_major::k_major, true};
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && (batch == 1 || batch_stride % width == 0);
  const index_t fast = k_major ? k : outer;
  const index_t fast_stride = k_major ? k_stride : outer_stride;
  const index_t slow = k_major ? outer : k;
  const index_t slow_stride = k_major ? outer_stride : k_stride;
  const bool rows = aligned && fast_stride == 1 && (slow == 1 || slow_stride % width == 0);
  const bool tma = rows && (slow == 1 || slow_stride > 0) && (batch == 1 || batch_stride >= 0);
  return {k_major ? operand_major::k_major : operand_major::mn_major, rows && fast % width == 0,
          tma};
}

/// The share of its peak that a multiprocessor with this many warps reaches, of what it does with
/// 16: fewer hide less of the latencies, and fewer than 4 leave schedulers idle.
constexpr double warp_share(double warps) {
  if (warps >= 16) return 1;
  if (warps >= 8) return 0.88 + 0.12 * (warps - 8) / 8;
  if (warps >= 4) return 0.65 + 0.23 * (warps - 4) / 4;
  return 0.65 * warps / 4;
}

/// The busiest multiprocessor's multiply-adds, divided by the share of its peak that its blocks
/// reach. There are `copies` blocks of each tile, for the batch and the parts of k.
constexpr double estimate_cost(const matmul_candidate& c, index_t m, index_t n, index_t copies,
                               index_t terms, int multiprocessors) {
  const matmul_tile& tile = c.tile;
  const index_t blocks = (m + tile.m - 1) / tile.m * ((n + tile.n - 1) / tile.n) * copies;
  const index_t busiest = (blocks + multiprocessors - 1) / multiprocessors;
  const index_t resident = busiest < tile.min_blocks_per_sm ? busiest : tile.min_blocks_per_sm;
  const double share = warp_share(static_cast<double>(resident * tile.threads() / 32));
  return static_cast<double>(busiest * tile.m * tile.n * (terms + c.overhead)) /
         (c.efficiency * share);
}

/// Cost of a kernel that only moves data: its launch, about 2 us at 128 multiply-adds a clock, and
/// what a multiprocessor could do while it moves a byte: `each` multiply-adds.
constexpr double pass_cost(double bytes, double each, int multiprocessors) {
  return 450e3 + each * bytes / multiprocessors;
}
inline constexpr double sum_each = 9;    ///< of the parts' totals, which L2 mostly holds
inline constexpr double pack_each = 16;  ///< of rows, read and written: 41 us of 4095 x 4095
inline constexpr double turn_each = 25;  ///< of columns that become rows: 64 us of 4096 x 4096

/// Bytes of totals above which k is not divided.
inline constexpr double maximum_scratch = 256.0 * 1024 * 1024;

/// Bytes above which b is not packed.
inline constexpr double maximum_packed = 1024.0 * 1024 * 1024;

/// What is left of a tile's speed in fp32 where b is copied one element at a time: along k 4096^3
/// takes 3.13 ms on an H200 and not 2.73, along misaligned rows 8191^3 23.8 ms and not 21.8.
constexpr double scalar_share(operand_access b) {
  if (b.major == operand_major::k_major) return 0.87;
  return b.vectorized ? 1 : 0.91;
}

/// A way to run a candidate.
struct matmul_way {
  const char* reason;
  bool divide = false;  ///< whether blocks share a tile's k
  bool pack_b = false;
};

/// Bytes of b in rows of whole 16 bytes, all matrices of a batch that are not the same one.
template <class T>
double packed_bytes(const matmul_problem<T>& p) {
  const index_t planes = p.b_batch == 0 ? 1 : p.batch;
  return static_cast<double>(planes * aligned_row<T>(p.n)) * static_cast<double>(p.k) * sizeof(T);
}

/// Cost of the kernels that a way runs beside its tiles' own, whose k is in so many parts; infinite
/// where it is out of the question.
template <class T>
double extra_cost(const matmul_problem<T>& p, const matmul_way& way, index_t parts,
                  int multiprocessors) {
  if (way.pack_b)
    return pass_cost(packed_bytes(p), p.b_column == 1 ? pack_each : turn_each, multiprocessors);
  if (!way.divide) return 0;
  const double bytes =
      static_cast<double>(parts * p.batch * p.m) * static_cast<double>(p.n) * sizeof(T);
  if (parts == 1 || bytes > maximum_scratch) return std::numeric_limits<double>::infinity();
  return pass_cost(bytes, sum_each, multiprocessors);
}

/// Largest extent of the fast kernels, whose indices have 32 bits; a tile may reach beyond the end.
inline constexpr index_t maximum_extent = 0x7fffffff - 1024;

/// Puts the candidate, run that way, into `best` if it is estimated to be faster.
template <class T>
void consider(const matmul_problem<T>& p, const matmul_device& device, int candidate,
              const matmul_way& way, matmul_plan& best, operand_access a, operand_access b) {
  const matmul_candidate& c = matmul_candidates<T>()[static_cast<std::size_t>(candidate)];
  const index_t chunks = (p.k + matmul_chunk - 1) / matmul_chunk;
  const index_t parts = way.divide ? chunks : 1;
  const bool vectorized = a.vectorized && b.vectorized && c.copies != matmul_copies::scalar;
  if (!vectorized && (way.pack_b || c.copies == matmul_copies::vectorized)) return;
  const bool uses_tma = device.has_tma && a.tma && b.tma && p.k % 4 == 0 && chunks == 1;
  if (!uses_tma && c.copies == matmul_copies::tma) return;
  if (c.tile.shared_bytes(sizeof(T), chunks > parts) > device.block_shared) return;
  const double cost = estimate_cost(c, p.m, p.n, p.batch * parts, way.divide ? matmul_chunk : p.k,
                                    device.multiprocessors) /
                          (sizeof(T) == 4 ? scalar_share(b) : 1) +
                      extra_cost(p, way, parts, device.multiprocessors);
  if (std::isinf(cost) || (best.kernel == matmul_kernel::automatic && best.cost <= cost)) return;
  best = {matmul_kernel::automatic,
          candidate,
          a.major,
          b.major,
          vectorized,
          way.pack_b,
          parts,
          cost,
          way.reason};
}

/// Why no tile can take a problem; nullptr where one may.
template <class T>
const char* reason_without_tiles(const matmul_problem<T>& p) {
  using tandem::detail::magnitude;
  if (p.k == 0) return "k is 0: nothing to multiply";
  if (p.m > maximum_extent || p.n > maximum_extent || p.k > maximum_extent)
    return "an extent needs more than 31 bits";
  const bool far_rows =
      magnitude(p.a_row) > maximum_extent || magnitude(p.b_column) > maximum_extent;
  return sizeof(T) == 8 && far_rows ? "a stride needs more than 31 bits" : nullptr;
}

}  // namespace detail

/// The plan for a problem that `oriented` has returned.
template <class T>
matmul_plan plan_matmul(const matmul_problem<T>& p, const matmul_device& device) {
  if (p.kernel != matmul_kernel::automatic) return {.kernel = p.kernel, .reason = "asked for"};
  if (const char* const reason = detail::reason_without_tiles(p))
    return {.kernel = matmul_kernel::naive, .reason = reason};
  const auto a = detail::choose_access(p.a, p.m, p.a_row, p.k, p.a_column, p.batch, p.a_batch);
  const auto b = detail::choose_access(p.b, p.n, p.b_column, p.k, p.b_row, p.batch, p.b_batch);
  const bool packs = sizeof(T) == 4 && detail::scalar_share(b) < 1 &&
                     detail::packed_bytes(p) <= detail::maximum_packed;
  matmul_plan best{.kernel = matmul_kernel::naive,
                   .reason = "no tile fits the device's shared memory"};
  for (int candidate = 0; candidate < static_cast<int>(matmul_candidates<T>().size());
       ++candidate) {
    using detail::consider;
    consider(p, device, candidate, {"least estimated cost"}, best, a, b);
    consider(p, device, candidate, {.reason = "least estimated cost, k divided", .divide = true},
             best, a, b);
    if (!packs) continue;
    consider(p, device, candidate, {.reason = "least estimated cost, b packed", .pack_b = true},
             best, a, {operand_major::mn_major, true});
  }
  return best;
}

}  // namespace tandem::cuda_impl
