// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/kernel.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

/// The choice among a type's wgmma kernels, one for each tile of the plan and order of operands:
/// what instances/ instantiate.
namespace tandem::cuda_impl {

/// The tiles that a plan's number means for elements of a type.
template <tensor_type Type, int Tile>
inline constexpr tensor_tile wgmma_shape =
    Type == tensor_type::int8 ? int8_hopper_tiles[Tile] : tensor_tiles[Tile];

template <tensor_type Type>
inline constexpr int wgmma_shapes = static_cast<int>(
    Type == tensor_type::int8 ? std::size(int8_hopper_tiles) : std::size(tensor_tiles));

template <tensor_type Type, int Tile, bool AKMajor, bool BKMajor>
void launch_wgmma_kernel(const cuda& space, const wgmma_arguments<wgmma_sum_t<Type>>& p) {
  constexpr tensor_tile shape = wgmma_shape<Type, Tile>;
  constexpr int rows = shape.warpgroups;
  constexpr int resident = shape.min_blocks_per_sm;
  using tile = wgmma_tile<Type, rows, shape.n, shape.pingpong, resident, AKMajor, BKMajor>;
  const int blocks = resident * limits(space).multiprocessors;
  const int clusters = std::min(p.tiles, blocks / p.cluster);
  const launch_shape launched{.grid = dim3(static_cast<unsigned>(clusters * p.cluster)),
                              .block = dim3(tile::threads),
                              .shared_bytes = tile::shared_bytes,
                              .label = "matmul (wgmma)",
                              .programmatic_launch = true,
                              .cluster = static_cast<unsigned>(p.cluster)};
  launch(space, launched,
         &matmul_wgmma_kernel<Type, rows, shape.n, shape.pingpong, resident, AKMajor, BKMajor>, p);
}

/// Launches the kernel of the plan's orders for a tile. b is K-major for tf32 and 8-bit integers,
/// and in tiles narrower than a TMA tile.
template <tensor_type Type, int Tile>
void launch_wgmma_tile(const cuda& space, const tensor_plan& plan,
                       const wgmma_arguments<wgmma_sum_t<Type>>& p) {
  constexpr tensor_tile shape = wgmma_shape<Type, Tile>;
  constexpr int element_bytes = tma_row_bytes / wgmma_block(Type);
  if constexpr (shape.element_bytes != 0 && shape.element_bytes != element_bytes) {
    return;  // the plan never chooses it
  } else if constexpr (element_bytes != 2) {
    if constexpr (element_bytes == 1 || shape.takes_a_in_registers()) {
      if (!plan.a.k_major) return launch_wgmma_kernel<Type, Tile, false, true>(space, p);
    }
    launch_wgmma_kernel<Type, Tile, true, true>(space, p);
  } else {
    if constexpr (shape.n >= 64) {
      if (!plan.a.k_major && !plan.b.k_major)
        return launch_wgmma_kernel<Type, Tile, false, false>(space, p);
      if (!plan.b.k_major) return launch_wgmma_kernel<Type, Tile, true, false>(space, p);
    }
    if (!plan.a.k_major) return launch_wgmma_kernel<Type, Tile, false, true>(space, p);
    launch_wgmma_kernel<Type, Tile, true, true>(space, p);
  }
}

template <tensor_type Type>
void launch_wgmma(const cuda& space, const tensor_plan& plan,
                  const wgmma_arguments<wgmma_sum_t<Type>>& arguments) {
  constexpr auto tiles = []<int... Tile>(std::integer_sequence<int, Tile...>) {
    using launcher =
        void (*)(const cuda&, const tensor_plan&, const wgmma_arguments<wgmma_sum_t<Type>>&);
    return std::array<launcher, sizeof...(Tile)>{&launch_wgmma_tile<Type, Tile>...};
  }(std::make_integer_sequence<int, wgmma_shapes<Type>>{});
  tiles[static_cast<std::size_t>(plan.tile)](space, plan, arguments);
}

}  // namespace tandem::cuda_impl
