// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/loop/range.cuh>
#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/reduce_axis/columns_kernel.cuh>
#include <tandem/backends/cuda/reduce_axis/long_rows_kernel.cuh>
#include <tandem/backends/cuda/reduce_axis/short_rows_kernel.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/core/contract/reduce_axis_problem.hpp>

#include <type_traits>

namespace tandem {

namespace cuda_impl {

/// Writes what a reduction of no terms gives.
template <class Slices, class R>
struct store_empty {
  reduce_axis_problem<Slices, R> problem;

  __device__ void operator()(index_t o) const {
    const output_index at = split_output(o, problem.outer, problem.inner);
    problem.output(at.p, at.q) = problem.reducer.empty();
  }
};

/// What the kernels take by value.
template <class Slices, class R>
struct axis_arguments {
  Slices slices;
  R reducer;
  column_grid grid;
  axis_partials<typename R::accumulator> parts;
  axis_output<R> output;
};

/// A launch's label and its space.
struct axis_call {
  const cuda& space;
  const char* label;

  /// Calls start(shape, first block) for all of `blocks` blocks, at most 2^31 - 1 at a time.
  template <class Start>
  void for_blocks(index_t blocks, int threads, const Start& start) const {
    for (index_t first = 0; first < blocks; first += most_blocks_x) {
      const index_t count = tandem::min(blocks - first, most_blocks_x);
      start(launch_shape{.grid = dim3(static_cast<unsigned>(count)),
                         .block = dim3(static_cast<unsigned>(threads)),
                         .label = label,
                         .starts_early = waits_in_code(limits(space).compute_capability)},
            first);
    }
  }

  /// Room for `count` parts of each output, and for the levels above them.
  template <class T>
  axis_partials<T> parts(index_t count, index_t outputs) const {
    if (count <= 1) return {nullptr, nullptr, outputs};
    const auto bytes = 2 * sizeof(T) * static_cast<std::size_t>(count * outputs);
    return {static_cast<T*>(scratch(space, bytes)), counters(space), outputs};
  }
};

/// Slices of one tile at most.
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

/// Slices of any length.
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
  const index_t each = block::teams * plan.tiles_per_team / plan.tiles;  // slices of a block
  const auto parts = call.parts<typename R::accumulator>(plan.chunks, slices);
  call.for_blocks(ceil_div(slices, each) * plan.chunks, Slices::block,
                  [&](const launch_shape& shape, index_t first) {
                    slice_grid part = grid;
                    part.first = first;
                    launch(call.space, shape, slice_kernel<Slices, axis_output<R>>, x, part, parts,
                           output);
                  });
}

/// Slices side by side.
template <class Tile, class Columns, class R>
void launch_columns(const axis_call& call, const Columns& x, index_t terms,
                    const axis_output<R>& output) {
  using accumulator = typename R::accumulator;
  column_grid grid{.outer = output.outer, .inner = output.inner, .terms = terms};
  grid.across = ceil_div(output.inner, index_t{Tile::columns});
  grid.cells = grid.across * output.outer;
  grid.tiles = static_cast<int>(ceil_div(terms, index_t{canonical::tile<accumulator>}));
  grid.nodes = column_nodes(grid.cells, grid.tiles, partials_per_thread<accumulator>);
  grid.sharing = counter_sharing(grid.cells);
  const auto parts = call.parts<accumulator>(grid.tiles, output.outer * output.inner);
  call.for_blocks(grid.cells * grid.tiles, column_block,
                  [&](const launch_shape& shape, index_t first) {
                    column_grid part = grid;
                    part.first = first;
                    launch(call.space, shape, column_kernel<Tile, Columns, axis_output<R>>, x, part,
                           parts, output);
                  });
}

/// Whether elements of T can be read as words of 16 bytes for R: a row of lanes has two or more.
template <class T, class R>
inline constexpr bool has_words = 16 % sizeof(T) == 0 && std::is_trivially_copyable_v<T> &&
                                  sizeof(typename R::accumulator) <= 16 &&
                                  canonical::lanes<typename R::accumulator> * sizeof(T) >= 32;

/// Whether each of the steps that slices take, along which there is more than one element, keeps a
/// boundary of `Width` elements.
template <int Width, class T, class R>
bool keeps_boundary(const reduce_axis_problem<strided_slices<T, R>, R>& problem, index_t inner,
                    index_t term) {
  const auto& x = problem.slices;
  return reinterpret_cast<std::size_t>(x.data) % (Width * sizeof(T)) == 0 &&
         (problem.outer == 1 || x.outer_stride % Width == 0) && inner % Width == 0 &&
         term % Width == 0;
}

/// The widest columns of R's accumulators that keep a thread's lanes within 32 registers.
template <class T, class R>
inline constexpr int column_width = [] {
  using accumulator = typename R::accumulator;
  const int each = canonical::lanes<accumulator> / (column_block / word_columns_across);
  int width = static_cast<int>(16 / sizeof(T));
  while (width > 1 && width * each * registers_of(sizeof(accumulator)) > 32) width /= 2;
  return width;
}();

/// How single terms of side by side slices are read: a view's elements by their address, which
/// takes fewer registers than a functor of the index.
template <class Slices, class R>
struct single_columns {
  using type = function_columns<Slices, R>;
};
template <class T, class R>
  requires(16 % sizeof(T) == 0 && std::is_trivially_copyable_v<T>)
struct single_columns<strided_slices<T, R>, R> {
  using type = word_columns<T, R, 1>;
};

/// Any slices, read term by term.
template <class Slices, class R>
void reduce_terms(const axis_call& call, const reduce_axis_problem<Slices, R>& problem) {
  using accumulator = typename R::accumulator;
  using rows = function_rows<Slices, R>;
  constexpr int batch = loads_in_flight(sizeof(accumulator));
  constexpr int lanes = canonical::lanes<accumulator>;
  constexpr int team = lanes < warp_threads ? lanes : warp_threads;
  const axis_output<R> output = make_axis_output(problem);
  const rows x{problem.slices, problem.reducer};
  if constexpr (sizeof(accumulator) <= 16) {
    // A thread a slice, all of its loads under way together.
    using thread = lane_team<rows, 1, 1, shallow_lanes>;
    if (problem.terms <= shallow_lanes)
      return launch_short<thread, 256>(call, x, problem.terms, output);
  }
  if constexpr (sizeof(accumulator) <= 32) {
    using columns = typename single_columns<Slices, R>::type;
    const columns y{problem.slices, problem.reducer};
    if (problem.side_by_side && problem.inner >= min_columns)
      return launch_columns<column_tile<columns, warp_threads, batch>>(call, y, problem.terms,
                                                                       output);
  }
  if (problem.terms <= canonical::tile<accumulator>) {
    launch_short<lane_team<rows, 16, batch / 2>, 256>(call, x, problem.terms, output);
  } else {
    launch_slices(call, lane_slices<rows, team, batch>{x}, problem.terms, output);
  }
}

/// Any slices of an operation that does not commute.
template <class Slices, class R>
  requires(!R::commutative)
void reduce_terms(const axis_call& call, const reduce_axis_problem<Slices, R>& problem) {
  launch_slices(call, ordered_slices<Slices, R>{problem.slices, problem.reducer}, problem.terms,
                make_axis_output(problem));
}

/// Contiguous slices at boundaries of 16 bytes.
template <class T, class R>
void reduce_word_rows(const axis_call& call,
                      const reduce_axis_problem<strided_slices<T, R>, R>& problem) {
  using accumulator = typename R::accumulator;
  using rows = word_rows<T, R>;
  constexpr int lanes = canonical::lanes<accumulator>;
  constexpr int batch = loads_in_flight(sizeof(accumulator));
  constexpr int words = lanes / rows::width;  // of a row of lanes, two or more
  constexpr int wide = words < 16 ? words : 16;
  constexpr int middling = words < 8 ? words : 8;
  constexpr int narrow = words < 4 ? words : 4;
  constexpr int least = shallow_lanes / rows::width < 2 ? 1 : 2;
  const rows x{problem.slices, problem.reducer};
  const axis_output<R> output = make_axis_output(problem);
  const index_t terms = problem.terms;
  if (terms > canonical::tile<accumulator>) {
    launch_slices(call, lane_slices<rows, wide, batch>{x}, terms, output);
  } else if (terms > 4 * lanes) {
    launch_short<lane_team<rows, wide, batch / 2>, 128>(call, x, terms, output);
  } else if (terms > lanes) {
    launch_short<lane_team<rows, middling, batch / 4>, 512>(call, x, terms, output);
  } else if (terms > shallow_lanes) {
    launch_short<lane_team<rows, narrow, batch / 4>, 256>(call, x, terms, output);
  } else {
    launch_short<lane_team<rows, least, batch / 4, shallow_lanes>, 256>(call, x, terms, output);
  }
}

/// Contiguous columns at boundaries of a word.
template <class T, class R>
void reduce_word_columns(const axis_call& call,
                         const reduce_axis_problem<strided_slices<T, R>, R>& problem) {
  using columns = word_columns<T, R, column_width<T, R>>;
  constexpr int batch = loads_in_flight(sizeof(typename R::accumulator));
  using deep = column_tile<columns, word_columns_across, batch>;
  using shallow = column_tile<columns, word_columns_across, batch / 2>;
  const columns x{problem.slices, problem.reducer};
  const axis_output<R> output = make_axis_output(problem);
  if (problem.terms >= deep::rows * deep::lanes) {
    launch_columns<deep>(call, x, problem.terms, output);
  } else {
    launch_columns<shallow>(call, x, problem.terms, output);
  }
}

/// Slices of a view: in wide words where they lie so.
template <class T, class R>
void reduce_view(const axis_call& call,
                 const reduce_axis_problem<strided_slices<T, R>, R>& problem) {
  if constexpr (R::commutative && has_words<T, R>) {
    const auto& x = problem.slices;
    constexpr int width = static_cast<int>(16 / sizeof(T));
    if (!problem.side_by_side && problem.terms > shallow_lanes / 2 && x.term_stride == 1 &&
        keeps_boundary<width>(problem, problem.inner == 1 ? 0 : x.inner_stride, problem.terms))
      return reduce_word_rows(call, problem);
    if (problem.side_by_side && problem.terms > shallow_lanes && x.inner_stride == 1 &&
        problem.inner >= min_columns &&
        keeps_boundary<column_width<T, R>>(problem, problem.inner, x.term_stride))
      return reduce_word_columns(call, problem);
  }
  reduce_terms(call, problem);
}

}  // namespace cuda_impl

/// Many reductions of one length in the stream's order, each in its canonical shape. One kernel;
/// does not block. Errors: device_error, out_of_memory_error.
template <class Slices, class R>
void dispatch_reduce_axis(const cuda& space, const char* label,
                          const reduce_axis_problem<Slices, R>& problem) {
  cuda_impl::require_argument_size<cuda_impl::axis_arguments<Slices, R>>();
  const cuda_impl::axis_call call{space, label};
  if (problem.terms == 0) {
    dispatch_for(space, label, range{0, problem.outputs()},
                 cuda_impl::store_empty<Slices, R>{problem});
  } else if constexpr (requires { typename Slices::element; }) {
    cuda_impl::reduce_view(call, problem);
  } else {
    cuda_impl::reduce_terms(call, problem);
  }
}

// Compiled once, in reduce_axis_sums.cu.
extern template void dispatch_reduce_axis(
    const cuda&, const char*,
    const reduce_axis_problem<strided_slices<float, sum<float>>, sum<float>>&);
extern template void dispatch_reduce_axis(
    const cuda&, const char*,
    const reduce_axis_problem<strided_slices<double, sum<double>>, sum<double>>&);

}  // namespace tandem
