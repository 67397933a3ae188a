// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/reduce/lane_tile.cuh>

namespace tandem::cuda_impl {

/// Whether a row of lanes is shorter than a 128-byte line, as for several results of 4-byte
/// elements.
template <class T, class R>
inline constexpr bool has_narrow_rows =
    has_vector_tile<T, R> && sizeof(T) >= 4 && canonical::lanes<R> * sizeof(T) < 128;

/// The tile of narrow rows. Lanes are folded as in vector_tile, but a warp's adjacent tiles go
/// through shared memory, a few rows of each per stage. Copies stay in flight while a warp folds
/// and across work items, and occupy no registers.

template <class T, class R>
struct shared_memory_tile : vector_tile<T, R> {
  using base = vector_tile<T, R>;
  using base::elements;
  using base::lanes;
  using base::reducer;
  using base::team;
  using base::width;
  using typename base::accumulator;
  static constexpr int block = narrow_rows.block;
  static constexpr int min_blocks_per_sm = narrow_rows.min_blocks_per_sm;
  static constexpr work_item_policy items = narrow_items;
  static constexpr int max_values = block / warp_threads * items.max_items_per_warp;

  /// Items alternate between the warps, so that a block reads adjacent items concurrently.
  __device__ int fold_items(int each, index_t n, accumulator* value) const {
    const index_t first = block_number() * (warps_of_block() * each) + warp_of_block();
    stream_items(first, warps_of_block(), each, n, value + warp_of_block());
    return each;
  }

 private:
  /// Folds `each` items of n terms, item, item + apart, .., into value[0], value[apart], ..
  __device__ void stream_items(index_t item, int apart, int each, index_t n,
                               accumulator* value) const {
    __shared__ uint4 staged[block / warp_threads * ring * piece_words];
    uint4* const own = staged + warp_of_block() * ring * piece_words;
    const index_t left = n / item_terms - item;  // whole items from this one
    const int whole =
        left <= 0 ? 0 : static_cast<int>(tandem::min((left - 1) / apart + 1, index_t{each}));
    if (whole > 0) begin_copies(own, item);
    for (int j = 0; j < each; ++j, item += apart, value += apart) {
      const accumulator folded = j < whole ? fold_item(own, item, j + 1 < whole ? item + apart : -1)
                                           : base::fold(item * tiles + lane_of_warp() / team, n);
      const accumulator all = warp_tree<team, warp_threads>(folded, reducer);
      if (lane_of_warp() == 0) *value = all;
    }
  }

  using typename base::word;
  static constexpr int rows = narrow_rows.rows;
  static constexpr int ring = narrow_rows.pieces;
  static constexpr int tiles = warp_threads / team;      // per item
  static constexpr int pieces = canonical::rows / rows;  // per item
  static constexpr int piece_words = rows * warp_threads;
  static constexpr int piece_row = rows * team;  // words of a tile per piece
  static constexpr int tile_words = canonical::rows * team;
  static constexpr index_t item_terms = tiles * elements;
  /// Number of tiles that 8 lanes, which shared memory serves together, read at once. Each lane
  /// reads a different row of a line.
  static constexpr int turns = 8 / team;
  static_assert(pieces % ring == 0 && rows % turns == 0 && warp_threads / piece_row % turns == 0);

  /// Issues the copy of piece p of an item to its slot in the ring. Lane l copies words l, l + 32,
  /// .. of it.
  __device__ void copy_piece(uint4* own, index_t item, int p) const {
    const int l = lane_of_warp();
    const int turn = l / piece_row % turns;
    uint4* const to = own + p % ring * piece_words + (l ^ turn * team);
    const uint4* const from = reinterpret_cast<const uint4*>(this->data + item * item_terms) +
                              l / piece_row * tile_words + p * piece_row + l % piece_row;
#pragma unroll
    for (int i = 0; i < rows; ++i)
      ptx::copy_async(to + i * warp_threads, from + i * (warp_threads / piece_row * tile_words));
  }

  __device__ void begin_copies(uint4* own, index_t item) const {
#pragma unroll
    for (int p = 0; p < ring - 1; ++p) {
      copy_piece(own, item, p);
      ptx::copy_async_commit();
    }
  }

  /// Folds this lane's tile of an item, with the value in the team's first lane, while pieces of
  /// item `next` are copied (-1: none).
  __device__ accumulator fold_item(uint4* own, index_t item, index_t next) const {
    values<accumulator, width> lane;
#pragma unroll
    for (int k = 0; k < width; ++k) lane[k] = reducer.identity();
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      ptx::copy_async_wait<ring - 2>();
      __syncwarp();
      const int ahead = p + ring - 1;
      if (ahead < pieces) {
        copy_piece(own, item, ahead);
      } else if (next >= 0) {
        copy_piece(own, next, ahead - pieces);
      }
      ptx::copy_async_commit();
      fold_piece(lane, own + p % ring * piece_words, first_term(item) + p * rows * lanes);
    }
    const accumulator fast = this->template halve<fast_op<R>>(lane);
    if (!this->warp_needs_exact(fast)) return fast;
    this->fold_rows(lane, first_term(item), canonical::rows);
    return this->template halve<typename base::exact>(lane);
  }

  /// First term of this lane in its tile.
  __device__ static index_t first_term(index_t item) {
    return (item * tiles + lane_of_warp() / team) * elements + lane_of_warp() % team * width;
  }

  /// Combines a piece whose first row starts at term `first` for this lane.
  __device__ void fold_piece(values<accumulator, width>& lane, const uint4* piece,
                             index_t first) const {
    const int tile = lane_of_warp() / team;
    const uint4* const mine = piece + tile * piece_row + lane_of_warp() % team;
    const int turn = tile % turns;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const word bits = __builtin_bit_cast(word, mine[(r ^ turn) * team]);
      this->template combine_word<fast_op<R>>(lane, bits, first + r * lanes);
    }
  }
};

}  // namespace tandem::cuda_impl
