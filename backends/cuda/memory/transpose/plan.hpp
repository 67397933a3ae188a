// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/memory/policy.hpp>
#include <tandem/backends/cuda/memory/strided_words.hpp>

#include <bit>
#include <limits>

/// Copies that read along one dimension and write along another, through tiles in shared memory. A
/// tile spans 2^n indices of each dimension (n may be 0), so each bit of the number of a word in
/// the tile belongs to one dimension. Words are loaded in the order of the source's strides and
/// stored in the order of the destination's: the same bits in two orders.
namespace tandem::cuda_impl {

/// What a bit of a word's number contributes if it is set.
struct tile_bit {
  index_t offset = 0;       ///< bytes in memory; added
  unsigned coordinate = 0;  ///< packed indices within the tile; added
  unsigned slot = 0;        ///< position in shared memory, in words; combined by xor
};

/// How a transposing copy is divided into tiles. `packed` adjacent elements of fewer than 4 bytes
/// form a word: along the source's densest dimension when loaded, along the destination's when
/// stored. Threads exchange them in registers, so a group of `packed` words along the latter
/// dimension is loaded by one thread and becomes as many words along the former.
struct transpose_plan {
  static constexpr int max_rank = strided_words<2>::max_rank;
  static constexpr int max_bits = transposes.block_bits + 5;  // 32 words per thread

  tile_bit load[max_bits] = {};
  tile_bit store[max_bits] = {};
  /// The bit above each packed index, and bit 31, which numbers outside every tile have.
  unsigned guards = 1u << 31;
  /// Added to packed indices, it carries into a guard if an index reaches its extent. This part is
  /// of the dimensions that fit one tile.
  unsigned bias = 0;

  /// The dimensions with several tiles, outermost first.
  int rank = 0;
  unsigned tiles[max_rank] = {};
  int shift[max_rank] = {};        ///< position of the packed index
  index_t span[max_rank] = {};     ///< indices per tile
  index_t extent[max_rank] = {};   ///< in elements
  index_t step[2][max_rank] = {};  ///< bytes from tile to tile: destination, source
  index_t blocks = 1;              ///< tiles of all dimensions
  std::size_t word_bytes = 1;
  int packed = 1;
  int fewer_bits = 0;  ///< log2 of the largest tile's size divided by the tiles' size
};

/// Orders a side's dimensions from the densest to the sparsest. Steps of zero come last: they
/// repeat elements. Equal ones stay in the destination's order.
struct dense_order {
  int dimension[strided_words<2>::max_rank] = {};

  constexpr dense_order(const strided_words<2>& box, std::size_t side) {
    const auto step = [&](int d) {
      const index_t at = box.stride[side][d];
      return at == 0 ? std::numeric_limits<index_t>::max() : at < 0 ? -at : at;
    };
    for (int d = box.rank - 1, count = 0; d >= 0; --d, ++count) {
      int at = count;
      for (; at > 0 && step(d) < step(dimension[at - 1]); --at) dimension[at] = dimension[at - 1];
      dimension[at] = d;
    }
  }
};

/// Whether a box is better copied through tiles: the innermost dimensions that both sides have in
/// common amount to less than a few sectors.
constexpr bool is_transposing(const strided_words<2>& box) {
  const dense_order to(box, 0);
  const dense_order from(box, 1);
  auto bytes = static_cast<index_t>(box.word_bytes);
  int i = 0;
  for (; i < box.rank && to.dimension[i] == from.dimension[i]; ++i)
    bytes *= box.extent[to.dimension[i]];
  return i < box.rank && bytes < transposes.common_bytes;
}

/// Returns how many elements of a box form a word (transpose_plan::packed): as many as 4 bytes
/// hold, if extents, strides and addresses are multiples of them, else 1.
constexpr int packed_elements(const strided_words<2>& box, const std::size_t (&address)[2]) {
  const int column = dense_order(box, 0).dimension[0];
  const int row = dense_order(box, 1).dimension[0];
  if (box.word_bytes >= 4 || row == column || box.stride[0][column] != 1 || box.stride[1][row] != 1)
    return 1;
  const auto packed = static_cast<index_t>(4 / box.word_bytes);
  bool aligned = (address[0] | address[1]) % 4 == 0 && box.extent[row] % packed == 0 &&
                 box.extent[column] % packed == 0;
  for (int d = 0; d < box.rank; ++d) {
    aligned = aligned && (d == column || box.stride[0][d] % packed == 0) &&
              (d == row || box.stride[1][d] % packed == 0);
  }
  return aligned ? static_cast<int>(packed) : 1;
}

/// The bits of each dimension's indices that a tile of 2^`count` elements spans. Both sides' runs
/// grow by turns, so they are about equally long; an extent shorter than that leaves its bits to
/// the others.
struct tile_extent {
  int bits[strided_words<2>::max_rank] = {};

  constexpr tile_extent(const strided_words<2>& box, int count) {
    const dense_order order[2] = {{box, 0}, {box, 1}};
    for (int turn = 0; turn < count; ++turn) {
      for (int i = 0; i < box.rank; ++i) {
        const int d = order[turn % 2].dimension[i];
        if (index_t{1} << bits[d] >= box.extent[d]) continue;
        ++bits[d];
        break;
      }
    }
  }
};

/// Returns how many bits fewer than the largest tile a copy's tiles have: none unless the device
/// would have too few of them.
constexpr int fewer_tile_bits(const strided_words<2>& box, int packed, int multiprocessors) {
  const int most =
      transpose_tile_bits(box.word_bytes * static_cast<std::size_t>(packed)) + packed / 2;
  int fewer = 0;
  for (; fewer < transposes.fewer_bits; ++fewer) {
    const tile_extent tile(box, most - fewer);
    index_t tiles = 1;
    for (int d = 0; d < box.rank; ++d) tiles *= ((box.extent[d] - 1) >> tile.bits[d]) + 1;
    if (are_enough_tiles(tiles, multiprocessors)) break;
  }
  return fewer;
}

/// Moves slots so that the threads that access shared memory at the same time use different banks
/// both when they store what they loaded and when they load what they store.
constexpr void spread_over_banks(transpose_plan& plan, std::size_t word_bytes) {
  // A wavefront serves 128 bytes: of wider words, half a warp or a quarter.
  const int first = word_bytes >= 4 ? 0 : word_bytes == 2 ? 1 : 2;
  const int lanes = word_bytes <= 4 ? 5 : word_bytes == 8 ? 4 : 3;
  const unsigned banks = ((1u << lanes) - 1) << first;
  unsigned taken = 0;
  for (int i = 0; i < lanes; ++i) taken |= plan.load[i].slot & banks;
  for (int i = 0; i < lanes; ++i) {
    const unsigned slot = plan.load[i].slot;
    if (slot < 1u << (first + lanes)) continue;
    const auto bank = static_cast<unsigned>(lowest_bit(banks & ~taken));
    taken |= bank;
    plan.load[i].slot |= bank;
    for (tile_bit& bit : plan.store)
      if (bit.slot == slot) bit.slot |= bank;
  }
}

/// Divides the dimensions of a box into tiles. Returns the positions of their packed indices.
constexpr void divide(transpose_plan& plan, const strided_words<2>& box, const tile_extent& tile,
                      int (&shift)[strided_words<2>::max_rank]) {
  int place = 0;
  for (int d = 0; d < box.rank; ++d) {
    const index_t span = index_t{1} << tile.bits[d];
    shift[d] = place;
    place += tile.bits[d] + 1;
    plan.guards |= 1u << (place - 1);
    if (box.extent[d] <= span) {
      plan.bias += static_cast<unsigned>(span - box.extent[d]) << shift[d];
      continue;
    }
    const int at = plan.rank++;
    plan.tiles[at] = static_cast<unsigned>((box.extent[d] - 1) / span + 1);
    plan.shift[at] = shift[d];
    plan.span[at] = span;
    plan.extent[at] = box.extent[d];
    for (int side = 0; side < 2; ++side)
      plan.step[side][at] = box.stride[side][d] * static_cast<index_t>(box.word_bytes) * span;
    plan.blocks *= plan.tiles[at];
  }
}

/// Plans a transposing copy.
///
/// @param address  of the element at index zero, destination and source, as integers
constexpr transpose_plan plan_transpose(const strided_words<2>& box,
                                        const std::size_t (&address)[2], int multiprocessors) {
  transpose_plan plan;
  plan.packed = packed_elements(box, address);
  plan.word_bytes = box.word_bytes * static_cast<std::size_t>(plan.packed);
  plan.fewer_bits = fewer_tile_bits(box, plan.packed, multiprocessors);
  const int word_bits = transpose_tile_bits(plan.word_bytes) - plan.fewer_bits;
  const int inner = plan.packed / 2;  // the bits of an element's number in its word
  const tile_extent tile(box, word_bits + inner);
  int shift[strided_words<2>::max_rank] = {};
  divide(plan, box, tile, shift);
  const auto bit_of = [&](int side, int d, int j) {
    const index_t step = box.stride[side][d] * static_cast<index_t>(box.word_bytes);
    return tile_bit{step * (index_t{1} << j), 1u << (shift[d] + j), 0};
  };
  const tile_bit outside{0, 1u << 31, 0};

  const dense_order to(box, 0);
  const dense_order from(box, 1);
  const int column = to.dimension[0];
  const int row = from.dimension[0];
  unsigned slot[strided_words<2>::max_rank][transpose_plan::max_bits + 2] = {};
  int words = 0;  // bits that number the tile's words
  for (int i = 0; i < box.rank; ++i) {
    const int d = to.dimension[i];
    for (int j = d == column ? inner : 0; j < tile.bits[d]; ++j) {
      slot[d][j] = 1u << words;
      plan.store[words++] = bit_of(0, d, j);
    }
  }
  tile_bit ordinary[transpose_plan::max_bits];  // the others have a place of their own
  int count = 0;
  for (int i = 0; i < box.rank; ++i) {
    const int d = from.dimension[i];
    for (int j = d == row || d == column ? inner : 0; j < tile.bits[d]; ++j) {
      ordinary[count] = bit_of(1, d, j);
      ordinary[count++].slot = slot[d][j];
    }
  }
  for (int at = 0, next = 0, unused = words; at < word_bits; ++at) {
    const int exchanged = at - transposes.block_bits;
    if (exchanged >= 0 && exchanged < inner) {
      plan.load[at] = bit_of(1, column, exchanged);
      plan.load[at].slot = slot[row][exchanged];
    } else if (next < count) {
      plan.load[at] = ordinary[next++];
    } else {
      plan.load[at] = outside;
      plan.load[at].slot = 1u << unused++;
    }
    if (at >= words) plan.store[at] = outside;
    plan.store[at].slot = 1u << at;
  }
  spread_over_banks(plan, plan.word_bytes);
  return plan;
}

}  // namespace tandem::cuda_impl
