// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/memory/transpose/kernel.cuh>
#include <tandem/backends/cuda/memory/transpose/narrow_plan.hpp>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/core/math.hpp>

/// Transposes matrices of elements of 1 or 2 bytes whose rows begin anywhere. Both sides are
/// accessed in aligned words of 4 bytes: a thread shifts what it loads to the beginning of a row of
/// its tile, and what it stores to the words of the destination's row.
namespace tandem::cuda_impl {

/// The bytes of a matrix in memory. Aligned words that reach beyond them are read byte by byte.
struct byte_range {
  const char* begin;
  const char* end;

  template <bool IsInside>
  __device__ unsigned load(const char* at) const {
    if (IsInside || (at >= begin && at + 4 <= end))
      return __ldg(reinterpret_cast<const unsigned*>(at));
    unsigned word = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (at + i >= begin && at + i < end)
        word |= unsigned{static_cast<unsigned char>(at[i])} << (8 * i);
    }
    return word;
  }
};

/// A tile in shared memory: each column of the source as words, and one word more, of the next
/// tile. What the lanes of a warp access together is in different banks.
template <class Element>
struct narrow_tile {
  static constexpr int size = static_cast<int>(sizeof(Element));
  static constexpr int packed = 4 / size;  ///< elements per word
  static constexpr int span = narrow_transposes.piece / size;
  static constexpr int words = span / packed + 1;
  static constexpr int lanes = 8;  ///< that share a row, four words each
  static constexpr int storing_warps = 8;
  static_assert(words * lanes <= narrow_transposes.block &&
                32 * storing_warps <= narrow_transposes.block);

  unsigned word[span * words + 32];

  __device__ static constexpr int place(int c) {
    return c * words + static_cast<int>(static_cast<unsigned>(c) / (16 * size)) * 4;
  }
  __device__ unsigned* column(int c) { return word + place(c); }

  /// Loads a tile, four words of `packed` rows per thread; `source` is its first element. Rows
  /// after the first `rows` and bytes after the first `bytes` of a row repeat earlier ones.
  template <bool IsInside>
  __device__ __forceinline__ void load(const char* source, index_t pitch, int rows, int bytes,
                                       const byte_range& matrix) {
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const int group = static_cast<int>(threadIdx.x) / lanes;
    if (group >= words) return;
    values<values<unsigned, 5>, packed> from;
    unsigned shift[static_cast<unsigned>(packed)];
#pragma unroll
    for (int q = 0; q < packed; ++q) {
      const int r = group * packed + q;
      const char* const row = source + (IsInside ? r : tandem::min(r, rows - 1)) * pitch;
      const auto skipped = static_cast<int>(reinterpret_cast<std::size_t>(row) % 4);
      shift[q] = static_cast<unsigned>(8 * skipped);
      const char* const first = row - skipped + 16 * lane;
      const char* const last = row - skipped + (bytes - 1 + skipped) / 4 * 4;
#pragma unroll
      for (int w = 0; w < 5; ++w) {
        const char* const at = first + 4 * w;
        from[q][w] = matrix.template load<IsInside>(IsInside ? at : tandem::min(at, last));
      }
    }
    unsigned* const to = column(4 * packed * lane) + group;
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      unsigned value[static_cast<unsigned>(packed)];
#pragma unroll
      for (int q = 0; q < packed; ++q)
        value[q] = __funnelshift_r(from[q][w], from[q][w + 1], shift[q]);
      exchange_elements<packed>(value);
#pragma unroll
      for (int q = 0; q < packed; ++q) to[(w * packed + q) * words] = value[q];
    }
  }

  /// Stores the first `columns` columns as rows of the destination: the words that begin in the
  /// tile. The last elements of a whole row, of which `left` are left, are stored one by one.
  template <bool IsInside>
  __device__ __forceinline__ void store(char* destination, index_t pitch, index_t left,
                                        int columns) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    if (warp >= storing_warps) return;
    const unsigned* const from = column(warp) + lane;
    char* row = destination + warp * pitch;
#pragma unroll
    for (int t = 0; t < span / storing_warps; ++t, row += storing_warps * pitch) {
      if (!IsInside && warp + t * storing_warps >= columns) break;
      const auto skipped = static_cast<unsigned>(reinterpret_cast<std::size_t>(row)) % 4;
      const unsigned* const word = from + place(t * storing_warps);
      // A shift by 32 is one by 0.
      const unsigned value = __funnelshift_r(word[0], word[1], 32 - 8 * skipped);
      const int first = 4 * lane + static_cast<int>((4 - skipped) % 4);
      if (IsInside || first / size + packed <= left) {
        *reinterpret_cast<unsigned*>(row + first) = value;
      } else {
        store_elements(reinterpret_cast<Element*>(row + first), value, left - first / size);
      }
    }
  }

  /// Stores the elements before the first word of each row.
  __device__ void store_first(char* destination, index_t pitch, index_t left, int columns) {
    const auto c = static_cast<int>(threadIdx.x);
    if (c >= columns) return;
    char* const row = destination + c * pitch;
    const auto skipped = static_cast<int>(reinterpret_cast<std::size_t>(row) % 4);
    if (skipped == 0) return;
    store_elements(reinterpret_cast<Element*>(row), *column(c),
                   tandem::min(left, index_t{(4 - skipped) / size}));
  }

 private:
  /// Stores the first `count` elements of a word.
  __device__ static void store_elements(Element* to, unsigned word, index_t count) {
#pragma unroll
    for (int q = 0; q < packed; ++q)
      if (q < count) to[q] = static_cast<Element>(word >> (8 * size * q));
  }
};

/// Blocks per multiprocessor; one of sm_75 has 1024 threads.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr int narrow_blocks_per_sm = 1024 / narrow_transposes.block;
#else
inline constexpr int narrow_blocks_per_sm = narrow_transposes.blocks_per_sm;
#endif

/// Transposes one tile per block. Source and destination must not overlap.
template <class Element>
__global__ void __launch_bounds__(narrow_transposes.block, narrow_blocks_per_sm)
    narrow_transpose_kernel(const __grid_constant__ narrow_transpose plan,
                            char* __restrict__ destination, const char* __restrict__ source) {
  using tile_type = narrow_tile<Element>;
  constexpr int size = tile_type::size;
  constexpr int span = tile_type::span;
  constexpr int loaded = span + tile_type::packed;
  __shared__ tile_type tile;
  ptx::grid_dependency_wait();
  unsigned block = blockIdx.x;
  const auto next = [&block](unsigned count) {
    const unsigned outer = block / count;
    const unsigned at = block - outer * count;
    block = outer;
    return static_cast<index_t>(at);
  };
  // Adjacent blocks complete each other's sectors of the destination.
  const index_t top = next(plan.down) * span;
  const index_t left = next(plan.across) * span;
  for (int d = plan.rank - 1; d >= 0; --d) {
    const index_t at = next(static_cast<unsigned>(plan.extent[d]));
    destination += at * plan.step[0][d];
    source += at * plan.step[1][d];
  }
  const auto columns = static_cast<int>(tandem::min(plan.columns - left, index_t{span}));
  const auto rows = static_cast<int>(tandem::min(plan.rows - top, index_t{loaded}));
  const char* const from = source + top * plan.pitch[1] + left * size;
  char* const to = destination + left * plan.pitch[0] + top * size;
  const char* const last_row = source + (plan.rows - 1) * plan.pitch[1];
  const byte_range matrix{tandem::min(source, last_row),
                          tandem::max(source, last_row) + plan.columns * size};
  // Words that reach beyond a row then reach into another one or between the two.
  const bool is_inside =
      (left > 0 || top > 0) && left + loaded <= plan.columns && top + loaded < plan.rows;
  if (is_inside) {
    tile.template load<true>(from, plan.pitch[1], rows, columns * size, matrix);
  } else {
    tile.template load<false>(from, plan.pitch[1], rows, columns * size, matrix);
  }
  __syncthreads();
  if (is_inside) {
    tile.template store<true>(to, plan.pitch[0], plan.rows - top, columns);
  } else {
    tile.template store<false>(to, plan.pitch[0], plan.rows - top, columns);
  }
  if (top == 0) tile.store_first(to, plan.pitch[0], plan.rows, columns);
}

}  // namespace tandem::cuda_impl
