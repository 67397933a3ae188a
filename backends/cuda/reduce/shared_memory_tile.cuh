// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/reduce/lane_tile.cuh>

namespace tandem::cuda_impl {

/// Whether a row of lanes is less than a line of 128 bytes: several results of elements of 4 bytes.
template <class T, class R>
inline constexpr bool has_narrow_rows = has_vector_tile<T, R> && sizeof(T) >= 4 &&
                                        canonical::lanes<typename R::accumulator> * sizeof(T) < 128;

/// The tile of narrow rows. Lanes are folded as by vector_tile; but a warp's tiles, side by side,
/// come through shared memory, in pieces of a few rows of each. Copies are on their way while a
/// warp folds and from one unit to the next, and take no registers.
///
/// A tile of this kind has, in the place of fold(),
///   stream_units(unit, apart, each, n, value)  folds units unit, unit + apart, .. of n terms,
///                                              `each` of them, to value[0], value[apart], ..; all
///                                              lanes of a warp call it
template <class T, class R>
struct staged_tile : vector_tile<T, R> {
  using base = vector_tile<T, R>;
  using base::elements;
  using base::lanes;
  using base::reducer;
  using base::team;
  using base::width;
  using typename base::accumulator;
  static constexpr int block = narrow_rows.block;
  static constexpr int resident_blocks = narrow_rows.resident_blocks;
  static constexpr unit_policy units = narrow_units;

  __device__ void stream_units(index_t unit, int apart, int each, index_t n,
                               accumulator* value) const {
    __shared__ uint4 staged[block / warp_threads * ring * piece_words];
    uint4* const own = staged + warp_of_block() * ring * piece_words;
    const index_t left = n / unit_terms - unit;  // whole units from this one on
    const int whole =
        left <= 0 ? 0 : static_cast<int>(tandem::min((left - 1) / apart + 1, index_t{each}));
    if (whole > 0) begin_copies(own, unit);
    for (int j = 0; j < each; ++j, unit += apart, value += apart) {
      const accumulator folded = j < whole ? fold_unit(own, unit, j + 1 < whole ? unit + apart : -1)
                                           : base::fold(unit * tiles + lane_of_warp() / team, n);
      const accumulator all = warp_tree<team, warp_threads>(folded, reducer);
      if (lane_of_warp() == 0) *value = all;
    }
  }

 private:
  using typename base::word;
  static constexpr int rows = narrow_rows.rows;
  static constexpr int ring = narrow_rows.pieces;
  static constexpr int tiles = warp_threads / team;      // of a unit
  static constexpr int pieces = canonical::rows / rows;  // of a unit
  static constexpr int piece_words = rows * warp_threads;
  static constexpr int piece_row = rows * team;  // words of a tile in a piece
  static constexpr int tile_words = canonical::rows * team;
  static constexpr index_t unit_terms = tiles * elements;
  /// Tiles that 8 lanes, which shared memory serves at once, read together: each takes another row
  /// of a line.
  static constexpr int turns = 8 / team;
  static_assert(pieces % ring == 0 && rows % turns == 0 && warp_threads / piece_row % turns == 0);

  /// Starts to copy piece p of a unit to its place in the ring. A lane copies words l, l + 32, ..
  /// of it.
  __device__ void copy_piece(uint4* own, index_t unit, int p) const {
    const int l = lane_of_warp();
    const int turn = l / piece_row % turns;
    uint4* const to = own + p % ring * piece_words + (l ^ turn * team);
    const uint4* const from = reinterpret_cast<const uint4*>(this->data + unit * unit_terms) +
                              l / piece_row * tile_words + p * piece_row + l % piece_row;
#pragma unroll
    for (int i = 0; i < rows; ++i)
      ptx::copy_async(to + i * warp_threads, from + i * (warp_threads / piece_row * tile_words));
  }

  __device__ void begin_copies(uint4* own, index_t unit) const {
#pragma unroll
    for (int p = 0; p < ring - 1; ++p) {
      copy_piece(own, unit, p);
      ptx::copy_async_commit();
    }
  }

  /// The value of this lane's tile of a unit, in the team's first lane, while pieces of the next
  /// unit (-1: none) are copied.
  __device__ accumulator fold_unit(uint4* own, index_t unit, index_t next) const {
    values<accumulator, width> lane;
#pragma unroll
    for (int k = 0; k < width; ++k) lane[k] = reducer.identity();
#pragma unroll
    for (int p = 0; p < pieces; ++p) {
      ptx::copy_async_wait<ring - 2>();
      __syncwarp();
      const int ahead = p + ring - 1;
      if (ahead < pieces) {
        copy_piece(own, unit, ahead);
      } else if (next >= 0) {
        copy_piece(own, next, ahead - pieces);
      }
      ptx::copy_async_commit();
      fold_piece(lane, own + p % ring * piece_words, first_term(unit) + p * rows * lanes);
    }
    const accumulator quickly = this->template halve<quick<R>>(lane);
    if (!this->in_doubt(quickly)) return quickly;
    this->fold_rows(lane, first_term(unit), canonical::rows);
    return this->template halve<typename base::exact>(lane);
  }

  /// Of this lane in its tile.
  __device__ static index_t first_term(index_t unit) {
    return (unit * tiles + lane_of_warp() / team) * elements + lane_of_warp() % team * width;
  }

  /// Combines a piece, whose first row begins with term `first` for this lane.
  __device__ void fold_piece(values<accumulator, width>& lane, const uint4* piece,
                             index_t first) const {
    const int tile = lane_of_warp() / team;
    const uint4* const mine = piece + tile * piece_row + lane_of_warp() % team;
    const int turn = tile % turns;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const word bits = __builtin_bit_cast(word, mine[(r ^ turn) * team]);
      this->template combine_word<quick<R>>(lane, bits, first + r * lanes);
    }
  }
};

}  // namespace tandem::cuda_impl
