// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/hopper/int8/kernel.cuh>
#include <tandem/backends/cuda/matmul/hopper/int8/launch.cuh>
#include <tandem/backends/cuda/matmul/hopper/launch.cuh>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace tandem::cuda_impl {
namespace {

using int8_arguments = matmul_arguments<std::int32_t, std::int8_t>;

/// A map of runs of contiguous elements. Where there is one run or matrix alone, its stride may be
/// anything, but not for the encoder.
wgmma_map runs_of(const std::int8_t* data, index_t inner, index_t outer, index_t stride) {
  const index_t run = outer > 1 ? stride : round_up(inner, index_t{16});
  return {.type = CU_TENSOR_MAP_DATA_TYPE_UINT8,
          .data = data,
          .inner = inner,
          .outer = outer,
          .planes = 1,
          .outer_stride = run,
          .plane_stride = run,
          .box_inner = wgmma_row_bytes,
          .box_outer = wgmma_row_bytes};
}

/// The map of an operand of `outer` rows (columns) by k terms, in boxes of `box` of them.
CUtensorMap map_operand(const matmul_operand<std::int8_t>& x, bool k_major, index_t outer,
                        index_t k, index_t batch, int box) {
  wgmma_map map =
      k_major ? runs_of(x.data, k, outer, x.outer_stride) : runs_of(x.data, outer, k, x.k_stride);
  (k_major ? map.box_outer : map.box_inner) = box;
  if (map.box_inner == 64) map.swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
  if (batch > 1 && x.batch_stride != 0) {
    map.planes = batch;
    map.plane_stride = x.batch_stride;
  }
  return encode(map);
}

/// How tensor copies write c: runs of neighbours along its rows or, `columns`, its columns.
wgmma_map map_result(const int8_arguments& p, index_t planes, bool columns) {
  const index_t inner = columns ? p.m : p.n;
  const index_t outer = columns ? p.n : p.m;
  const index_t run = outer > 1 ? (columns ? p.c_column : p.c_row) : round_up(inner, index_t{4});
  return {.type = CU_TENSOR_MAP_DATA_TYPE_INT32,
          .data = p.c,
          .inner = inner,
          .outer = outer,
          .planes = planes,
          .outer_stride = run * 4,
          .plane_stride = (planes > 1 ? p.c_batch : run) * 4,
          .box_inner = wgmma_row_bytes / 4,
          .box_outer = columns ? warpgroup_rows / 2 : warpgroup_rows};
}

/// Whether tensor copies can write c, and nothing is done to an element but a factor. They write
/// whole pieces of 16 bytes, also at a row's end.
bool tma_can_write(const int8_arguments& p, const wgmma_map& c, bool columns) {
  const auto& f = p.finish;
  const auto fits = [](index_t bytes) { return bytes > 0 && bytes % 16 == 0; };
  return f.beta == 0 && f.bias == nullptr && f.activation == matmul_activation::none &&
         (columns || p.c_column == 1) && c.inner % 4 == 0 && fits(c.outer_stride) &&
         fits(c.plane_stride) && reinterpret_cast<std::uintptr_t>(p.c) % 16 == 0;
}

/// What writes c, whose matrices of a part follow those of the one before.
void set_result(const int8_arguments& p, index_t planes, bool a_k_major,
                int8_wgmma_arguments& arguments) {
  wgmma_arguments& frame = arguments.frame;
  arguments.finish = p.finish;
  frame.c_data = p.c;
  frame.c_row = p.c_row;
  frame.c_column = p.c_column;
  frame.c_batch = p.c_batch;
  frame.c_slice = p.c_slice;
  frame.c_columns = !a_k_major && p.c_row == 1 && p.c_column != 1;
  const wgmma_map c = map_result(p, planes, frame.c_columns);
  frame.c_boxes = tma_can_write(p, c, frame.c_columns);
  if (frame.c_boxes) frame.c = encode(c);
}

/// The tiles of c and the blocks of k.
void set_tiles(const int8_plan& plan, const int8_arguments& p, index_t batch,
               wgmma_arguments& frame) {
  constexpr int band = 16;  // rows of tiles that are at work at a time
  const tensor_tile& tile = int8_hopper_tiles[plan.tile];
  frame.m = static_cast<int>(p.m);
  frame.n = static_cast<int>(p.n);
  frame.batch = static_cast<int>(batch);
  frame.blocks = static_cast<int>(ceil_div(p.k, index_t{wgmma_row_bytes}));
  frame.part_blocks =
      plan.split_k_slices > 1 ? static_cast<int>(plan.slice_k / wgmma_row_bytes) : frame.blocks;
  frame.chunk_blocks = frame.part_blocks;
  frame.parts = static_cast<int>(plan.split_k_slices);
  frame.cluster = plan.cluster;
  frame.clusters_m = static_cast<int>(ceil_div<index_t>(p.m, tile.m() * plan.cluster));
  frame.tiles_n = static_cast<int>(ceil_div<index_t>(p.n, tile.n));
  frame.tiles = static_cast<int>(batch * plan.split_k_slices) * frame.clusters_m * frame.tiles_n;
  frame.group = band / plan.cluster;
}

template <int Tile, bool AKMajor>
void launch_tile(const cuda& space, const int8_wgmma_arguments& arguments) {
  constexpr tensor_tile shape = int8_hopper_tiles[Tile];
  using tile = int8_tile<shape.warpgroups, shape.n, AKMajor>;
  const int cluster = arguments.frame.cluster;
  const int resident = shape.min_blocks_per_sm * limits(space).multiprocessors;
  const int clusters = std::min(arguments.frame.tiles, resident / cluster);
  const launch_shape launched{.grid = dim3(static_cast<unsigned>(clusters * cluster)),
                              .block = dim3(tile::threads),
                              .shared_bytes = tile::shared_bytes,
                              .label = "matmul (wgmma, 8-bit integers)",
                              .programmatic_launch = true,
                              .cluster = static_cast<unsigned>(cluster)};
  launch(space, launched, &matmul_wgmma_int8_kernel<shape.warpgroups, shape.n, AKMajor>, arguments);
}

/// launch_tile of the plan's tile.
template <bool AKMajor>
void launch_order(const cuda& space, int tile, const int8_wgmma_arguments& arguments) {
  constexpr auto launchers = []<int... Tile>(std::integer_sequence<int, Tile...>) {
    using launcher = void (*)(const cuda&, const int8_wgmma_arguments&);
    return std::array<launcher, sizeof...(Tile)>{&launch_tile<Tile, AKMajor>...};
  }(std::make_integer_sequence<int, static_cast<int>(std::size(int8_hopper_tiles))>{});
  launchers[static_cast<std::size_t>(tile)](space, arguments);
}

}  // namespace

void launch_wgmma_int8(const cuda& space, const int8_plan& plan, const int8_arguments& p,
                       index_t batch) {
  const tensor_tile& tile = int8_hopper_tiles[plan.tile];
  int8_wgmma_arguments arguments{};
  wgmma_arguments& frame = arguments.frame;
  set_tiles(plan, p, batch, frame);
  frame.a = map_operand(p.a, plan.a.k_major, p.m, p.k, batch, tile.m());
  frame.b = map_operand(p.b, true, p.n, p.k, batch, tile.n / plan.cluster);
  frame.a_batched = batch > 1 && p.a.batch_stride != 0;
  frame.b_batched = batch > 1 && p.b.batch_stride != 0;
  set_result(p, batch * plan.split_k_slices, plan.a.k_major, arguments);
  if (plan.a.k_major) {
    launch_order<true>(space, plan.tile, arguments);
  } else {
    launch_order<false>(space, plan.tile, arguments);
  }
}

}  // namespace tandem::cuda_impl
