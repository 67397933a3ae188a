// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include <tandem/backends/cuda/reduce_axis/columns_kernel.cuh>
#include <tandem/backends/cuda/reduce_axis/long_rows_kernel.cuh>
#include <tandem/backends/cuda/reduce_axis/output.cuh>
#include <tandem/backends/cuda/reduce_axis/plan.hpp>
#include <tandem/backends/cuda/reduce_axis/short_rows_kernel.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>

/// Launches of the kernels that reduce along an axis.
namespace tandem::cuda_impl {

/// Kernel arguments passed by value.
template <class Slices, class R>
struct axis_arguments {
  Slices slices;
  R reducer;
  column_grid grid;
  axis_partials<typename R::accumulator> parts;
  axis_output<R> output;
};

/// A launch's label and space.
struct axis_call {
  const cuda& space;
  const char* label;

  /// Calls start(shape, first block) for all `blocks` blocks, at most 2^31 - 1 at a time.
  template <class Start>
  void for_blocks(index_t blocks, int threads, const Start& start) const {
    for (index_t first = 0; first < blocks; first += max_grid_x) {
      const index_t count = tandem::min(blocks - first, max_grid_x);
      start(launch_shape{.grid = dim3(static_cast<unsigned>(count)),
                         .block = dim3(static_cast<unsigned>(threads)),
                         .label = label,
                         .programmatic_launch = true},
            first);
    }
  }

  /// Scratch for `count` parts of each output, and for the levels above them.
  template <class T>
  axis_partials<T> partials(index_t count, index_t outputs) const {
    if (count <= 1) return {nullptr, nullptr, outputs};
    const auto bytes = 2 * sizeof(T) * static_cast<std::size_t>(count * outputs);
    return {static_cast<T*>(scratch(space, bytes)), counters(space), outputs};
  }
};

/// Launches slices of at most one tile.
template <class Team, int Block, class Rows, class R>
void launch_short(const axis_call& call, const Rows& x, index_t terms,
                  const axis_output<R>& output) {
  constexpr int teams = Block / Team::team;
  const index_t blocks = ceil_div(output.outer * output.inner, index_t{teams});
  call.for_blocks(blocks, Block, [&](const launch_shape& shape, index_t first) {
    launch(call.space, shape, short_rows_kernel<Team, Block, Rows, axis_output<R>>, x,
           first * teams, terms, output);
  });
}

/// Launches slices of any length.
template <class Slices, class R>
void launch_slices(const axis_call& call, const Slices& x, index_t terms,
                   const axis_output<R>& output) {
  using block = slice_block<Slices>;
  const index_t slices = output.outer * output.inner;
  const slice_plan plan = plan_slices(slices, ceil_div(terms, Slices::tile_terms), block::teams,
                                      block::max_tiles_per_team, Slices::min_tiles);
  const slice_grid grid{.outer = output.outer,
                        .inner = output.inner,
                        .terms = terms,
                        .tiles = plan.tiles,
                        .each = plan.tiles_per_team,
                        .chunks = plan.chunks,
                        .sharing = counter_sharing(slices)};
  const index_t each = block::teams * plan.tiles_per_team / plan.tiles;  // slices per block
  const auto parts = call.partials<typename R::accumulator>(plan.chunks, slices);
  call.for_blocks(ceil_div(slices, each) * plan.chunks, Slices::block,
                  [&](const launch_shape& shape, index_t first) {
                    slice_grid part = grid;
                    part.first = first;
                    launch(call.space, shape, slice_kernel<Slices, axis_output<R>>, x, part, parts,
                           output);
                  });
}

/// Launches adjacent slices.
template <class Tile, class Columns, class R>
void launch_columns(const axis_call& call, const Columns& x, index_t terms,
                    const axis_output<R>& output) {
  using accumulator = typename R::accumulator;
  column_grid grid{.outer = output.outer, .inner = output.inner, .terms = terms};
  grid.across = ceil_div(output.inner, index_t{Tile::columns});
  grid.cells = grid.across * output.outer;
  grid.tiles = static_cast<int>(ceil_div(terms, index_t{canonical::tile<R>}));
  grid.nodes = column_nodes(grid.cells, grid.tiles, partials_per_thread<accumulator>);
  grid.sharing = counter_sharing(grid.cells);
  const auto parts = call.partials<accumulator>(grid.tiles, output.outer * output.inner);
  call.for_blocks(grid.cells * grid.tiles, column_block,
                  [&](const launch_shape& shape, index_t first) {
                    column_grid part = grid;
                    part.first = first;
                    launch(call.space, shape, column_kernel<Tile, Columns, axis_output<R>>, x, part,
                           parts, output);
                  });
}

}  // namespace tandem::cuda_impl
