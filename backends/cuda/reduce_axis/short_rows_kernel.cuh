// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/reduce_axis/output.cuh>
#include <tandem/core/contract/reduction_shape.hpp>

/// Reduces slices in sequence: a team of adjacent threads of a warp folds a tile of one slice.
///
/// A rows type defines how a thread reads `width` adjacent terms of a slice:
///   accumulator, reducer
///   spare              registers for a loop over tiles and for the function of a term
///   word               the result of one load
///   slice(p, q)        what a thread keeps of a slice
///   fetch(slice, i)    loads the terms i to i + width - 1
///   lift(word, k, i)   the accumulator of term i + k
namespace tandem::cuda_impl {

/// Contiguous elements, 16-byte aligned; a slice consists of whole words.
template <class T, class R>
struct word_rows {
  using accumulator = typename R::accumulator;
  static constexpr int spare = 16;
  using word = uint4;
  static constexpr int width = static_cast<int>(16 / sizeof(T));

  strided_slices<T, R> slices;
  R reducer;

  __device__ const T* slice(index_t p, index_t q) const { return slices(p, q).data; }
  __device__ word fetch(const T* slice, index_t i) const {
    return load_streaming(reinterpret_cast<const word*>(slice + i));
  }
  __device__ accumulator lift(const word& bits, int k, index_t i) const {
    const elements read = __builtin_bit_cast(elements, bits);
    return reducer.lift(read.of[k], i + k);
  }

 private:
  struct elements {
    values<T, width> of;
  };
};

/// Any slices, one term per load.
template <class Slices, class R>
struct function_rows {
  using accumulator = typename R::accumulator;
  static constexpr int spare = requires { typename Slices::element; } ? 0 : 16;
  using word = accumulator;
  static constexpr int width = 1;

  Slices slices;
  R reducer;

  __device__ auto slice(index_t p, index_t q) const { return slices(p, q); }
  template <class Load>
  __device__ word fetch(const Load& slice, index_t i) const {
    return slice(i);
  }
  __device__ accumulator lift(const word& term, int, index_t) const { return term; }
};

/// Folds tiles with teams. Thread g of a team of `Team` threads owns the words g, g + Team, .. of
/// every row of lanes, and issues up to `Batch` loads before it combines the first.
///
/// A team narrower than a row needs fewer shuffles, since most halvings of the lanes then happen in
/// registers. Its loads still cover whole sectors: 2 threads read 32 bytes.
///
/// `Lanes` is the shape's number of lanes, or fewer if slices have at most that many terms, since
/// lanes without terms are skipped.
template <class Rows, int Team, int Batch, int Lanes = canonical::lanes<reducer_of<Rows>>>
struct lane_team {
  using accumulator = typename Rows::accumulator;
  static constexpr int team = Team;
  static constexpr int lanes = Lanes;
  static constexpr int width = Rows::width;
  static constexpr int words = lanes / width / Team;                  // words per thread in a row
  static constexpr int rows = Batch / words > 0 ? Batch / words : 1;  // rows loaded together
  static_assert(words >= 1);
  /// Registers of a thread's lanes and loads.
  static constexpr int registers = words * (width * registers_of(sizeof(accumulator)) +
                                            rows * registers_of(sizeof(typename Rows::word)));
  using lane_values = values<values<accumulator, width>, words>;

  /// Returns the value of a slice's tile that begins at term `begin`, in the team's first thread.
  /// It is the identity unless `begin` is below `terms`. All lanes of a warp must call it.
  template <class Slice>
  static __device__ accumulator fold(const Rows& x, const Slice& slice, index_t begin,
                                     index_t terms) {
    lane_values lane;
#pragma unroll
    for (int w = 0; w < words; ++w) {
#pragma unroll
      for (int k = 0; k < width; ++k) lane[w][k] = x.reducer.identity();
    }
    const int mine = static_cast<int>(threadIdx.x) % Team * width;
    const index_t first = begin + mine;
    const int size = terms_of_tile<reducer_of<Rows>>(begin, terms);
    int at = 0;
#pragma unroll 1
    for (; at + rows * lanes <= size; at += rows * lanes)
      fold_rows<true>(x, lane, slice, first + at, 0);
#pragma unroll 1
    for (; at < size; at += rows * lanes)
      fold_rows<false>(x, lane, slice, first + at, size - mine - at);
    return fold_lanes(lane, x.reducer);
  }

 private:
  /// Folds a batch of rows, starting at the thread's first word: all of them (`Full`), or only the
  /// words before position `left`.
  template <bool Full, class Slice>
  static __device__ void fold_rows(const Rows& x, lane_values& lane, const Slice& slice,
                                   index_t first, int left) {
    values<values<typename Rows::word, words>, rows> bits;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int w = 0; w < words; ++w) {
        const int at = r * lanes + w * Team * width;
        if (Full || at < left) bits[r][w] = x.fetch(slice, first + at);
      }
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int w = 0; w < words; ++w) {
        const int at = r * lanes + w * Team * width;
        if (!Full && at >= left) continue;
#pragma unroll
        for (int k = 0; k < width; ++k)
          lane[w][k] = x.reducer.combine(lane[w][k], x.lift(bits[r][w], k, first + at));
      }
    }
  }

  /// Halves the lanes: first across a thread's words, then across threads, then inside a word.
  template <class R>
  static __device__ accumulator fold_lanes(lane_values& lane, const R& reducer) {
#pragma unroll
    for (int h = words / 2; h >= 1; h /= 2) {
#pragma unroll
      for (int w = 0; w < words / 2; ++w) {  // constant bounds keep `lane` in registers
#pragma unroll
        for (int k = 0; k < width; ++k) {
          if (w < h) lane[w][k] = reducer.combine(lane[w][k], lane[w + h][k]);
        }
      }
    }
#pragma unroll
    for (int h = Team / 2; h >= 1; h /= 2) {
#pragma unroll
      for (int k = 0; k < width; ++k)
        lane[0][k] = reducer.combine(lane[0][k], warp_shuffle_down(lane[0][k], h, Team));
    }
#pragma unroll
    for (int h = width / 2; h >= 1; h /= 2) {
#pragma unroll
      for (int k = 0; k < width / 2; ++k) {
        if (k < h) lane[0][k] = reducer.combine(lane[0][k], lane[0][k + h]);
      }
    }
    return lane[0][0];
  }
};

/// Reduces slices of one tile, one team per slice, starting at slice `first`. It has no barrier, so
/// warps start and end independently.
template <class Team, int Block, class Rows, class Output>
__global__ void __launch_bounds__(Block, blocks_per_sm_for(Block, Team::registers))
    short_rows_kernel(const __grid_constant__ Rows x, index_t first, index_t terms,
                      const __grid_constant__ Output output) {
  ptx::grid_dependency_wait();
  constexpr int teams = Block / Team::team;
  const index_t slice =
      first + index_t{blockIdx.x} * teams + static_cast<int>(threadIdx.x) / Team::team;
  const bool exists = slice < output.outer * output.inner;
  const output_index at = split_output(exists ? slice : 0, output.outer, output.inner);
  const auto value = Team::fold(x, x.slice(at.p, at.q), 0, terms);
  if (exists && threadIdx.x % Team::team == 0) output(slice, value);
}

}  // namespace tandem::cuda_impl
