// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/hopper/launch.cuh>
#include <tandem/backends/cuda/matmul/passes/pack.cuh>
#include <tandem/backends/cuda/matmul/passes/split_k_sum.cuh>

#include <cstddef>
#include <type_traits>

/// A problem as the wgmma kernels take it: operands copied where they must be, maps, scratch.
namespace tandem::cuda_impl {

template <class In>
inline constexpr tensor_type tensor_type_of = std::is_same_v<In, bf16>   ? tensor_type::bf16
                                              : std::is_same_v<In, half> ? tensor_type::half
                                                                         : tensor_type::tf32;

/// An operand's maps: contiguous runs of `inner` elements, `outer` of them.
struct wgmma_matrix {
  const void* data = nullptr;
  index_t inner = 0;
  index_t outer = 0;
  index_t planes = 1;
  index_t outer_stride = 0;  ///< elements
  index_t plane_stride = 0;
};

constexpr std::size_t whole_lines(index_t bytes) {
  return static_cast<std::size_t>((bytes + 255) / 256 * 256);
}

/// Elements from one run of a copy to the next: whole lines of memory, since a box's row that does
/// not begin with one is fetched as two.
template <class In>
constexpr index_t packed_pitch(index_t inner) {
  constexpr auto width = static_cast<index_t>(wgmma_row_bytes / sizeof(In));
  return (inner + width - 1) / width * width;
}

/// Bytes of an operand's copy, none where it is read in place.
template <class In>
std::size_t packed_bytes(const tensor_operand& plan, index_t outer, index_t k, index_t planes) {
  if (!plan.packed) return 0;
  const index_t elements = plan.k_major ? outer * packed_pitch<In>(k) : k * packed_pitch<In>(outer);
  return whole_lines(planes * elements * static_cast<index_t>(sizeof(In)));
}

/// The operand in place or copied to `room`. `x` has the row of a (column of b) as outer index.
template <class In>
wgmma_matrix bring_operand(const cuda& space, const tensor_operand& plan,
                           const matmul_operand<In>& x, index_t outer, index_t k, index_t planes,
                           void* room) {
  wgmma_matrix m{.data = x.data,
                 .inner = plan.k_major ? k : outer,
                 .outer = plan.k_major ? outer : k,
                 .planes = planes,
                 .outer_stride = plan.k_major ? x.outer_stride : x.k_stride,
                 .plane_stride = x.batch_stride};
  if (!plan.packed) return m;
  const index_t pitch = packed_pitch<In>(m.inner);
  const operand_pack shape{.inner = m.inner,
                           .outer = m.outer,
                           .planes = planes,
                           .inner_stride = plan.k_major ? x.k_stride : x.outer_stride,
                           .outer_stride = m.outer_stride,
                           .plane_stride = m.plane_stride,
                           .pitch = pitch,
                           .plane = m.outer * pitch};
  using bits = std::conditional_t<sizeof(In) == 2, std::uint16_t, std::uint32_t>;
  pack_operand(space, shape, reinterpret_cast<const bits*>(x.data), static_cast<bits*>(room));
  m.data = room;
  m.outer_stride = shape.pitch;
  m.plane_stride = shape.plane;
  return m;
}

/// The map of a matrix of elements of `bytes` bytes in boxes of one swizzled row by `box_outer`.
inline CUtensorMap map_of(const wgmma_matrix& m, CUtensorMapDataType type, int bytes,
                          int box_outer) {
  // Where there is one run or plane alone, its stride may be anything, but not for the encoder.
  const index_t run = m.outer > 1 ? m.outer_stride * bytes : (m.inner * bytes + 15) / 16 * 16;
  return encode({.type = type,
                 .data = m.data,
                 .inner = m.inner,
                 .outer = m.outer,
                 .planes = m.planes,
                 .outer_stride = run,
                 .plane_stride = m.planes > 1 ? m.plane_stride * bytes : run,
                 .box_inner = wgmma_row_bytes / bytes,
                 .box_outer = box_outer});
}

/// The type of a map's elements. Floats that are multiplied as tf32 are rounded by the copy, to
/// nearest even.
template <class Element>
constexpr CUtensorMapDataType map_type(bool rounds) {
  if (std::is_same_v<Element, bf16>) return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  if (std::is_same_v<Element, half>) return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  return rounds ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
}

/// c's map: in boxes of 64 rows as a warpgroup has them, or of 32 columns where those are
/// contiguous.
template <class T, class In>
CUtensorMap result_map(const matmul_problem<T, In>& p, bool columns) {
  const matmul_problem<T, In> q = columns ? transposed(p) : p;
  const wgmma_matrix c{.data = q.c,
                       .inner = q.n,
                       .outer = q.m,
                       .planes = q.batch,
                       .outer_stride = q.c_row,
                       .plane_stride = q.c_batch};
  return map_of(c, map_type<T>(false), static_cast<int>(sizeof(T)), columns ? 32 : warpgroup_rows);
}

/// What writes c: tensor copies where they can, of floats by columns too.
template <class T, class In>
void set_result(const tensor_plan& plan, const matmul_problem<T, In>& p,
                wgmma_arguments& arguments) {
  arguments.finish = tandem::detail::epilogue_of(p);
  arguments.c_data = p.c;
  arguments.c_row = p.c_row;
  arguments.c_column = p.c_column;
  arguments.c_batch = p.c_batch;
  arguments.c_float = std::is_same_v<T, float>;
  const bool wide = tensor_tiles[plan.tile].n * sizeof(T) >= wgmma_row_bytes;
  const bool rows = wide && detail::tma_can_write(p);
  arguments.c_columns = !rows && sizeof(In) == 4 && detail::tma_can_write(transposed(p));
  arguments.c_boxes = rows || arguments.c_columns;
  if (arguments.c_boxes) arguments.c = result_map(p, arguments.c_columns);
}

/// The tiles of c and the blocks of k, of which chunks of plan.chunk terms make a total.
template <class In>
void set_tiles(const tensor_plan& plan, index_t m, index_t n, index_t k, index_t batch,
               wgmma_arguments& arguments) {
  constexpr index_t block = wgmma_block(tensor_type_of<In>);
  const tensor_tile& tile = tensor_tiles[plan.tile];
  arguments.m = static_cast<int>(m);
  arguments.n = static_cast<int>(n);
  arguments.batch = static_cast<int>(batch);
  arguments.blocks = static_cast<int>(ceil_div(k, block));
  arguments.chunk_blocks = static_cast<int>(ceil_div(plan.chunk, block));
  arguments.part_blocks = plan.split_k_slices > 1 ? arguments.chunk_blocks : arguments.blocks;
  arguments.parts = static_cast<int>(plan.split_k_slices);
  arguments.cluster = plan.cluster;
  arguments.shares_a = plan.shares_a;
  const index_t below = plan.shares_a ? 1 : plan.cluster;
  const index_t beside = plan.shares_a ? plan.cluster : 1;
  arguments.clusters_m = static_cast<int>(ceil_div<index_t>(m, tile.m() * below));
  arguments.tiles_n = static_cast<int>(ceil_div<index_t>(n, tile.n * beside));
  arguments.tiles =
      static_cast<int>(batch * plan.split_k_slices) * arguments.clusters_m * arguments.tiles_n;
  arguments.group = plan.group / static_cast<int>(below);
}

/// Maps of the operands, in boxes as the kernels of the plan's tile ask for them.
template <class In>
void set_operands(const tensor_plan& plan, const wgmma_matrix& a, const wgmma_matrix& b,
                  wgmma_arguments& arguments) {
  constexpr auto bytes = static_cast<int>(sizeof(In));
  constexpr int block = wgmma_block(tensor_type_of<In>);
  const tensor_tile& tile = tensor_tiles[plan.tile];
  // Blocks that share an operand bring equal parts of it.
  const int a_box = plan.a.k_major ? tile.m() / (plan.shares_a ? plan.cluster : 1) : block;
  const int b_box = plan.b.k_major ? tile.n / (plan.shares_a ? 1 : plan.cluster) : block;
  arguments.a = map_of(a, map_type<In>(true), bytes, a_box);
  arguments.b = map_of(b, map_type<In>(true), bytes, b_box);
  arguments.a_batched = a.planes > 1;
  arguments.b_batched = b.planes > 1;
}

/// Where the parts' totals go: float matrices of m x n, those of a part after the one before's.
template <class T, class In>
matmul_problem<float, In> totals_of(const matmul_problem<T, In>& p, index_t parts, float* totals) {
  matmul_problem<float, In> t;
  t.batch = p.batch * parts;
  t.m = p.m;
  t.n = p.n;
  t.c = totals;
  t.c_row = p.n;
  t.c_column = 1;
  t.c_batch = p.m * p.n;
  return t;
}

/// Adds the parts' totals up in ascending order, into c.
template <class T, class In>
void sum_parts(const cuda& space, const tensor_plan& plan, const matmul_problem<T, In>& p,
               const float* totals) {
  const index_t elements = p.batch * p.m * p.n;
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(ceil_div<index_t>(elements, matmul_sum_threads))),
      .block = dim3(matmul_sum_threads),
      .label = "matmul (sum of the parts of k)",
      .programmatic_launch = true};
  launch(space, shape, &matmul_sum_kernel<T, In, float>, bind(p, 0), totals, p.batch,
         plan.split_k_slices);
}

/// Enqueues a product of operands that tensor copies can read, of few enough tiles. `totals` has
/// room for batch * m * n floats a part where k is divided.
template <class T, class In>
void run_product(const cuda& space, const tensor_plan& plan, const matmul_problem<T, In>& p,
                 const wgmma_matrix& a, const wgmma_matrix& b, float* totals) {
  wgmma_arguments arguments{};
  set_tiles<In>(plan, p.m, p.n, p.k, p.batch, arguments);
  set_operands<In>(plan, a, b, arguments);
  if (plan.split_k_slices == 1) {
    set_result(plan, p, arguments);
    return launch_wgmma<tensor_type_of<In>>(space, plan, arguments);
  }
  set_result(plan, totals_of(p, plan.split_k_slices, totals), arguments);
  arguments.c_slice = p.batch * p.m * p.n;
  launch_wgmma<tensor_type_of<In>>(space, plan, arguments);
  sum_parts(space, plan, p, totals);
}

/// Enqueues a problem of few enough tiles: copies of operands where they are needed, products, sums
/// of parts.
template <class T, class In>
void run_wgmma(const cuda& space, const tensor_plan& plan, const matmul_problem<T, In>& p) {
  const index_t a_planes = p.batch > 1 && p.a_batch != 0 ? p.batch : 1;
  const index_t b_planes = p.batch > 1 && p.b_batch != 0 ? p.batch : 1;
  const std::size_t a_bytes = packed_bytes<In>(plan.a, p.m, p.k, a_planes);
  const std::size_t b_bytes = packed_bytes<In>(plan.b, p.n, p.k, b_planes);
  const index_t totals = plan.split_k_slices > 1 ? plan.split_k_slices * p.batch * p.m * p.n : 0;
  const std::size_t bytes = a_bytes + b_bytes + whole_lines(totals * 4);
  auto* const room = bytes > 0 ? static_cast<std::byte*>(scratch(space, bytes)) : nullptr;
  const wgmma_matrix a = bring_operand<In>(space, plan.a, {p.a, p.a_row, p.a_column, p.a_batch},
                                           p.m, p.k, a_planes, room);
  const wgmma_matrix b = bring_operand<In>(space, plan.b, {p.b, p.b_column, p.b_row, p.b_batch},
                                           p.n, p.k, b_planes, room + a_bytes);
  run_product(space, plan, p, a, b, reinterpret_cast<float*>(room + a_bytes + b_bytes));
}

}  // namespace tandem::cuda_impl
