// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/reduce_axis/output.cuh>
#include <tandem/core/contract/reduction_shape.hpp>

/// Reduces adjacent slices: adjacent threads read adjacent slices, and the lanes of a tile are
/// distributed over the block's rows of threads.
///
/// A columns type defines how a thread reads `width` adjacent columns:
///   accumulator, reducer
///   spare              registers for arithmetic besides lanes and loads
///   word               the result of one load
///   cursor             a thread's position: start(p, q, i, step) is term i of the columns q to
///                      q + width - 1; fetch(cursor) loads there and advances by `step` terms
///   lift(word, k, i)   the accumulator of column q + k
namespace tandem::cuda_impl {

/// Columns of elements: either `Width` contiguous ones aligned to their total size, or single ones.
template <class T, class R, int Width>
struct word_columns {
  using accumulator = typename R::accumulator;
  using word = aligned_word<Width * sizeof(T)>;
  static constexpr int width = Width;
  /// For widening narrow elements, and for combining large accumulators of single columns.
  static constexpr int spare =
      sizeof(T) == 1 || (Width == 1 && (sizeof(T) < 4 || sizeof(accumulator) > sizeof(T))) ? 16 : 0;

  strided_slices<T, R> slices;
  R reducer;

  struct cursor {
    const T* at;
    index_t step;
  };

  __device__ cursor start(index_t p, index_t q, index_t i, int step) const {
    return {slices(p, q).data + i * slices.term_stride, step * slices.term_stride};
  }
  /// The barrier keeps addresses in one chain of additions; otherwise the compiler keeps a register
  /// pair per load of a batch.
  __device__ word fetch(cursor& c) const {
    const word bits = load_streaming(reinterpret_cast<const word*>(c.at));
    c.at = ptx::optimization_barrier(c.at + c.step);
    return bits;
  }
  __device__ accumulator lift(const word& bits, int k, index_t i) const {
    const elements read = __builtin_bit_cast(elements, bits);
    return reducer.lift(read.of[k], i);
  }

 private:
  struct elements {
    values<T, Width> of;
  };
};

/// Columns of any slices, one per thread.
template <class Slices, class R>
struct function_columns {
  using accumulator = typename R::accumulator;
  using word = accumulator;
  static constexpr int width = 1;
  static constexpr int spare = 16;

  Slices slices;
  R reducer;

  struct cursor {
    decltype(std::declval<const Slices&>()(index_t{}, index_t{})) load;
    index_t i;
    int step;
  };

  __device__ cursor start(index_t p, index_t q, index_t i, int step) const {
    return {slices(p, q), i, step};
  }
  __device__ word fetch(cursor& c) const {
    const word term = c.load(c.i);
    c.i += c.step;
    return term;
  }
  __device__ accumulator lift(const word& term, int, index_t) const { return term; }
};

/// Enumerates the column blocks and tiles of a launch, column blocks fastest, so that concurrent
/// blocks read along rows.
struct column_grid {
  index_t outer = 1;
  index_t inner = 1;
  index_t terms = 0;
  index_t across = 0;   ///< column blocks per p
  index_t cells = 0;    ///< total number of column blocks
  int tiles = 1;        ///< tiles per column
  int nodes = 0;        ///< runs of parts that are combined first, or 0
  index_t first = 0;    ///< index of the launch's first block
  index_t sharing = 1;  ///< column blocks that share a counter; 1 if there are nodes
};

/// Folds one tile of Across x width columns with a block of Across x (column_block / Across)
/// threads.
///
/// `Lanes` is the shape's number of lanes, or fewer if columns have at most that many terms, since
/// lanes without terms are skipped.
template <class Columns, int Across, int Batch, int Lanes = canonical::lanes<reducer_of<Columns>>>
struct column_tile {
  using accumulator = typename Columns::accumulator;
  static constexpr int lanes = Lanes;
  static constexpr int down = column_block / Across;  // rows of threads
  static constexpr int each = lanes / down;           // lanes per thread: l, l + down, ..
  static constexpr int width = Columns::width;
  static constexpr int columns = Across * width;
  static constexpr int rows = Batch / each > 0 ? Batch / each : 1;  // of lanes, loaded together
  static_assert(each >= 1 && columns <= column_block);
  using lane_values = values<values<accumulator, width>, each>;
  /// Registers for a thread's lanes and loads, and for its arithmetic.
  static constexpr int registers =
      Columns::spare + each * (width * registers_of(sizeof(accumulator)) +
                               rows * registers_of(sizeof(typename Columns::word)));

  /// Folds the thread's lanes of the tile that begins at term `begin`, and halves them down to one.
  static __device__ void fold(const Columns& x, lane_values& lane, index_t p, index_t q,
                              index_t begin, index_t terms) {
#pragma unroll
    for (int j = 0; j < each; ++j) {
#pragma unroll
      for (int k = 0; k < width; ++k) lane[j][k] = x.reducer.identity();
    }
    const int mine = static_cast<int>(threadIdx.x) / Across;
    const index_t first = begin + mine;
    const int size = terms_of_tile<reducer_of<Columns>>(begin, terms);
    auto cursor = x.start(p, q, first, down);
    int at = 0;
#pragma unroll 1
    for (; at + rows * lanes <= size; at += rows * lanes)
      fold_rows<true>(x, lane, cursor, first + at, 0);
#pragma unroll 1
    for (; at < size; at += rows * lanes)
      fold_rows<false>(x, lane, cursor, first + at, size - mine - at);
#pragma unroll
    for (int h = each / 2; h >= 1; h /= 2) {
#pragma unroll
      for (int j = 0; j < each / 2; ++j) {
#pragma unroll
        for (int k = 0; k < width; ++k) {
          if (j < h) lane[j][k] = x.reducer.combine(lane[j][k], lane[j + h][k]);
        }
      }
    }
  }

 private:
  /// Folds terms first, first + down, .. of a batch of rows of lanes: all of them (`Full`), or only
  /// those before position `left`.
  template <bool Full>
  static __device__ void fold_rows(const Columns& x, lane_values& lane,
                                   typename Columns::cursor& cursor, index_t first, int left) {
    values<values<typename Columns::word, each>, rows> bits;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int j = 0; j < each; ++j) {
        if (Full || r * lanes + j * down < left) bits[r][j] = x.fetch(cursor);
      }
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int j = 0; j < each; ++j) {
        const int at = r * lanes + j * down;
        if (!Full && at >= left) continue;
#pragma unroll
        for (int k = 0; k < width; ++k)
          lane[j][k] = x.reducer.combine(lane[j][k], x.lift(bits[r][j], k, first + at));
      }
    }
  }
};

/// Returns the first output of column block `cell`. One block past the last of a row maps to the
/// first output of the next row.
template <int Columns>
__device__ index_t first_output(const column_grid& grid, index_t cell) {
  const index_t p = cell / grid.across;
  return p * grid.inner + (cell - p * grid.across) * Columns;
}

/// Ends a block whose columns have several tiles: the last of the blocks that share a counter
/// combines the parts. If there are few, long columns, the last block of each run of parts combines
/// that run first, which leaves little work for the very last block.
template <int Columns, class R, class T, class Output>
__device__ void finish_columns(const R& reducer, const column_grid& grid, index_t cell, int tile,
                               const axis_partials<T>& parts, const Output& output) {
  const index_t group = cell / grid.sharing;
  const index_t first_cell = group * grid.sharing;
  const index_t end_cell = tandem::min(first_cell + grid.sharing, grid.cells);
  const index_t first = first_output<Columns>(grid, first_cell);
  const index_t end = first_output<Columns>(grid, end_cell);
  unsigned* counter = parts.counters + group * (grid.nodes + 1);
  T* part = parts.partials;
  int count = grid.tiles;
  if (grid.nodes > 0) {
    constexpr int run = partials_per_thread<T>;
    const int node = tile / run;
    const int size = tandem::min(run, count - node * run);
    if (!block_arrives_last_of(counter + 1 + node, static_cast<unsigned>(size))) return;
    T* const above = part + count * parts.outputs;
    finish_outputs(part + node * run * parts.outputs, parts.outputs, first, end, size, reducer,
                   [&](index_t o, const T& value) { above[node * parts.outputs + o] = value; });
    part = above;
    count = grid.nodes;
  }
  const auto arrivals = static_cast<unsigned>((end_cell - first_cell) * count);
  if (!block_arrives_last_of(counter, arrivals)) return;
  finish_outputs(part, parts.outputs, first, end, count, reducer, output);
}

/// Folds one tile of a block of columns. If columns have several tiles, the last block to arrive
/// combines them.
template <class Tile, class Columns, class Output>
__global__ void __launch_bounds__(column_block, blocks_per_sm_for(column_block, Tile::registers))
    column_kernel(const __grid_constant__ Columns x, const column_grid grid,
                  axis_partials<typename Tile::accumulator> parts,
                  const __grid_constant__ Output output) {
  ptx::grid_dependency_wait();
  using accumulator = typename Tile::accumulator;
  constexpr int across = column_block / Tile::down;
  __shared__ raw_array<accumulator, Tile::down * Tile::columns> row_of_threads;
  const index_t block = grid.first + blockIdx.x;
  const index_t tile = block / grid.cells;
  const index_t cell = block - tile * grid.cells;
  const index_t p = grid.outer == 1 ? 0 : cell / grid.across;
  const index_t begin = (cell - p * grid.across) * Tile::columns;
  const int mine = static_cast<int>(threadIdx.x) % across * Tile::width;
  if (begin + mine < grid.inner) {
    typename Tile::lane_values lane;
    Tile::fold(x, lane, p, begin + mine, tile * canonical::tile<reducer_of<Columns>>, grid.terms);
#pragma unroll
    for (int k = 0; k < Tile::width; ++k)
      row_of_threads[static_cast<int>(threadIdx.x) / across * Tile::columns + mine + k] =
          lane[0][k];
  }
  __syncthreads();
  const auto column = static_cast<int>(threadIdx.x);
  if (column < Tile::columns && begin + column < grid.inner) {
    values<accumulator, Tile::down> value;
#pragma unroll
    for (int d = 0; d < Tile::down; ++d) value[d] = row_of_threads[d * Tile::columns + column];
#pragma unroll
    for (int h = Tile::down / 2; h >= 1; h /= 2) {
#pragma unroll
      for (int d = 0; d < Tile::down / 2; ++d) {
        if (d < h) value[d] = x.reducer.combine(value[d], value[d + h]);
      }
    }
    const index_t o = p * grid.inner + begin + column;
    if (grid.tiles == 1) {
      output(o, value[0]);
    } else {
      parts.partials[tile * parts.outputs + o] = value[0];
    }
  }
  if (grid.tiles > 1)
    finish_columns<Tile::columns>(x.reducer, grid, cell, static_cast<int>(tile), parts, output);
}

}  // namespace tandem::cuda_impl
