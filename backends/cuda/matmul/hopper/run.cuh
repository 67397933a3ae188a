// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/common/passes.cuh>
#include <tandem/backends/cuda/matmul/hopper/arguments.cuh>
#include <tandem/backends/cuda/matmul/hopper/pipeline.cuh>
#include <tandem/backends/cuda/matmul/plan/tensor.hpp>

#include <cstddef>
#include <type_traits>

/// Prepares a problem for the wgmma kernels: copies operands if necessary, and sets up maps and
/// scratch.
namespace tandem::cuda_impl {

/// The tile that a plan has chosen.
template <class In>
const tensor_tile& chosen_tile(const tensor_plan& plan) {
  return hopper_tiles(tensor_type_of<In>)[static_cast<std::size_t>(plan.tile)];
}

/// Stride in elements between runs of a copy. Runs are padded to whole cache lines, because a TMA
/// tile's row that does not begin at a line is fetched as two.
template <class In>
constexpr index_t packed_pitch(index_t inner) {
  return round_up(inner, static_cast<index_t>(tma_row_bytes / sizeof(In)));
}

/// Bytes of an operand's copy; 0 if it is read in place.
template <class In>
std::size_t packed_bytes(const tensor_operand& plan, index_t outer, index_t k, index_t planes) {
  if (!plan.packed) return 0;
  const index_t elements = plan.k_major ? outer * packed_pitch<In>(k) : k * packed_pitch<In>(outer);
  return whole_lines(planes * elements * static_cast<index_t>(sizeof(In)));
}

/// An operand of `outer` rows of a (columns of b) by k terms, in `planes` matrices, and the memory
/// for its copy.
template <class In>
struct wgmma_operand {
  const tensor_operand& plan;
  matmul_operand<In> source;
  index_t outer = 0;
  index_t k = 0;
  index_t planes = 1;
  void* room = nullptr;

  std::size_t bytes() const { return packed_bytes<In>(plan, outer, k, planes); }
  auto copy() const {
    const index_t pitch = packed_pitch<In>(plan.k_major ? k : outer);
    return copy_of(source, outer, k, planes, plan.k_major, pitch, room);
  }
  /// The operand in place or, if it is packed, its copy.
  tensor_matrix matrix() const {
    return matrix_of(plan.packed ? copied<In>(copy(), plan.k_major) : source, plan.k_major, outer,
                     k, planes);
  }
};

/// Enqueues the copies of the operands that need them.
template <class In>
void copy_operands(const cuda& space, const wgmma_operand<In>& a, const wgmma_operand<In>& b) {
  if (a.plan.packed && b.plan.packed) return pack_operands(space, a.copy(), b.copy());
  if (a.plan.packed) pack_operand(space, a.copy());
  if (b.plan.packed) pack_operand(space, b.copy());
}

/// Element type of a map. The copy rounds floats that are multiplied as tf32 to nearest even.
template <class Element>
constexpr CUtensorMapDataType map_type(bool rounds) {
  if (std::is_same_v<Element, bf16>) return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  if (std::is_same_v<Element, half>) return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  if (std::is_same_v<Element, std::int8_t>) return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  if (std::is_same_v<Element, std::int32_t>) return CU_TENSOR_MAP_DATA_TYPE_INT32;
  return rounds ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
}

/// Returns c's map, in a warpgroup's tiles of 64 rows, or of 32 columns if columns are contiguous.
template <class T, class In>
CUtensorMap result_map(const matmul_problem<T, In>& p, bool columns) {
  const matmul_problem<T, In> q = columns ? transposed(p) : p;
  const tensor_matrix c{.data = q.c,
                        .inner = q.n,
                        .outer = q.m,
                        .planes = q.batch,
                        .outer_stride = q.c_row,
                        .plane_stride = q.c_batch};
  return map_matrix(c, map_type<T>(false), static_cast<int>(sizeof(T)), tma_row_bytes,
                    columns ? 32 : warpgroup_rows);
}

/// Chooses what writes c. Tensor copies do if they can, along columns too for 32-bit elements.
template <class T, class In, class Sum>
void set_result(const tensor_plan& plan, const matmul_problem<T, In>& p,
                wgmma_arguments<Sum>& arguments) {
  arguments.finish = tandem::detail::epilogue_of(p);
  arguments.c_data = p.c;
  arguments.c_row = p.c_row;
  arguments.c_column = p.c_column;
  arguments.c_batch = p.c_batch;
  arguments.c_has_sums = std::is_same_v<T, Sum>;
  if constexpr (std::is_integral_v<Sum>) {
    arguments.c_columns = !plan.a.k_major && p.c_row == 1 && p.c_column != 1;
    arguments.c_by_tma = detail::tma_can_write(arguments.c_columns ? transposed(p) : p);
  } else {
    const bool fits = chosen_tile<In>(plan).n * sizeof(T) >= tma_row_bytes;
    const bool rows = fits && detail::tma_can_write(p);
    arguments.c_columns =
        !rows && std::is_same_v<In, float> && detail::tma_can_write(transposed(p));
    arguments.c_by_tma = rows || arguments.c_columns;
  }
  if (arguments.c_by_tma) arguments.c = result_map(p, arguments.c_columns);
}

/// Sets the tiles of c and the blocks of k. Each chunk of plan.chunk terms has one total.
template <class In, class T, class Sum>
void set_tiles(const tensor_plan& plan, const matmul_problem<T, In>& p,
               wgmma_arguments<Sum>& arguments) {
  constexpr index_t block = wgmma_block(tensor_type_of<In>);
  const tensor_tile& tile = chosen_tile<In>(plan);
  arguments.m = static_cast<int>(p.m);
  arguments.n = static_cast<int>(p.n);
  arguments.batch = static_cast<int>(p.batch);
  arguments.blocks = static_cast<int>(ceil_div(p.k, block));
  arguments.chunk_blocks = static_cast<int>(ceil_div(plan.chunk, block));
  arguments.slice_blocks = plan.split_k_slices > 1 ? arguments.chunk_blocks : arguments.blocks;
  arguments.split_k_slices = static_cast<int>(plan.split_k_slices);
  arguments.cluster = plan.cluster;
  arguments.shares_a = plan.shares_a;
  const index_t below = plan.shares_a ? 1 : plan.cluster;
  const index_t beside = plan.shares_a ? plan.cluster : 1;
  arguments.clusters_m = static_cast<int>(ceil_div<index_t>(p.m, tile.m() * below));
  arguments.tiles_n = static_cast<int>(ceil_div<index_t>(p.n, tile.n * beside));
  arguments.tiles =
      static_cast<int>(p.batch * plan.split_k_slices) * arguments.clusters_m * arguments.tiles_n;
  arguments.group = plan.group / static_cast<int>(below);
}

/// Sets the operands' maps, with the TMA tiles that the kernels of the plan's tile expect.
template <class In, class Sum>
void set_operands(const tensor_plan& plan, const tensor_matrix& a, const tensor_matrix& b,
                  wgmma_arguments<Sum>& arguments) {
  constexpr auto bytes = static_cast<int>(sizeof(In));
  constexpr int block = wgmma_block(tensor_type_of<In>);
  const tensor_tile& tile = chosen_tile<In>(plan);
  // Blocks that share an operand load equal parts of it.
  const int a_outer = plan.a.k_major ? tile.m() / (plan.shares_a ? plan.cluster : 1) : block;
  const int b_outer = plan.b.k_major ? tile.n / (plan.shares_a ? 1 : plan.cluster) : block;
  const auto inner = [](bool k_major, int extent) { return k_major ? block : extent; };
  arguments.a = map_matrix(a, map_type<In>(true), bytes, inner(plan.a.k_major, tile.m()), a_outer);
  arguments.b = map_matrix(b, map_type<In>(true), bytes, inner(plan.b.k_major, tile.n), b_outer);
  arguments.a_batched = a.planes > 1;
  arguments.b_batched = b.planes > 1;
}

/// Describes the memory for the slices' totals: m x n matrices, one slice after another. They are
/// stored by columns if split_k_sum_kernel reads them that way.
template <class Sum, class T, class In>
matmul_problem<Sum, In> totals_of(const matmul_problem<T, In>& p, index_t slices, Sum* totals) {
  const bool columns = totals_by_columns(bind(p, 0));
  matmul_problem<Sum, In> t;
  t.batch = p.batch * slices;
  t.m = p.m;
  t.n = p.n;
  t.c = totals;
  t.c_row = columns ? 1 : p.n;
  t.c_column = columns ? p.m : 1;
  t.c_batch = p.m * p.n;
  return t;
}

/// Enqueues a product of operands that tensor copies can read, with few enough tiles for one
/// launch. If k is split, `totals` has room for batch * m * n sums per slice.
template <class T, class In, class Sum>
void run_product(const cuda& space, const tensor_plan& plan, const matmul_problem<T, In>& p,
                 const tensor_matrix& a, const tensor_matrix& b, Sum* totals) {
  wgmma_arguments<Sum> arguments{};
  set_tiles(plan, p, arguments);
  set_operands<In>(plan, a, b, arguments);
  if (plan.split_k_slices == 1) {
    set_result(plan, p, arguments);
    return launch_wgmma<tensor_type_of<In>>(space, plan, arguments);
  }
  set_result(plan, totals_of(p, plan.split_k_slices, totals), arguments);
  arguments.c_slice = p.batch * p.m * p.n;
  launch_wgmma<tensor_type_of<In>>(space, plan, arguments);
  sum_slices(space, bind(p, 0), static_cast<const Sum*>(totals), p.batch, plan.split_k_slices);
}

/// Enqueues a problem with few enough tiles for one launch: copies of operands if necessary,
/// products, and the sum of slices.
template <class T, class In>
void run_batch(const cuda& space, const tensor_plan& plan, const matmul_problem<T, In>& p) {
  using sum = wgmma_sum_t<tensor_type_of<In>>;
  const matmul_operand<In> a_source{p.a, p.a_row, p.a_column, p.a_batch};
  const matmul_operand<In> b_source{p.b, p.b_column, p.b_row, p.b_batch};
  wgmma_operand<In> a{plan.a, a_source, p.m, p.k, a_source.planes(p.batch)};
  wgmma_operand<In> b{plan.b, b_source, p.n, p.k, b_source.planes(p.batch)};
  const index_t totals = plan.split_k_slices > 1 ? plan.split_k_slices * p.batch * p.m * p.n : 0;
  const std::size_t copies = a.bytes() + b.bytes();
  const std::size_t bytes = copies + whole_lines(totals * 4);
  auto* const room = bytes > 0 ? static_cast<std::byte*>(scratch(space, bytes)) : nullptr;
  a.room = room;
  b.room = room + a.bytes();
  copy_operands(space, a, b);
  run_product(space, plan, p, a.matrix(), b.matrix(), reinterpret_cast<sum*>(room + copies));
}

/// Most matrices per launch.
template <class In>
index_t launch_batch(const tensor_plan& plan, index_t m, index_t n) {
  const tensor_tile& tile = chosen_tile<In>(plan);
  const index_t tiles =
      ceil_div<index_t>(m, tile.m()) * ceil_div<index_t>(n, tile.n) * plan.split_k_slices;
  return max(index_t{1}, min(matmul_grid_limit, tensor_launch_tiles / tiles));
}

/// Enqueues a problem in as many launches as its batch requires.
template <class T, class In>
void run_wgmma(const cuda& space, const tensor_plan& plan, const matmul_problem<T, In>& p) {
  const index_t most = launch_batch<In>(plan, p.m, p.n);
  for (index_t first = 0; first < p.batch; first += most)
    run_batch(space, plan, batch_slice(p, first, min(p.batch - first, most)));
}

}  // namespace tandem::cuda_impl
