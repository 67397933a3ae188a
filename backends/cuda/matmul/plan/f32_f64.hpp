// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/batched/policy.hpp>
#include <tandem/backends/cuda/matmul/plan/engines.hpp>
#include <tandem/backends/cuda/matmul/plan/few_rows.hpp>

#include <tandem/core/contract/strided.hpp>
#include <tandem/core/math.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

/// Chooses the kernel that multiplies floats in full precision, and doubles. Plain C++, tested on
/// the host. No choice made here changes a bit of the result.
namespace tandem::cuda_impl {

/// Pitch in elements of a packed operand's rows, a multiple of 16 bytes.
template <class T>
constexpr index_t aligned_row(index_t columns) {
  return round_up<index_t>(columns, vector_width<T>);
}

/// Whether elements of c are contiguous along its columns rather than along its rows.
template <class T, class In>
constexpr bool has_contiguous_columns(const matmul_problem<T, In>& p) {
  return p.c_row == 1 && p.c_column != 1;
}

namespace detail {

/// Whether to compute c transposed. Its rows are then contiguous, and a c of few columns becomes
/// one of few rows, for which there is a tile.
template <class T>
constexpr bool transposes(const matmul_problem<T>& p) {
  const bool few_rows = p.m <= f32_m16n64.m && p.n > f32_m16n64.m;
  const bool few_columns = p.n <= f32_m16n64.m && p.m > f32_m16n64.m;
  return few_columns || (has_contiguous_columns(p) && !few_rows);
}

/// How an operand can be read.
struct operand_access {
  operand_major major;
  bool vectorized;
  bool tma = false;  ///< TMA can load it
};

/// Returns the access for an operand of `outer` rows (columns) by k terms. In fp32, a K-major
/// operand is transposed element by element on its way to shared memory, which any alignment
/// permits.
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

/// The remaining fraction of a tile's fp32 speed if b is copied one element at a time, along k or
/// along misaligned rows.
constexpr double scalar_share(operand_access b) {
  if (b.major == operand_major::k_major) return 0.87;
  return b.vectorized ? 1 : 0.91;
}

/// A way to run a candidate.
struct fma_way {
  const char* reason;
  bool split_k = false;  ///< blocks share a tile's k
  bool pack_b = false;
};

/// Bytes of b in rows of whole 16-byte pieces, over all distinct matrices of a batch.
template <class T>
double packed_bytes(const matmul_problem<T>& p) {
  const index_t planes = p.b_batch == 0 ? 1 : p.batch;
  return static_cast<double>(planes * aligned_row<T>(p.n)) * static_cast<double>(p.k) * sizeof(T);
}

/// Cost of the kernels that run besides the tiles' kernel, with k in `slices` slices. Infinite if
/// this way is not possible.
template <class T>
double extra_cost(const matmul_problem<T>& p, const fma_way& way, index_t slices,
                  int multiprocessors) {
  if (way.pack_b)
    return pass_cost(packed_bytes(p), p.b_column == 1 ? pack_each : transpose_each,
                     multiprocessors);
  if (!way.split_k) return 0;
  const double bytes =
      static_cast<double>(slices * p.batch * p.m) * static_cast<double>(p.n) * sizeof(T);
  if (slices == 1 || bytes > maximum_scratch) return std::numeric_limits<double>::infinity();
  return pass_cost(bytes, sum_each, multiprocessors);
}

/// Replaces `best` by the candidate, run this way, if it is estimated to be faster.
template <class T>
void consider(const matmul_problem<T>& p, const matmul_device& device, int candidate,
              const fma_way& way, std::optional<fma_plan>& best, operand_access a,
              operand_access b) {
  const matmul_candidate& c = matmul_candidates<T>()[static_cast<std::size_t>(candidate)];
  const index_t chunks = (p.k + matmul_chunk - 1) / matmul_chunk;
  const index_t slices = way.split_k ? chunks : 1;
  const bool vectorized = a.vectorized && b.vectorized && c.copies != matmul_copies::scalar;
  if (!vectorized && (way.pack_b || c.copies == matmul_copies::vectorized)) return;
  const bool uses_tma = device.runs_sm90a() && a.tma && b.tma && p.k % 4 == 0 && chunks == 1;
  if (!uses_tma && c.copies == matmul_copies::tma) return;
  if (c.tile.shared_bytes(sizeof(T), chunks > slices) > device.block_shared) return;
  const double cost = fma_cost(c, p.m, p.n, p.batch * slices, way.split_k ? matmul_chunk : p.k,
                               device.multiprocessors) /
                          (sizeof(T) == 4 ? scalar_share(b) : 1) +
                      extra_cost(p, way, slices, device.multiprocessors);
  if (std::isinf(cost) || (best && best->cost <= cost)) return;
  best = {candidate, a.major, b.major, vectorized, way.pack_b, slices, cost, false, way.reason};
}

/// Returns why no tile can compute a problem; nullptr if one may.
template <class T>
const char* reason_without_tiles(const matmul_problem<T>& p) {
  using tandem::detail::magnitude;
  if (const char* const reason = reason_for_reference(p)) return reason;
  const bool far_rows =
      magnitude(p.a_row) > maximum_extent || magnitude(p.b_column) > maximum_extent;
  return sizeof(T) == 8 && far_rows ? "a stride needs more than 31 bits" : nullptr;
}

/// Returns the cheapest candidate, if one fits the device.
template <class T>
std::optional<fma_plan> choose_candidate(const matmul_problem<T>& p, const matmul_device& device) {
  const auto a = choose_access(p.a, p.m, p.a_row, p.k, p.a_column, p.batch, p.a_batch);
  const auto b = choose_access(p.b, p.n, p.b_column, p.k, p.b_row, p.batch, p.b_batch);
  const bool packs = sizeof(T) == 4 && scalar_share(b) < 1 && packed_bytes(p) <= maximum_packed;
  std::optional<fma_plan> best;
  for (int candidate = 0; candidate < static_cast<int>(matmul_candidates<T>().size());
       ++candidate) {
    consider(p, device, candidate, {"least estimated cost"}, best, a, b);
    consider(p, device, candidate, {.reason = "least estimated cost, k divided", .split_k = true},
             best, a, b);
    if (!packs) continue;
    consider(p, device, candidate, {.reason = "least estimated cost, b packed", .pack_b = true},
             best, a, {operand_major::mn_major, true});
  }
  return best;
}

/// Whether an operand's matrices, rows x columns, can be read 16 bytes at a time along rows.
template <class T>
bool has_vectorizable_rows(const T* data, index_t batch, index_t batch_stride, index_t rows,
                           index_t row_stride, index_t columns, index_t column_stride) {
  constexpr index_t width = vector_width<T>;
  return column_stride == 1 && columns % width == 0 &&
         reinterpret_cast<std::uintptr_t>(data) % 16 == 0 &&
         (rows == 1 || row_stride % width == 0) && (batch == 1 || batch_stride % width == 0);
}

}  // namespace detail

/// Returns the index of the smallest tile whose block holds several of the problem's products.
/// Returns -1 if there is none, if k has several chunks, or for a single product, which has little
/// to gain.
template <class T>
constexpr int choose_batched(const matmul_problem<T>& p, std::size_t block_shared) {
  if (p.kernel != matmul_kernel::automatic || p.batch < 2 || p.k == 0 || p.k > matmul_chunk)
    return -1;
  const auto candidates = batched_candidates<T>();
  for (std::size_t index = 0; index < candidates.size(); ++index) {
    const batched_tile& tile = candidates[index].tile;
    if (tile.panel > 0 || std::max(p.m, p.n) > tile.size) continue;
    if (batched_bytes<T>(lay_out(p, tile, false), tile) <= block_shared)
      return static_cast<int>(index);
  }
  return -1;
}

/// Returns the index of the smallest tile with panels that holds the problem's products, or -1 if
/// there is none or it does not pay off. The latter is the case if products are larger or, in one
/// direction, less than half as large; if rows of a or b cannot be copied 16 bytes at a time; if k
/// has several chunks; or if each multiprocessor has fewer than panel_products products.
template <class T>
int choose_panels(const matmul_problem<T>& p, int multiprocessors, std::size_t block_shared) {
  if (p.kernel != matmul_kernel::automatic || p.k == 0 || p.k > matmul_chunk ||
      p.batch < index_t{multiprocessors} * panel_products)
    return -1;
  if (!detail::has_vectorizable_rows(p.a, p.batch, p.a_batch, p.m, p.a_row, p.k, p.a_column) ||
      !detail::has_vectorizable_rows(p.b, p.batch, p.b_batch, p.k, p.b_row, p.n, p.b_column))
    return -1;
  const index_t size = std::max(p.m, p.n);
  const auto candidates = batched_candidates<T>();
  for (std::size_t index = 0; index < candidates.size(); ++index) {
    const batched_tile& tile = candidates[index].tile;
    if (tile.panel == 0 || size <= tile.least || size > tile.size) continue;
    const bool fits = panel_bytes<T>(tile) <= block_shared && 2 * std::min(p.m, p.n) >= tile.size;
    return fits ? static_cast<int>(index) : -1;
  }
  return -1;
}

namespace detail {

/// Plans a batch of small products, if it is one.
template <class T>
std::optional<matmul_plan<T>> plan_batch(const matmul_problem<T>& problem,
                                         const matmul_device& device) {
  const bool transposes = has_contiguous_columns(problem);
  const matmul_problem<T> p = transposes ? transposed(problem) : problem;
  const int panels = choose_panels(p, device.multiprocessors, device.block_shared);
  if (panels >= 0)
    return matmul_plan<T>{transposes, batched_plan{panels, "a long batch of products"}};
  const int several = choose_batched(p, device.block_shared);
  if (several >= 0)
    return matmul_plan<T>{transposes, batched_plan{several, "a batch of small products"}};
  return std::nullopt;
}

/// Plans products of any size.
template <class T>
matmul_plan<T> plan_tiles(const matmul_problem<T>& problem, const matmul_device& device) {
  const bool flips = transposes(problem);
  const matmul_problem<T> p = flips ? transposed(problem) : problem;
  if (const char* const reason = reason_without_tiles(p))
    return {flips, reference_for(p.kernel, reason)};
  if (const auto fma = choose_candidate(p, device)) return {flips, *fma};
  return {flips, reference_for(p.kernel, "no tile fits the device's shared memory")};
}

/// Whether the products of a batch fill the smallest tile that TMA loads. If the plan uses it, that
/// tile is faster than the kernels for many small products.
template <class T>
bool fits_tma_tile(const matmul_problem<T>& p, const matmul_device& device) {
  constexpr const matmul_tile& tile = f64_tma_m64n64;
  return std::is_same_v<T, double> && device.runs_sm90a() && std::max(p.m, p.n) <= tile.m &&
         std::min(p.m, p.n) >= tile.m / 8 * 7;
}

/// Whether TMA loads the operands of the plan's kernel.
template <class T>
bool uses_tma(const matmul_plan<T>& plan) {
  const auto* const fma = std::get_if<fma_plan>(&plan.engine);
  return fma != nullptr &&
         matmul_candidates<T>()[static_cast<std::size_t>(fma->candidate)].copies ==
             matmul_copies::tma;
}

}  // namespace detail

/// Plans a product of floats in full precision or of doubles; c must not be empty.
template <class T>
matmul_plan<T> plan_fma(const matmul_problem<T>& p, const matmul_device& device) {
  const auto batch = detail::plan_batch(p, device);
  if (batch && !detail::fits_tma_tile(p, device)) return *batch;
  if (!batch) {
    if (const auto rows = detail::plan_few_rows(p, device)) return *rows;
  }
  const matmul_plan<T> tiles = detail::plan_tiles(p, device);
  return batch && !detail::uses_tma(tiles) ? *batch : tiles;
}

/// Plans the addition of a product's chunks to the totals of earlier terms in c, in one launch. The
/// plan is empty if tiles do not fill the device, or operands cannot be read 16 bytes at a time:
/// then products of single chunks are added.
template <class T>
matmul_plan<T> plan_fma_continuation(const matmul_problem<T>& problem,
                                     const matmul_device& device) {
  const bool flips = detail::transposes(problem);
  const matmul_problem<T> p = flips ? transposed(problem) : problem;
  constexpr const matmul_tile& tile = candidate_tile<T, continuing_candidate>;
  const auto a = detail::choose_access(p.a, p.m, p.a_row, p.k, p.a_column, p.batch, p.a_batch);
  const auto b = detail::choose_access(p.b, p.n, p.b_column, p.k, p.b_row, p.batch, p.b_batch);
  const index_t tiles = ceil_div<index_t>(p.m, tile.m) * ceil_div<index_t>(p.n, tile.n) * p.batch;
  if (detail::reason_without_tiles(p) != nullptr || !a.vectorized || !b.vectorized ||
      tiles < device.multiprocessors || tile.shared_bytes(sizeof(T), true) > device.block_shared)
    return {};
  return {flips, fma_plan{.candidate = continuing_candidate,
                          .a = a.major,
                          .b = b.major,
                          .vectorized = true,
                          .continues = true,
                          .reason = "added to totals"}};
}

}  // namespace tandem::cuda_impl
