// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/loop/range.cuh>
#include <tandem/core/contract/grid_indices.hpp>

namespace tandem::cuda_impl {

/// A grid whose rows are shorter than the part of a row that a warp processes. Its indices are
/// flattened, so no threads idle at the end of a row.
struct narrow_grid {
  unsigned count = 0;  ///< indices of the grid, at most 2^31 - 1
  unsigned columns = 1;
  unsigned rows = 1;  ///< per plane
  tandem::detail::fast_divisor by_columns;
  tandem::detail::fast_divisor by_rows;
};

/// Calls f for the tile of indices that this block owns. Adjacent indices run on adjacent threads.
template <int Rank, class F>
__global__ void __launch_bounds__(loops.block)
    narrow_grid_kernel(const __grid_constant__ F f, narrow_grid g) {
  ptx::grid_dependency_wait();
  using Result = loop_index<F>;
  constexpr unsigned tile = loops.block * loops.items;
  const auto call = [&](unsigned number) {
    const unsigned row = g.by_columns.quotient(number);
    const auto i = static_cast<Result>(number - row * g.columns);
    if constexpr (Rank == 2) {
      f(static_cast<Result>(row), i);
    } else {
      const unsigned k = g.by_rows.quotient(row);
      f(static_cast<Result>(k), static_cast<Result>(row - k * g.rows), i);
    }
  };
  const unsigned first = blockIdx.x * tile + threadIdx.x;
  if (g.count - blockIdx.x * tile >= tile) {
    call_strided<loops.items, loops.block>(call, first);
  } else {
#pragma unroll 1
    for (unsigned number = first; number < g.count; number += loops.block) call(number);
  }
}

/// Launches the loop over a grid of size[0] columns, size[1] rows and size[2] planes.
template <int Rank, class F>
void launch_narrow_grid(const cuda& space, const char* label, const index_t (&size)[3],
                        const F& f) {
  const index_t count = size[0] * size[1] * size[2];
  const auto columns = static_cast<unsigned>(size[0]);
  const auto rows = static_cast<unsigned>(size[1]);
  const launch_shape shape{.grid = dim3(static_cast<unsigned>(ceil_div(count, index_t{loop_tile}))),
                           .block = dim3(static_cast<unsigned>(loops.block)),
                           .label = label,
                           .programmatic_launch = true};
  const narrow_grid g{static_cast<unsigned>(count), columns, rows,
                      tandem::detail::divide_by(columns), tandem::detail::divide_by(rows)};
  launch(space, shape, narrow_grid_kernel<Rank, F>, f, g);
}

}  // namespace tandem::cuda_impl
