// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/sort/policy.hpp>
#include <tandem/core/contract/merge_problem.hpp>

#include <cstdint>

/// A stable merge of two sorted runs along the merge path: blocks own tiles of the output, whose
/// inputs are found by a search on the tile's first diagonal, and threads own adjacent elements of
/// a tile, found by a search in shared memory. Source of the method: Green, McColl and Bader, "GPU
/// Merge Path: A GPU Merging Algorithm", ICS 2012.
namespace tandem::cuda_impl {

/// The keys of a merge, in memory of the device.
template <class Word>
struct merge_keys {
  const Word* left;
  const Word* right;
  Word* out;
  index_t left_size;
  index_t right_size;
};

/// A merge without values.
struct no_values {
  static constexpr bool moves = false;
};

/// The values of a merge.
template <class Word>
struct merge_values {
  static constexpr bool moves = true;
  const Word* left;
  const Word* right;
  Word* out;
  index_t words;  ///< per value
};

/// Values of several words.
template <class Word>
struct values_of_words : merge_values<Word> {
  __device__ void move(index_t to, bool from_left, index_t from) const {
    const index_t words = this->words;
    const Word* const run = from_left ? this->left : this->right;
    for (index_t w = 0; w < words; ++w) this->out[to * words + w] = run[from * words + w];
  }
};

/// Values of one word.
template <class Word>
struct values_of_a_word : merge_values<Word> {
  __device__ void move(index_t to, bool from_left, index_t from) const {
    this->out[to] = from_left ? this->left[from] : this->right[from];
  }
};

/// Elements of a tile from the left run and from the right one.
struct merge_tile {
  index_t left_begin;
  index_t right_begin;
  int left;
  int count;  ///< of both
};

/// Returns how many of the first `diagonal` elements of a merge come from the left run. The lanes
/// of a warp test 32 places at once.
template <class Order, class Word>
__device__ index_t search_path(const Order& order, const merge_keys<Word>& keys, index_t diagonal) {
  const auto place = [&](Word key) { return order.comparable_bits(order.ordered_bits(key)); };
  index_t low = diagonal > keys.right_size ? diagonal - keys.right_size : 0;
  index_t high = diagonal < keys.left_size ? diagonal : keys.left_size;
  while (low < high) {
    const index_t step = (high - low - 1) / warp_threads + 1;
    const index_t at = low + step * lane_of_warp();
    const bool is_left =
        at < high && !(place(keys.right[diagonal - 1 - at]) < place(keys.left[at]));
    const int taken = __popc(__ballot_sync(whole_warp, is_left));
    if (taken == 0) return low;
    high = low + step * taken < high ? low + step * taken : high;
    low += step * (taken - 1) + 1;
  }
  return low;
}

/// Returns how many of the first `diagonal` elements of a tile come from its left part.
template <class Order, class Word>
__device__ int search_tile(const Order& order, const Word* ranks, const merge_tile& tile,
                           int diagonal) {
  const int right = tile.count - tile.left;
  int low = diagonal > right ? diagonal - right : 0;
  int high = diagonal < tile.left ? diagonal : tile.left;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (order.comparable_bits(ranks[tile.left + diagonal - 1 - middle]) <
        order.comparable_bits(ranks[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Stores the ranks of a tile's keys: those of the left run, then those of the right one.
template <bool IsWhole, int Items, class Order, class Word>
__device__ void load_tile(const Order& order, const merge_keys<Word>& keys, const merge_tile& tile,
                          Word* ranks) {
  const Word* const left = keys.left + tile.left_begin;
  const Word* const right = keys.right + (tile.right_begin - tile.left);  // by number in the tile
  values<Word, Items> key;
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const int j = i * merge_block + static_cast<int>(threadIdx.x);
    if (IsWhole || j < tile.count) key[i] = (j < tile.left ? left : right)[j];
  }
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const int j = i * merge_block + static_cast<int>(threadIdx.x);
    if (IsWhole || j < tile.count) ranks[j] = order.ordered_bits(key[i]);
  }
}

/// Merges this thread's elements of a tile: their ranks, and where they were in the tile. Selects
/// instead of branches: which run is next differs from lane to lane. It may read one rank behind
/// the tile.
template <int Items, class Order, class Word>
__device__ void merge_items(const Order& order, const Word* ranks, const merge_tile& tile,
                            Word (&rank)[Items], std::uint16_t (&source)[Items]) {
  const int first = static_cast<int>(threadIdx.x) * Items;
  const int diagonal = first < tile.count ? first : tile.count;
  int left = search_tile(order, ranks, tile, diagonal);
  int right = tile.left + diagonal - left;
  Word a = ranks[left];
  Word b = ranks[right];
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const bool takes_right =
        right < tile.count &&
        (left >= tile.left || order.comparable_bits(b) < order.comparable_bits(a));
    rank[i] = takes_right ? b : a;
    source[i] = static_cast<std::uint16_t>(takes_right ? right : left);
    right += takes_right ? 1 : 0;
    left += takes_right ? 0 : 1;
    const Word next = ranks[takes_right ? right : left];
    a = takes_right ? a : next;
    b = takes_right ? next : b;
  }
}

/// Moves the elements of a tile to the output: `ranks` in their order, and the values of those that
/// were at `sources` in the tile.
template <bool IsWhole, int Items, class Order, class Word, class Values>
__device__ void store_tile(const Order& order, const merge_keys<Word>& keys, const Values& moved,
                           const merge_tile& tile, const Word* ranks,
                           const std::uint16_t* sources) {
  const index_t begin = tile.left_begin + tile.right_begin;
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const int j = i * merge_block + static_cast<int>(threadIdx.x);
    if (!IsWhole && j >= tile.count) continue;
    keys.out[begin + j] = order.key(ranks[j]);
    if constexpr (Values::moves) {
      const int from = sources[j];
      const bool from_left = from < tile.left;
      moved.move(begin + j, from_left,
                 (from_left ? tile.left_begin : tile.right_begin - tile.left) + from);
    }
  }
}

/// Merges the tiles of a block, `tiles` of them. All splits are searched before the first tile, one
/// per warp.
template <class Order, class Word, class Values>
__global__ void __launch_bounds__(merge_block, merge_blocks_per_sm)
    merge_kernel(Order order, merge_keys<Word> keys, Values moved, int tiles) {
  constexpr int items = merge_items_of(sizeof(Word));
  constexpr int tile_size = merge_block * items;
  __shared__ raw_array<Word, tile_size + 2 * items> stage;
  __shared__ raw_array<std::uint16_t, Values::moves ? tile_size : 1> sources;
  __shared__ index_t splits[most_merge_tiles + 1];
  const index_t all = keys.left_size + keys.right_size;
  const index_t first_tile = index_t{blockIdx.x} * tiles;
  const auto begin_of = [&](int t) {
    const index_t begin = (first_tile + t) * tile_size;
    return begin < all ? begin : all;
  };
  for (int t = warp_of_block(); t <= tiles; t += merge_block / warp_threads) {
    const index_t split = search_path(order, keys, begin_of(t));
    if (lane_of_warp() == 0) splits[t] = split;
  }
  __syncthreads();
  Word* const ranks = &stage[0];
  for (int t = 0; t < tiles && begin_of(t) < all; ++t) {
    const index_t begin = begin_of(t);
    const merge_tile tile{splits[t], begin - splits[t], static_cast<int>(splits[t + 1] - splits[t]),
                          static_cast<int>(begin_of(t + 1) - begin)};
    const bool is_whole = tile.count == tile_size;
    if (is_whole) {
      load_tile<true, items>(order, keys, tile, ranks);
    } else {
      load_tile<false, items>(order, keys, tile, ranks);
    }
    __syncthreads();
    Word rank[items];
    std::uint16_t source[items];
    merge_items<items>(order, ranks, tile, rank, source);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
      ranks[static_cast<int>(threadIdx.x) * items + i] = rank[i];
      if constexpr (Values::moves) sources[static_cast<int>(threadIdx.x) * items + i] = source[i];
    }
    __syncthreads();
    if (is_whole) {
      store_tile<true, items>(order, keys, moved, tile, ranks, &sources[0]);
    } else {
      store_tile<false, items>(order, keys, moved, tile, ranks, &sources[0]);
    }
    __syncthreads();
  }
}

}  // namespace tandem::cuda_impl
