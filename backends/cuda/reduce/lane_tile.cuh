// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/reduce/fast_minmax.cuh>
#include <tandem/backends/cuda/reduce/policy.hpp>
#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/contract/term_loaders.hpp>
#include <tandem/core/math.hpp>

/// Tiles (kernel.cuh) of the commutative shape: each of `lanes` lanes folds a strided sequence of
/// terms, then the lanes are halved by lane l op lane l + h.
///
/// A team of adjacent threads of a warp folds one tile:
///   team        threads that share a tile; a power of two
///   elements    terms per tile
///   fold(t, n)  value of tile t of n terms, in the team's first thread; the identity past n. All
///               lanes of a warp must call it
namespace tandem::cuda_impl {

/// Warps per block.
__device__ inline int warps_of_block() { return static_cast<int>(blockDim.x) / warp_threads; }

/// This block's index. It is read from its special register at each call, so that it occupies no
/// registers while tiles are folded, which need all of them.
__device__ inline index_t block_number() {
  unsigned number;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(number));
  return number;
}

/// Whether a load's terms are those of a grid, numbered row-major.
template <class Load>
inline constexpr bool has_grid = requires(const Load& load) { load.indices; };

/// Whether a thread may traverse a load's terms in steps.
template <class Load>
__device__ bool has_steps(const Load& load) {
  if constexpr (has_grid<Load>) {
    return load.indices.has_steps();
  } else {
    return true;
  }
}

/// Returns the function object of term `first` and the terms some steps after it. Terms at or past
/// n do not exist and yield the identity, unless all exist (`Full`).
template <bool Full, class Load, class R>
__device__ auto terms_from(const Load& load, const R& reducer, index_t first, index_t n) {
  if constexpr (!Full) {
    return [&load, &reducer, first, n](int steps) {
      return first + steps < n ? load(first + steps) : reducer.identity();
    };
  } else if constexpr (has_grid<Load>) {
    return [&load, first, from = load.indices.at(first)](int steps) {
      return load.term(load.indices.after(from, static_cast<unsigned>(steps)), first + steps);
    };
  } else {
    return [&load, first](int steps) { return load(first + steps); };
  }
}

/// Folds work items of tiles that teams fold; an item consists of the tiles of a warp's teams.
template <class Tile>
__device__ int fold_team_items(const Tile& tile, int each, index_t n,
                               typename Tile::accumulator* value) {
  constexpr int tiles = warp_threads / Tile::team;
#pragma unroll 1
  for (int j = 0; j < each; ++j) {
    const int own = warp_of_block() * each + j;
    const index_t item = block_number() * (warps_of_block() * each) + own;
    const index_t first = item * tiles + lane_of_warp() / Tile::team;
    const auto of_item = warp_tree<Tile::team, warp_threads>(tile.fold(first, n), tile.reducer);
    if (lane_of_warp() == 0) value[warp_of_block() * each + j] = of_item;
  }
  return each;
}

/// Folds the terms of any load functor. Thread t owns lane t and, if a tile has 64 lanes, lane t +
/// 32.
template <class Load, class R>
struct function_tile {
  using accumulator = typename R::accumulator;
  static constexpr int lanes = canonical::lanes<R>;
  static constexpr int team = lanes < warp_threads ? lanes : warp_threads;
  static constexpr int block = reduce_block;
  static constexpr reduce_policy policy = select_reduce(sizeof(accumulator), has_grid<Load>);
  static constexpr int min_blocks_per_sm = policy.min_blocks_per_sm;
  static constexpr work_item_policy items = lane_items;
  static constexpr index_t elements = canonical::tile<R>;
  static constexpr index_t item_elements = elements * (warp_threads / team);
  static constexpr int max_values = block / warp_threads * items.max_items_per_warp;

  Load load;
  R reducer;

  __device__ int fold_items(int each, index_t n, accumulator* value) const {
    return fold_team_items(*this, each, n, value);
  }

  __device__ accumulator fold(index_t tile, index_t n) const {
    values<accumulator, width> lane;
#pragma unroll
    for (int k = 0; k < width; ++k) lane[k] = reducer.identity();
    const index_t begin = tile * elements;
#pragma unroll 1
    for (int row = 0; row < canonical::rows; row += rows) {
      const index_t from = begin + row * lanes;
      if (from + rows * lanes <= n && has_steps(load)) {
        fold_rows<true, rows>(lane, from, n);
      } else {
        fold_rest(lane, from, n);
        break;
      }
    }
    if constexpr (width == 2) lane[0] = reducer.combine(lane[0], lane[1]);
#pragma unroll
    for (int h = team / 2; h >= 1; h /= 2)
      lane[0] = reducer.combine(lane[0], warp_shuffle_down(lane[0], h, team));
    return lane[0];
  }

 private:
  static constexpr int width = lanes / team;  // lanes per thread
  static constexpr int rows = policy.batch / width;

  /// Folds the incomplete rows of a tile, starting at term `from`.
  __device__ void fold_rest(values<accumulator, width>& lane, index_t from, index_t n) const {
    constexpr int few = rows < 4 ? rows : 4;
#pragma unroll 1
    for (; from < n; from += few * lanes) fold_rows<false, few>(lane, from, n);
  }

  /// Loads `Rows` rows before it combines the first, so that the loads of an opaque functor are in
  /// flight together.
  template <bool Full, int Rows>
  __device__ void fold_rows(values<accumulator, width>& lane, index_t from, index_t n) const {
    const index_t first = from + static_cast<int>(threadIdx.x) % team;
    const auto term_after = terms_from<Full>(load, reducer, first, n);
    values<values<accumulator, width>, Rows> term;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int k = 0; k < width; ++k) term[r][k] = term_after(r * lanes + k * team);
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int k = 0; k < width; ++k) lane[k] = reducer.combine(lane[k], term[r][k]);
    }
  }
};

/// Folds contiguous, 16-byte aligned elements. A thread owns the lanes of one 16-byte word of each
/// row.
template <class T, class R>
struct vector_tile {
  using accumulator = typename R::accumulator;
  static constexpr int lanes = canonical::lanes<R>;
  static constexpr int width = static_cast<int>(16 / sizeof(T));  // lanes per thread
  static constexpr int team = lanes / width;
  static constexpr int block = reduce_block;
  static constexpr int min_blocks_per_sm = vector_blocks_per_sm(sizeof(T), sizeof(accumulator));
  static constexpr work_item_policy items = lane_items;
  static constexpr index_t elements = canonical::tile<R>;
  static constexpr index_t item_elements = elements * (warp_threads / team);
  static constexpr int max_values = block / warp_threads * items.max_items_per_warp;

  const T* data;
  R reducer;

  __device__ int fold_items(int each, index_t n, accumulator* value) const {
    return fold_team_items(*this, each, n, value);
  }

  __device__ accumulator fold(index_t tile, index_t n) const {
    values<accumulator, width> lane;
    const index_t first = tile * elements + static_cast<int>(threadIdx.x) % team * width;
    const index_t end = (tile + 1) * elements;
    // Teams of a warp may diverge here; they reconverge before they halve their lanes.
    const bool whole = end <= n;
    if (whole) {
      fold_words<fast_op<R>>(lane, first);
    } else {
      fold_part(lane, first, tandem::min(end, n));
    }
    const accumulator fast = halve<fast_op<R>>(lane);
    if (!warp_needs_exact(fast)) return fast;
    if (whole) {
      fold_rows(lane, first, canonical::rows);
    } else {
      fold_part(lane, first, tandem::min(end, n));
    }
    return halve<exact>(lane);
  }

 protected:
  struct word {
    values<T, width> element;
  };
  static constexpr int batch = vector_batch;

  /// The reducer's exact operation, in place of a fast one.
  struct exact {
    __device__ static accumulator combine(const R& reducer, const accumulator& a,
                                          const accumulator& b) {
      return reducer.combine(a, b);
    }
  };

  /// Whether the fast operation may have given a lane of the warp a different value than the exact
  /// one.
  __device__ static bool warp_needs_exact(const accumulator& fast) {
    if constexpr (fast_op<R>::exists) {
      return __any_sync(whole_warp, fast_op<R>::needs_exact(fast)) != 0;
    } else {
      return false;
    }
  }

  /// Halves the lanes of a team down to one, in its first thread.
  template <class Operation>
  __device__ accumulator halve(values<accumulator, width>& lane) const {
#pragma unroll
    for (int h = team / 2; h >= 1; h /= 2) {
#pragma unroll
      for (int k = 0; k < width; ++k)
        lane[k] = Operation::combine(reducer, lane[k], warp_shuffle_down(lane[k], h, team));
    }
#pragma unroll
    for (int h = width / 2; h >= 1; h /= 2) {
#pragma unroll
      for (int k = 0; k < width / 2; ++k) {  // a constant bound keeps `lane` in registers
        if (k < h) lane[k] = Operation::combine(reducer, lane[k], lane[k + h]);
      }
    }
    return lane[0];
  }

  /// Loads the word that starts with term i.
  __device__ word fetch(index_t i) const {
    return __builtin_bit_cast(word, load_streaming(reinterpret_cast<const uint4*>(data + i)));
  }

  /// Folds all rows, half of them in flight together.
  template <class Operation>
  __device__ void fold_words(values<accumulator, width>& lane, index_t first) const {
#pragma unroll
    for (int k = 0; k < width; ++k) lane[k] = reducer.identity();
#pragma unroll
    for (int row = 0; row < canonical::rows; row += batch)
      fold_batch<Operation, batch>(lane, first + row * lanes);
  }

  /// Folds `Rows` rows, starting at the thread's term `first`.
  template <class Operation, int Rows>
  __device__ void fold_batch(values<accumulator, width>& lane, index_t first) const {
    values<word, Rows> bits;
#pragma unroll
    for (int r = 0; r < Rows; ++r) bits[r] = fetch(first + r * lanes);
#pragma unroll
    for (int r = 0; r < Rows; ++r) combine_word<Operation>(lane, bits[r], first + r * lanes);
  }

  /// Combines the elements of a word, which starts with term i, with the thread's lanes.
  template <class Operation>
  __device__ void combine_word(values<accumulator, width>& lane, const word& bits,
                               index_t i) const {
#pragma unroll
    for (int k = 0; k < width; ++k)
      lane[k] = Operation::combine(reducer, lane[k], reducer.lift(bits.element[k], i + k));
  }

  /// Folds the first `count` rows with the reducer's exact operation.
  __device__ void fold_rows(values<accumulator, width>& lane, index_t first, int count) const {
    constexpr int few = 4;
#pragma unroll
    for (int k = 0; k < width; ++k) lane[k] = reducer.identity();
    int row = 0;
#pragma unroll 1
    for (; row + batch <= count; row += batch) fold_batch<exact, batch>(lane, first + row * lanes);
#pragma unroll 1
    for (; row < count; row += few) {
      values<word, few> bits;
#pragma unroll
      for (int r = 0; r < few; ++r)
        bits[r] = fetch(first + (row + r < count ? row + r : row) * lanes);
#pragma unroll
      for (int r = 0; r < few; ++r) {
        if (row + r < count) combine_word<exact>(lane, bits[r], first + (row + r) * lanes);
      }
    }
  }

  /// Folds a tile that ends before term n, which not all rows and lanes may reach.
  __device__ void fold_part(values<accumulator, width>& lane, index_t first, index_t n) const {
    // Number of terms from the thread's first.
    const int left = n > first ? static_cast<int>(n - first) : 0;
    fold_rows(lane, first, (left + lanes - width) / lanes);
    // A word with fewer elements follows the whole ones.
    const int rest = left % lanes;
    if (rest >= width) return;
#pragma unroll
    for (int k = 0; k < width - 1; ++k) {
      const index_t i = n - rest + k;
      if (k < rest) lane[k] = reducer.combine(lane[k], reducer.lift(data[i], i));
    }
  }
};

/// Whether vector_tile supports elements of type T: a word must hold whole elements, and a row of
/// lanes at least two words.
template <class T, class R>
inline constexpr bool has_vector_tile =
    (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) &&
    std::is_trivially_copyable_v<T> && sizeof(typename R::accumulator) <= 16 &&
    canonical::lanes<R> * sizeof(T) >= 32;

}  // namespace tandem::cuda_impl
