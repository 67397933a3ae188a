// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/scan/policy.hpp>
#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/contract/scan_problem.hpp>

#include <cstddef>
#include <type_traits>

/// How the lanes of a warp load and store the segments of a scan's row. A rows type provides
///   prepare(stage, tile)         issues the load of the warp's row of a tile into a stage; does
///                                nothing for tiles past the end
///   prefetch(tile)               prefetches a tile into L2 if it can; called by the whole block
///   wait<Later>()                waits for all but the last `Later` prepared rows
///   read(stage, tile, segment)   loads every lane's segment; identities past the end
///   write(stage, tile, segment)  stores the segments to y; the stage is free afterwards
/// All lanes must call them converged.
namespace tandem::cuda_impl {

inline constexpr int row_elements = canonical::segment * canonical::row_segments;

/// How a scan accesses memory.
struct scan_mapping {
  int stages;               ///< tiles in shared memory per block
  bool vectorized_loads;    ///< x in 16-byte words
  bool vectorized_stores;   ///< y in 16-byte words, too
  int first_tile;           ///< of the part that is scanned
  bool looks_back_at_once;  ///< look_back_at_once() suits the tree of nodes
};

/// Whether a load functor returns elements unchanged, in which case their bytes may be copied.
template <class Load, class T>
inline constexpr bool copies_elements = false;
template <class T, class R>
inline constexpr bool copies_elements<contiguous_load<T, R>, T> = true;

__device__ inline index_t row_begin(int tile) {
  return index_t{tile} * canonical::scan_tile + warp_of_block() * row_elements;
}

/// Rows that pass through shared memory. Global memory accesses are coalesced; shared memory
/// accesses are segments of at least 16 bytes per lane.
template <class Load, class T, class R>
class staged_rows {
 public:
  static constexpr std::size_t stage_bytes = canonical::scan_tile * sizeof(T);
  /// Whether prepare() may return before the row has arrived.
  static constexpr bool asynchronous = copies_elements<Load, T>;

  __device__ staged_rows(const scan_problem<Load, T, R>& problem, const scan_mapping& mapping,
                         uint4* shared)
      : problem_(problem), mapping_(mapping), shared_(shared + warp_of_block() * row_words) {}

  __device__ void prefetch(int tile) const {
    if constexpr (asynchronous) {
      const index_t begin = index_t{tile} * canonical::scan_tile;
      constexpr int own = canonical::segment;
      if (begin + canonical::scan_tile > problem_.size) return;
      ptx::prefetch_l2(problem_.load.data + begin + static_cast<int>(threadIdx.x) * own,
                       own * sizeof(T));
    }
  }

  __device__ void prepare(int stage, int tile) const {
    const index_t begin = row_begin(tile);
    if (index_t{tile} * canonical::scan_tile < problem_.size) {
      const bool whole = begin + row_elements <= problem_.size;
      if (asynchronous && whole && mapping_.vectorized_loads) {
        copy_words(stage, begin);
      } else if (copies_by_element && whole) {
        copy_elements(stage, begin);
      } else {
        load_elements(stage, begin);
      }
    }
    ptx::copy_async_commit();
  }

  template <int Later>
  __device__ void wait() const {
    ptx::copy_async_wait<Later>();
    __syncwarp();
  }

  __device__ void read(int stage, int, values<T, canonical::segment>& segment) const {
    image bits;
#pragma unroll
    for (int i = 0; i < words; ++i) bits.word[i] = own_word(stage, i);
    const elements read = __builtin_bit_cast(elements, bits);
#pragma unroll
    for (int i = 0; i < canonical::segment; ++i) segment[i] = read.value[i];
  }

  __device__ void write(int stage, int tile, const values<T, canonical::segment>& segment) const {
    elements written;
#pragma unroll
    for (int i = 0; i < canonical::segment; ++i) written.value[i] = segment[i];
    const image bits = __builtin_bit_cast(image, written);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < words; ++i) own_word(stage, i) = bits.word[i];
    __syncwarp();
    const index_t begin = row_begin(tile);
    if (mapping_.vectorized_stores && begin + row_elements <= problem_.size) {
      store_words(stage, begin);
    } else {
      store_elements(stage, begin);
    }
    __syncwarp();
  }

 private:
  /// 16-byte words per segment of 16 elements.
  static constexpr int words = static_cast<int>(sizeof(T));
  static constexpr int row_words = words * warp_threads;
  static constexpr int word_elements = static_cast<int>(16 / sizeof(T));

  static constexpr bool copies_by_element =
      asynchronous && sizeof(T) >= 4 && alignof(T) == sizeof(T);

  struct image {
    values<uint4, words> word;
  };
  struct elements {
    values<T, canonical::segment> value;
  };

  /// The position of word i of a row. The exclusive-or spreads the words that 8 lanes access at
  /// once over all banks, whether they are adjacent in the row or `words` apart.
  __device__ static int place(int i) { return i ^ ((i >> 3) & (words - 1)); }

  __device__ uint4* row(int stage) const {
    return shared_ + stage * row_words * canonical::tile_rows;
  }

  /// Word i of the lane's segment: place(lane * words + i). Only the lowest bits depend on i.
  __device__ uint4& own_word(int stage, int i) const {
    return row(stage)[place(lane_of_warp() * words) ^ i];
  }

  /// Word `lane` of the i-th 512 bytes of the row: place(i * 32 + lane).
  __device__ uint4& shared_word(int stage, int i) const {
    return row(stage)[i * warp_threads +
                      (lane_of_warp() ^ (((i * 4) ^ (lane_of_warp() >> 3)) & (words - 1)))];
  }

  __device__ T& element(int stage, int i) const {
    return reinterpret_cast<T*>(row(stage) + place(i / word_elements))[i % word_elements];
  }

  __device__ void copy_words(int stage, index_t begin) const {
    if constexpr (asynchronous) {
      const auto* const from = reinterpret_cast<const uint4*>(problem_.load.data + begin);
#pragma unroll
      for (int i = 0; i < words; ++i)
        ptx::copy_async(&shared_word(stage, i), from + lane_of_warp() + i * warp_threads);
    }
  }

  /// Copies a row whose address is not a multiple of 16 bytes.
  __device__ void copy_elements(int stage, index_t begin) const {
    if constexpr (copies_by_element) {
#pragma unroll 4
      for (int i = 0; i < canonical::segment; ++i) {
        const int at = lane_of_warp() + i * warp_threads;
        ptx::copy_async<sizeof(T)>(ptx::shared_address(&element(stage, at)),
                                   problem_.load.data + begin + at, true);
      }
    }
  }

  /// Loads a row element by element in batches: all at once for a user's function, a few at a time
  /// for the rare row that cannot be copied.
  __device__ void load_elements(int stage, index_t begin) const {
    constexpr int batch = asynchronous ? 4 : canonical::segment;
    const int existing = elements_from(begin);
#pragma unroll 1
    for (int first = lane_of_warp(); first < row_elements; first += batch * warp_threads) {
      values<T, batch> loaded;
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        const int at = first + j * warp_threads;
        loaded[j] = at < existing ? problem_.load(begin + at) : problem_.reducer.identity();
      }
#pragma unroll
      for (int j = 0; j < batch; ++j) element(stage, first + j * warp_threads) = loaded[j];
    }
  }

  __device__ void store_words(int stage, index_t begin) const {
    uint4* to = reinterpret_cast<uint4*>(problem_.y + begin) + lane_of_warp();
#pragma unroll
    for (int i = 0; i < words; ++i) {
      __stcs(to + i * warp_threads,
             shared_word(stage, i));  // y is not read soon, so L2 is left to x
    }
  }

  __device__ void store_elements(int stage, index_t begin) const {
    const int existing = elements_from(begin);
#pragma unroll 4
    for (int at = lane_of_warp(); at < row_elements; at += warp_threads) {
      if (at < existing) problem_.y[(begin + at) * problem_.y_stride] = element(stage, at);
    }
  }

  /// Number of elements in the row at `begin`; negative past the end.
  __device__ int elements_from(index_t begin) const {
    const index_t rest = problem_.size - begin;
    return rest < row_elements ? static_cast<int>(rest) : row_elements;
  }

  const scan_problem<Load, T, R>& problem_;
  scan_mapping mapping_;
  uint4* shared_;
};

/// Rows of elements that are too large for shared memory or whose size is not a word's. Each lane
/// reads and writes its segment directly.
template <class Load, class T, class R>
class direct_rows {
 public:
  static constexpr std::size_t stage_bytes = 0;
  static constexpr bool asynchronous = false;

  __device__ direct_rows(const scan_problem<Load, T, R>& problem, const scan_mapping&, uint4*)
      : problem_(problem) {}

  __device__ void prefetch(int) const {}

  __device__ void prepare(int, int) const {}

  template <int Later>
  __device__ void wait() const {}

  __device__ void read(int, int tile, values<T, canonical::segment>& segment) const {
    const index_t begin = row_begin(tile) + lane_of_warp() * canonical::segment;
#pragma unroll
    for (int i = 0; i < canonical::segment; ++i) {
      segment[i] =
          begin + i < problem_.size ? problem_.load(begin + i) : problem_.reducer.identity();
    }
  }

  __device__ void write(int, int tile, const values<T, canonical::segment>& segment) const {
    const index_t begin = row_begin(tile) + lane_of_warp() * canonical::segment;
#pragma unroll
    for (int i = 0; i < canonical::segment; ++i) {
      if (begin + i < problem_.size) problem_.y[(begin + i) * problem_.y_stride] = segment[i];
    }
  }

 private:
  const scan_problem<Load, T, R>& problem_;
};

template <class Load, class T, class R>
using scan_rows = std::conditional_t<select_scan(sizeof(T)).staged, staged_rows<Load, T, R>,
                                     direct_rows<Load, T, R>>;

}  // namespace tandem::cuda_impl
