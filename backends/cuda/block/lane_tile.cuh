// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include <tandem/backends/cuda/block/memory.cuh>
#include <tandem/backends/cuda/block/warp.cuh>
#include <tandem/backends/cuda/reduce_policy.hpp>
#include <tandem/core/canonical.hpp>
#include <tandem/core/load.hpp>

/// Tiles of the commutative shape: `lanes` lanes fold a strided sequence each, then halve by lane l
/// op lane l + h.
///
/// A tile type says how a team of adjacent threads of a warp folds one tile:
///   team             threads that share a tile; a power of two
///   block            threads of a block
///   resident_blocks  blocks that a multiprocessor shall hold; 0 for the compiler's choice
///   elements         terms of a tile
///   fold(t, n)       value of tile t of n terms, in the team's first thread; the identity beyond
///                    n. All lanes of a warp call it
namespace tandem::cuda_impl {

/// Terms of any load functor. A thread has lane t, and lane t + 32 where a tile has 64 lanes.
template <class Load, class R>
struct function_tile {
  using accumulator = typename R::accumulator;
  static constexpr int lanes = canonical::lanes<accumulator>;
  static constexpr int team = lanes < warp_threads ? lanes : warp_threads;
  static constexpr int block = select_reduce(sizeof(accumulator)).block;
  static constexpr int resident_blocks = 0;
  static constexpr index_t elements = canonical::tile<accumulator>;

  Load load;
  R reducer;

  __device__ accumulator fold(index_t tile, index_t n) const {
    values<accumulator, width> lane;
#pragma unroll
    for (int k = 0; k < width; ++k) lane[k] = reducer.identity();
    const index_t begin = tile * elements;
    if (begin + elements <= n) {
      fold_rows<true>(lane, begin, n);
    } else {
      fold_rows<false>(lane, begin, n);
    }
    if constexpr (width == 2) lane[0] = reducer.combine(lane[0], lane[1]);
#pragma unroll
    for (int h = team / 2; h >= 1; h /= 2)
      lane[0] = reducer.combine(lane[0], warp_from_above(lane[0], h, team));
    return lane[0];
  }

 private:
  static constexpr int width = lanes / team;  // lanes of a thread
  static constexpr int rows = select_reduce(sizeof(accumulator)).batch / width;

  /// Loads a batch of rows before it combines the first: the loads of an opaque functor are then in
  /// flight together.
  template <bool Full>
  __device__ void fold_rows(values<accumulator, width>& lane, index_t begin, index_t n) const {
    const index_t first = begin + static_cast<int>(threadIdx.x) % team;
#pragma unroll 1
    for (int row = 0; row < canonical::rows; row += rows) {
      if (!Full && begin + row * lanes >= n) break;
      values<values<accumulator, width>, rows> term;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
#pragma unroll
        for (int k = 0; k < width; ++k) {
          const index_t i = first + (row + r) * lanes + k * team;
          term[r][k] = Full || i < n ? load(i) : reducer.identity();
        }
      }
#pragma unroll
      for (int r = 0; r < rows; ++r) {
#pragma unroll
        for (int k = 0; k < width; ++k) lane[k] = reducer.combine(lane[k], term[r][k]);
      }
    }
  }
};

/// Terms of contiguous elements at a 16-byte boundary. A thread has the lanes of one 16-byte word
/// of a row.
template <class T, class R>
struct vector_tile {
  using accumulator = typename R::accumulator;
  static constexpr int lanes = canonical::lanes<accumulator>;
  static constexpr int width = static_cast<int>(16 / sizeof(T));  // lanes of a thread
  static constexpr int team = lanes / width;
  static constexpr int block = select_reduce(sizeof(accumulator)).block;
  static constexpr int resident_blocks = vector_resident_blocks(sizeof(T), sizeof(accumulator));
  static constexpr index_t elements = canonical::tile<accumulator>;

  const T* data;
  R reducer;

  __device__ accumulator fold(index_t tile, index_t n) const {
    values<accumulator, width> lane;
#pragma unroll
    for (int k = 0; k < width; ++k) lane[k] = reducer.identity();
    const index_t first = tile * elements + static_cast<int>(threadIdx.x) % team * width;
    if ((tile + 1) * elements <= n) {
      fold_words(lane, first);
    } else {
      fold_elements(lane, first, n);
    }
#pragma unroll
    for (int h = team / 2; h >= 1; h /= 2) {
#pragma unroll
      for (int k = 0; k < width; ++k)
        lane[k] = reducer.combine(lane[k], warp_from_above(lane[k], h, team));
    }
#pragma unroll
    for (int h = width / 2; h >= 1; h /= 2) {
#pragma unroll
      for (int k = 0; k < width / 2; ++k) {  // a constant bound keeps `lane` in registers
        if (k < h) lane[k] = reducer.combine(lane[k], lane[k + h]);
      }
    }
    return lane[0];
  }

 private:
  struct word {
    values<T, width> element;
  };

  __device__ void fold_words(values<accumulator, width>& lane, index_t first) const {
    const uint4* words = reinterpret_cast<const uint4*>(data + first);
#pragma unroll
    for (int row = 0; row < canonical::rows; row += vector_batch) {
      values<uint4, vector_batch> bits;
#pragma unroll
      for (int r = 0; r < vector_batch; ++r) bits[r] = __ldg(words + (row + r) * team);
#pragma unroll
      for (int r = 0; r < vector_batch; ++r) {
        const word terms = __builtin_bit_cast(word, bits[r]);
#pragma unroll
        for (int k = 0; k < width; ++k) {
          const index_t i = first + (row + r) * lanes + k;
          lane[k] = reducer.combine(lane[k], reducer.lift(terms.element[k], i));
        }
      }
    }
  }

  /// The last tile, which not all rows and lanes reach. A small input is nothing else, hence the
  /// unrolling.
  __device__ void fold_elements(values<accumulator, width>& lane, index_t first, index_t n) const {
    const contiguous_load<T, R> load{data, reducer};
#pragma unroll 4
    for (int row = 0; row < canonical::rows; ++row) {
#pragma unroll
      for (int k = 0; k < width; ++k) {
        const index_t i = first + row * lanes + k;
        lane[k] = reducer.combine(lane[k], i < n ? load(i) : reducer.identity());
      }
    }
  }
};

/// Whether vector_tile serves elements of type T: words hold whole elements, and a row of lanes at
/// least two words.
template <class T, class R>
inline constexpr bool has_vector_tile =
    (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) &&
    std::is_trivially_copyable_v<T> && sizeof(typename R::accumulator) <= 16 &&
    canonical::lanes<typename R::accumulator> * sizeof(T) >= 32;

}  // namespace tandem::cuda_impl
