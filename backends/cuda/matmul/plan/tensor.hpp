// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan/f32_f64.hpp>

#include <cstdint>
#include <iterator>
#include <type_traits>

/// Which kernel multiplies what on tensor cores: plain C++, so that a machine without a GPU can
/// test it. No choice made here changes a bit of the result.
namespace tandem::cuda_impl {

/// What tensor cores multiply; they add up in float.
enum class tensor_type : unsigned char { bf16, half, tf32 };

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

/// The ways to multiply, in the order of preference.
enum class tensor_kernel : unsigned char {
  wgmma,     ///< matmul_wgmma.cuh: Hopper alone
  mma,       ///< matmul_mma_kernel.cuh
  reference  ///< naive or tiled: the canonical shape of float, asked for or nothing else runs
};

/// A tile that the plan may choose, of the wgmma kernels.
///
/// `block_clocks` is what a block of k (64 terms of 16 bits, 32 of tf32) takes a multiprocessor
/// that does nothing else, `tile_clocks` what a tile takes beside its blocks of k. From times on an
/// H200: a warpgroup's products wait for each other, about 80 clocks each however narrow they are,
/// and where the ring is short for copies.
struct tensor_tile {
  const char* name;
  int warpgroups;  ///< of 64 rows each
  int n;
  int cluster;            ///< most blocks that share tiles of an operand
  int min_blocks_per_sm;  ///< blocks that a multiprocessor holds
  double block_clocks;
  double tile_clocks;
  bool pingpong = false;  ///< each warpgroup multiplies a whole tile in its turn
  int element_bytes = 0;  ///< of the operands that it is for, 0: any

  constexpr int m() const { return 64 * warpgroups; }
  /// Whether tf32's kernel takes an a that is not along k, by way of registers: two blocks of a
  /// multiprocessor or warpgroups with a whole tile each have none left for it.
  constexpr bool takes_a_in_registers() const {
    return !pingpong && (min_blocks_per_sm == 1 || warpgroups == 1);
  }
  /// Columns of 64 rows of which a warpgroup holds the totals.
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

/// The same where c has floats and L2 holds a and b anyway: few, so that rows of c are whole.
inline constexpr int tensor_group_of_floats = 2;
inline constexpr double tensor_held_bytes = 16e6;  // a part of L2, which c passes through too

/// Most tiles of one launch, whose numbers have 32 bits.
inline constexpr index_t tensor_launch_tiles = index_t{1} << 30;

/// What the choice needs to know of a device.
struct tensor_device {
  int multiprocessors = 1;
  int compute_capability = 0;
  bool has_wgmma = false;  ///< this build has code for it
};

/// How the wgmma kernels read an operand.
struct tensor_operand {
  bool k_major = true;       ///< contiguous along k, else along the rows of a (columns of b)
  bool packed = false;       ///< copied first, since tensor copies cannot read it where it lies
  bool transposing = false;  ///< the copy changes which index is contiguous
  bool whole_lines = true;   ///< its runs begin with lines of memory of 128 bytes
};

/// How a problem is computed.
struct tensor_plan {
  tensor_kernel kernel = tensor_kernel::reference;
  int tile = 0;              ///< index into tensor_tiles
  int cluster = 1;           ///< blocks that share tiles of an operand
  bool shares_a = false;     ///< which is a, else b
  int group = tensor_group;  ///< rows of tiles
  tensor_operand a = {};
  tensor_operand b = {};
  index_t chunk = 0;           ///< terms of k between two totals
  index_t split_k_slices = 1;  ///< of one chunk each, by blocks of their own; or 1
  double cost = 0;             ///< clocks, as estimated
  const char* reason = "";
};

namespace detail {

/// Whether tensor copies read a matrix of `outer` runs of `inner` contiguous elements, `batch`
/// times: all strides but the innermost are multiples of 16 bytes, and positive.
template <class In>
bool tma_can_read(const In* data, index_t inner_stride, index_t inner, index_t outer_stride,
                  index_t outer, index_t batch_stride, index_t batch) {
  constexpr index_t width = 16 / static_cast<index_t>(sizeof(In));
  constexpr index_t most = (index_t{1} << 40) / static_cast<index_t>(sizeof(In));
  const auto fits = [](index_t stride, index_t extent) {
    return extent == 1 || (stride > 0 && stride % width == 0 && stride < most);
  };
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && (inner_stride == 1 || inner == 1) &&
         fits(outer_stride, outer) && (batch_stride == 0 || fits(batch_stride, batch));
}

/// How an operand of `outer` rows (columns) by k terms is read; `either` says whether it may be
/// contiguous along them rather than along k.
template <class In>
tensor_operand choose_operand(bool either, const In* data, index_t outer_stride, index_t outer,
                              index_t k_stride, index_t k, index_t batch_stride, index_t batch) {
  constexpr index_t line = 128 / static_cast<index_t>(sizeof(In));
  if (tma_can_read(data, k_stride, k, outer_stride, outer, batch_stride, batch))
    return {.k_major = true, .whole_lines = outer_stride % line == 0};
  if (either && tma_can_read(data, outer_stride, outer, k_stride, k, batch_stride, batch))
    return {.k_major = false, .whole_lines = k_stride % line == 0};
  const bool mn_major = outer_stride == 1 && k_stride != 1;
  if (mn_major) return {.k_major = !either, .packed = true, .transposing = !either};
  return {.k_major = true, .packed = true, .transposing = k_stride != 1 && k > 1};
}

/// Whether tensor copies write c: a factor is all that becomes of a total, rows are whole pieces of
/// 16 bytes, since copies write no less, even beyond the end of a row.
template <class T, class In>
bool tma_can_write(const matmul_problem<T, In>& p) {
  const bool plain = p.beta == 0 && p.bias == nullptr && p.activation == matmul_activation::none;
  const bool whole = p.n * static_cast<index_t>(sizeof(T)) % 16 == 0;
  return plain && whole && (p.batch == 1 || p.c_batch > 0) &&
         tma_can_read(p.c, p.c_column, p.n, p.c_row, p.m, p.c_batch, p.batch);
}

/// Whether a product of floats is better computed as its transpose: tf32 reads b along k alone, but
/// a in either order.
template <class T, class In>
bool reads_transposed(const matmul_problem<T, In>& p) {
  if constexpr (sizeof(In) == 2) {
    return false;
  } else {
    return tma_can_write(p) &&
           tma_can_read(p.a, p.a_column, p.k, p.a_row, p.m, p.a_batch, p.batch) &&
           tma_can_read(p.b, p.b_column, p.n, p.b_row, p.k, p.b_batch, p.batch) &&
           !tma_can_read(p.b, p.b_row, p.k, p.b_column, p.n, p.b_batch, p.batch);
  }
}

/// Largest extent of the fast kernels: coordinates have 32 bits, and a tile may reach beyond the
/// end.
inline constexpr index_t tensor_extent = 0x7fffffff - 1024;

/// The busiest multiprocessor's clocks: whole rounds of tiles.
constexpr double tensor_cost(const tensor_tile& tile, index_t m, index_t n, index_t copies,
                             double blocks, int multiprocessors) {
  const index_t tiles = (m + tile.m() - 1) / tile.m() * ((n + tile.n - 1) / tile.n) * copies;
  const index_t at_once = index_t{multiprocessors} * tile.min_blocks_per_sm;
  const index_t rounds = (tiles + at_once - 1) / at_once;
  // Blocks that share a multiprocessor share its tensor cores.
  const index_t alone = tiles <= multiprocessors ? 1 : tile.min_blocks_per_sm;
  return static_cast<double>(rounds * alone) * (blocks * tile.block_clocks + tile.tile_clocks);
}

}  // namespace detail

/// Whether mma.sync multiplies elements of In on a device: half from Turing on, the others from
/// Ampere on.
template <class In>
constexpr bool has_mma(const tensor_device& device) {
  return device.compute_capability >= (std::is_same_v<In, half> ? 75 : 80);
}

/// The problem or its transpose: the one whose rows of c are contiguous, except that few rows
/// become few columns, for which there is a narrow tile, and that tf32 has its order of operands.
template <class T, class In>
matmul_problem<T, In> tensor_oriented(const matmul_problem<T, In>& p) {
  constexpr index_t few = 32;
  if (p.m <= few && p.n > 2 * few && p.a_column == 1) return transposed(p);
  if (p.n <= few && p.m > 2 * few && p.b_row == 1) return p;
  const matmul_problem<T, In> q = p.c_row == 1 && p.c_column != 1 ? transposed(p) : p;
  return detail::reads_transposed(q) ? transposed(q) : q;
}

/// Whether a tile's kernel multiplies a problem whose k is in `chunks` chunks, all of them in one
/// block or each in a block of its own.
template <class In>
constexpr bool can_take(const tensor_tile& tile, const tensor_plan& plan, index_t chunks,
                        bool divided) {
  if (!divided && chunks > 1 && tile.held() > 128) return false;  // no registers for two totals
  if (tile.n < 64 && !plan.b.k_major) return false;               // narrower than a box
  if (sizeof(In) == 4 && !plan.a.k_major && !tile.takes_a_in_registers()) return false;
  return tile.element_bytes == 0 || tile.element_bytes == static_cast<int>(sizeof(In));
}

/// Decides which blocks share tiles of an operand. Rows that do not begin with a line of memory are
/// fetched as two, so that it pays to fetch them once for two blocks; else it saves power over many
/// rounds of large tiles, and costs time where there are few.
inline void choose_cluster(index_t m, index_t n, index_t batch, int multiprocessors,
                           tensor_plan& plan) {
  const tensor_tile& tile = tensor_tiles[plan.tile];
  const index_t rows = (m + tile.m() - 1) / tile.m();
  const index_t columns = (n + tile.n - 1) / tile.n;
  const bool lines = plan.a.whole_lines && plan.b.whole_lines;
  const bool many = tile.n >= 128 && rows * columns * batch >= 8 * index_t{multiprocessors};
  plan.shares_a = tile.m() > tile.n;
  const bool shares = many || !lines;
  plan.cluster = shares && (plan.shares_a ? columns : rows) > 1 ? tile.cluster : 1;
}

/// Puts the fastest tile, k undivided or divided, into the plan of a wgmma kernel.
template <class T, class In>
void choose_tile(const matmul_problem<T, In>& p, const tensor_device& device, tensor_plan& plan) {
  constexpr index_t block = 128 / static_cast<index_t>(sizeof(In));
  const index_t chunks = tensor_chunks(p.k);
  plan.cost = -1;
  for (int index = 0; index < static_cast<int>(std::size(tensor_tiles)); ++index) {
    const tensor_tile& tile = tensor_tiles[index];
    for (const index_t parts : {index_t{1}, chunks}) {
      if (!can_take<In>(tile, plan, chunks, parts > 1)) continue;
      const index_t terms = parts == 1 ? p.k : plan.chunk;
      const auto blocks = static_cast<double>((terms + block - 1) / block);
      const double bytes =
          static_cast<double>(parts * p.batch * p.m) * static_cast<double>(p.n) * 4;
      double cost =
          detail::tensor_cost(tile, p.m, p.n, p.batch * parts, blocks, device.multiprocessors);
      // The totals' way through memory at 14 bytes a clock and multiprocessor, a second kernel.
      if (parts > 1) cost += 4000 + bytes / 7 / device.multiprocessors;
      if (parts > 1 && bytes > 256e6) continue;
      if (plan.cost >= 0 && plan.cost <= cost) continue;
      plan.tile = index;
      plan.split_k_slices = parts;
      plan.cost = cost;
    }
  }
  choose_cluster(p.m, p.n, p.batch, device.multiprocessors, plan);
  const double bytes =
      static_cast<double>(p.batch * (p.m + p.n)) * static_cast<double>(p.k) * sizeof(In);
  plan.group = sizeof(T) == 4 && bytes <= tensor_held_bytes ? tensor_group_of_floats : tensor_group;
  plan.reason =
      plan.split_k_slices > 1 ? "least estimated time, k divided" : "least estimated time";
}

/// The plan for a problem.
template <class T, class In>
tensor_plan plan_tensor(const matmul_problem<T, In>& p, const tensor_device& device) {
  tensor_plan plan{.chunk = tensor_chunk(p.k)};
  if (p.kernel != matmul_kernel::automatic) {
    plan.reason = "asked for";
    return plan;
  }
  if (p.k == 0 || p.m > detail::tensor_extent || p.n > detail::tensor_extent ||
      p.k > detail::tensor_extent) {
    plan.reason = p.k == 0 ? "k is 0: nothing to multiply" : "an extent needs more than 31 bits";
    return plan;
  }
  if (device.compute_capability != 90 || !device.has_wgmma) {
    plan.kernel = has_mma<In>(device) ? tensor_kernel::mma : tensor_kernel::reference;
    plan.reason = plan.kernel == tensor_kernel::mma
                      ? "the device or this build lacks wgmma"
                      : "the device has no tensor cores for these elements";
    return plan;
  }
  plan.kernel = tensor_kernel::wgmma;
  plan.a = detail::choose_operand(true, p.a, p.a_row, p.m, p.a_column, p.k, p.a_batch, p.batch);
  plan.b = detail::choose_operand(sizeof(In) == 2, p.b, p.b_column, p.n, p.b_row, p.k, p.b_batch,
                                  p.batch);
  choose_tile(p, device, plan);
  return plan;
}

}  // namespace tandem::cuda_impl
