// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul_wgmma_int8.cuh>
#include <tandem/backends/cuda/matmul_wgmma_int8_launch.cuh>
#include <tandem/backends/cuda/matmul_wgmma_launch.cuh>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace tandem::cuda_impl {
namespace {

using int8_arguments = matmul_arguments<std::int32_t, std::int8_t>;

/// The map of an operand of `outer` rows (columns) by k terms, in boxes of `box` of them.
CUtensorMap map_operand(const matmul_operand<std::int8_t>& x, index_t outer, index_t k,
                        index_t batch, int box) {
  // Where there is one row or matrix alone, its stride may be anything, but not for the encoder.
  const index_t row = outer > 1 ? x.outer_stride : round_up(k, index_t{16});
  const index_t planes = batch > 1 && x.batch_stride != 0 ? batch : 1;
  return encode({.type = CU_TENSOR_MAP_DATA_TYPE_UINT8,
                 .data = x.data,
                 .inner = k,
                 .outer = outer,
                 .planes = planes,
                 .outer_stride = row,
                 .plane_stride = planes > 1 ? x.batch_stride : row,
                 .box_inner = wgmma_row_bytes,
                 .box_outer = box});
}

/// Whether tensor copies can write c, and nothing is done to an element but a factor. They write
/// whole pieces of 16 bytes, also at a row's end.
bool writes_boxes(const int8_arguments& p, index_t planes) {
  const auto& f = p.finish;
  const auto fits = [](index_t stride) { return stride > 0 && stride % 4 == 0; };
  return f.beta == 0 && f.bias == nullptr && f.activation == matmul_activation::none &&
         p.c_column == 1 && p.n % 4 == 0 && (p.m == 1 || fits(p.c_row)) &&
         (planes == 1 || fits(p.c_batch)) && reinterpret_cast<std::uintptr_t>(p.c) % 16 == 0;
}

/// What writes c, whose matrices of a part follow those of the one before.
void set_result(const int8_arguments& p, index_t planes, int8_wgmma_arguments& arguments) {
  wgmma_arguments& frame = arguments.frame;
  arguments.finish = p.finish;
  frame.c_data = p.c;
  frame.c_row = p.c_row;
  frame.c_column = p.c_column;
  frame.c_batch = p.c_batch;
  frame.c_part = p.c_part;
  frame.c_boxes = writes_boxes(p, planes);
  if (!frame.c_boxes) return;
  const index_t row = p.m > 1 ? p.c_row * 4 : round_up(p.n * 4, index_t{16});
  frame.c = encode({.type = CU_TENSOR_MAP_DATA_TYPE_INT32,
                    .data = p.c,
                    .inner = p.n,
                    .outer = p.m,
                    .planes = planes,
                    .outer_stride = row,
                    .plane_stride = planes > 1 ? p.c_batch * 4 : row,
                    .box_inner = wgmma_row_bytes / 4,
                    .box_outer = warpgroup_rows});
}

/// The tiles of c and the blocks of k.
void set_tiles(const int8_plan& plan, const int8_arguments& p, index_t batch,
               wgmma_arguments& frame) {
  constexpr int band = 16;  // rows of tiles that are at work at a time
  const int8_hopper_tile& tile = int8_hopper_tiles[plan.tile];
  frame.m = static_cast<int>(p.m);
  frame.n = static_cast<int>(p.n);
  frame.batch = static_cast<int>(batch);
  frame.blocks = static_cast<int>(ceil_div(p.k, index_t{wgmma_row_bytes}));
  frame.part_blocks =
      plan.parts > 1 ? static_cast<int>(plan.part_k / wgmma_row_bytes) : frame.blocks;
  frame.chunk_blocks = frame.part_blocks;
  frame.parts = static_cast<int>(plan.parts);
  frame.cluster = plan.cluster;
  frame.clusters_m = static_cast<int>(ceil_div<index_t>(p.m, tile.m() * plan.cluster));
  frame.tiles_n = static_cast<int>(ceil_div<index_t>(p.n, tile.n));
  frame.tiles = static_cast<int>(batch * plan.parts) * frame.clusters_m * frame.tiles_n;
  frame.group = band / plan.cluster;
}

template <int Tile>
void launch_tile(const cuda& space, const int8_wgmma_arguments& arguments) {
  constexpr int8_hopper_tile shape = int8_hopper_tiles[Tile];
  using tile = int8_tile<shape.warpgroups, shape.n>;
  const int cluster = arguments.frame.cluster;
  const int resident = shape.resident * limits(space).multiprocessors;
  const int clusters = std::min(arguments.frame.tiles, resident / cluster);
  const launch_shape launched{.grid = dim3(static_cast<unsigned>(clusters * cluster)),
                              .block = dim3(tile::threads),
                              .shared_bytes = tile::shared_bytes,
                              .label = "matmul (wgmma, 8-bit integers)",
                              .starts_early = true,
                              .cluster = static_cast<unsigned>(cluster)};
  launch(space, launched, &matmul_wgmma_int8_kernel<shape.warpgroups, shape.n>, arguments);
}

}  // namespace

void launch_wgmma_int8(const cuda& space, const int8_plan& plan, const int8_arguments& arguments,
                       index_t batch) {
  const int8_hopper_tile& tile = int8_hopper_tiles[plan.tile];
  int8_wgmma_arguments problem{};
  set_tiles(plan, arguments, batch, problem.frame);
  problem.frame.a = map_operand(arguments.a, arguments.m, arguments.k, batch, tile.m());
  problem.frame.b =
      map_operand(arguments.b, arguments.n, arguments.k, batch, tile.n / plan.cluster);
  problem.frame.a_batched = batch > 1 && arguments.a.batch_stride != 0;
  problem.frame.b_batched = batch > 1 && arguments.b.batch_stride != 0;
  set_result(arguments, batch * plan.parts, problem);
  constexpr auto launchers = []<int... Tile>(std::integer_sequence<int, Tile...>) {
    using launcher = void (*)(const cuda&, const int8_wgmma_arguments&);
    return std::array<launcher, sizeof...(Tile)>{&launch_tile<Tile>...};
  }(std::make_integer_sequence<int, static_cast<int>(std::size(int8_hopper_tiles))>{});
  launchers[static_cast<std::size_t>(plan.tile)](space, problem);
}

}  // namespace tandem::cuda_impl
