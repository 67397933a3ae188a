// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/kernel.cuh>
#include <tandem/backends/cuda/matmul/hopper/launch.cuh>

#include <algorithm>
#include <array>
#include <utility>

/// What the matmul_wgmma_*.cu instantiate.
namespace tandem::cuda_impl {

template <tensor_type Type, int Tile, bool AKMajor, bool BKMajor>
void launch_wgmma_kernel(const cuda& space, const wgmma_arguments& p) {
  constexpr int rows = tensor_tiles[Tile].warpgroups;
  constexpr int n = tensor_tiles[Tile].n;
  constexpr bool turns = tensor_tiles[Tile].pingpong;
  constexpr int resident = tensor_tiles[Tile].min_blocks_per_sm;
  using tile = wgmma_tile<Type, rows, n, turns, resident, AKMajor, BKMajor>;
  const int blocks = resident * limits(space).multiprocessors;
  const int clusters = std::min(p.tiles, blocks / p.cluster);
  const launch_shape shape{.grid = dim3(static_cast<unsigned>(clusters * p.cluster)),
                           .block = dim3(tile::threads),
                           .shared_bytes = tile::shared_bytes,
                           .label = "matmul (wgmma)",
                           .programmatic_launch = true,
                           .cluster = static_cast<unsigned>(p.cluster)};
  launch(space, shape, &matmul_wgmma_kernel<Type, rows, n, turns, resident, AKMajor, BKMajor>, p);
}

/// The kernel of the plan's orders for a tile. b is along k for tf32, and in tiles narrower than a
/// box.
template <tensor_type Type, int Tile>
void launch_wgmma_tile(const cuda& space, const tensor_plan& plan, const wgmma_arguments& p) {
  constexpr tensor_tile tile = tensor_tiles[Tile];
  constexpr int element_bytes = wgmma_row_bytes / wgmma_block(Type);
  if constexpr (tile.element_bytes != 0 && tile.element_bytes != element_bytes) {
    return;  // the plan never chooses it
  } else if constexpr (Type == tensor_type::tf32) {
    if constexpr (tile.takes_a_in_registers()) {
      if (!plan.a.k_major) return launch_wgmma_kernel<Type, Tile, false, true>(space, p);
    }
    launch_wgmma_kernel<Type, Tile, true, true>(space, p);
  } else {
    if constexpr (tile.n >= 64) {
      if (!plan.a.k_major && !plan.b.k_major)
        return launch_wgmma_kernel<Type, Tile, false, false>(space, p);
      if (!plan.b.k_major) return launch_wgmma_kernel<Type, Tile, true, false>(space, p);
    }
    if (!plan.a.k_major) return launch_wgmma_kernel<Type, Tile, false, true>(space, p);
    launch_wgmma_kernel<Type, Tile, true, true>(space, p);
  }
}

template <tensor_type Type>
void launch_wgmma(const cuda& space, const tensor_plan& plan, const wgmma_arguments& arguments) {
  constexpr auto tiles = []<int... Tile>(std::integer_sequence<int, Tile...>) {
    using launcher = void (*)(const cuda&, const tensor_plan&, const wgmma_arguments&);
    return std::array<launcher, sizeof...(Tile)>{&launch_wgmma_tile<Type, Tile>...};
  }(std::make_integer_sequence<int, static_cast<int>(std::size(tensor_tiles))>{});
  tiles[static_cast<std::size_t>(plan.tile)](space, plan, arguments);
}

}  // namespace tandem::cuda_impl
