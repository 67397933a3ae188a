// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/sort/policy.hpp>
#include <tandem/core/contract/merge_problem.hpp>

#include <cstdint>
#include <type_traits>

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
  static constexpr bool is_word = false;
};

/// Values of several words each.
template <class Word>
struct values_of_words {
  static constexpr bool moves = true;
  static constexpr bool is_word = false;
  const Word* left;
  const Word* right;
  Word* out;
  index_t words;

  __device__ void move(index_t to, bool from_left, index_t from) const {
    const Word* const run = from_left ? left : right;
    for (index_t w = 0; w < words; ++w) out[to * words + w] = run[from * words + w];
  }
};

/// Values of one word.
template <class Word>
struct values_of_a_word : values_of_words<Word> {
  static constexpr bool is_word = true;
};

/// Elements of a tile from the left run and from the right one.
struct merge_tile {
  index_t left_begin;
  index_t right_begin;
  int left;
  int count;  ///< of both
};

/// The bits by which keys are compared.
template <class Order, class Word>
__device__ Word place_of(const Order& order, Word key) {
  return order.comparable_bits(order.ordered_bits(key));
}

/// Returns how many of the first `diagonal` elements of a merge come from the left run. The lanes
/// of a warp test 32 places at once.
template <class Order, class Word>
__device__ index_t search_path(const Order& order, const merge_keys<Word>& keys, index_t diagonal) {
  const auto place = [&](Word key) { return place_of(order, key); };
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
__device__ int search_tile(const Order& order, const Word* stage, const merge_tile& tile,
                           int diagonal) {
  const int right = tile.count - tile.left;
  int low = diagonal > right ? diagonal - right : 0;
  int high = diagonal < tile.left ? diagonal : tile.left;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (place_of(order, stage[tile.left + diagonal - 1 - middle]) <
        place_of(order, stage[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Issues the copy of a tile's keys to shared memory: those of the left run, then those of the
/// right one.
template <int Items, class Word>
__device__ void load_tile(const merge_keys<Word>& keys, const merge_tile& tile, Word* stage) {
  const Word* const left = keys.left + tile.left_begin;
  const Word* const right = keys.right + (tile.right_begin - tile.left);  // by number in the tile
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const int j = i * merge_block + static_cast<int>(threadIdx.x);
    const Word* const from = (j < tile.left ? left : right) + j;
    if constexpr (sizeof(Word) >= 4) {
      ptx::copy_async<static_cast<int>(sizeof(Word))>(ptx::shared_address(stage + j), from,
                                                      j < tile.count);
    } else if (j < tile.count) {
      stage[j] = *from;
    }
  }
}

/// Merges this thread's elements of a tile: their ranks, and where they were in the tile. Selects
/// instead of branches: which run is next differs from lane to lane. It may read `Items` keys
/// behind the tile.
template <int Items, class Order, class Word>
__device__ void merge_items(const Order& order, const Word* stage, const merge_tile& tile,
                            Word (&rank)[Items], std::uint16_t (&source)[Items]) {
  const int first = static_cast<int>(threadIdx.x) * Items;
  const int diagonal = first < tile.count ? first : tile.count;
  int left = search_tile(order, stage, tile, diagonal);
  int right = tile.left + diagonal - left;
  Word a = order.ordered_bits(stage[left]);
  Word b = order.ordered_bits(stage[right]);
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const bool takes_right =
        right < tile.count &&
        (left >= tile.left || order.comparable_bits(b) < order.comparable_bits(a));
    rank[i] = takes_right ? b : a;
    source[i] = static_cast<std::uint16_t>(takes_right ? right : left);
    right += takes_right ? 1 : 0;
    left += takes_right ? 0 : 1;
    const Word next = order.ordered_bits(stage[takes_right ? right : left]);
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
  const auto for_each_item = [&](const auto& f) {
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const int j = i * merge_block + static_cast<int>(threadIdx.x);
      if (IsWhole || j < tile.count) f(i, j);
    }
  };
  const auto is_left = [&](int j) { return sources[j] < tile.left; };
  const auto position = [&](int j) {
    return (is_left(j) ? tile.left_begin : tile.right_begin - tile.left) + sources[j];
  };
  const auto store_keys = [&] {
    for_each_item([&](int, int j) { keys.out[begin + j] = order.key(ranks[j]); });
  };
  if constexpr (Values::is_word) {
    // All loads precede the first store: the compiler must not move them across it.
    using Value = std::remove_pointer_t<decltype(moved.out)>;
    values<Value, Items> value;
    for_each_item(
        [&](int i, int j) { value[i] = (is_left(j) ? moved.left : moved.right)[position(j)]; });
    store_keys();
    for_each_item([&](int i, int j) { moved.out[begin + j] = value[i]; });
  } else {
    store_keys();
    if constexpr (Values::moves)
      for_each_item([&](int, int j) { moved.move(begin + j, is_left(j), position(j)); });
  }
}

template <class Word>
inline constexpr int merge_items_per_thread = merge_items_of(sizeof(Word));

/// Merges the tiles of a block, `tiles` of them. All splits are searched before the first tile, one
/// per warp; the keys of a tile arrive while the tile before it is merged.
template <class Order, class Word, class Values>
__global__ void __launch_bounds__(merge_block, merge_blocks_per_sm)
    merge_kernel(Order order, merge_keys<Word> keys, Values moved, int tiles) {
  constexpr int items = merge_items_per_thread<Word>;
  constexpr int tile_size = merge_block * items;
  __shared__ raw_array<Word, tile_size + 2 * items> stages[2];
  __shared__ raw_array<std::uint16_t, Values::moves ? tile_size : 1> sources;
  __shared__ index_t splits[most_merge_tiles + 1];
  const index_t all = keys.left_size + keys.right_size;
  const index_t first_tile = index_t{blockIdx.x} * tiles;
  const auto begin_of = [&](int t) {
    const index_t begin = (first_tile + t) * tile_size;
    return begin < all ? begin : all;
  };
  const auto tile_of = [&](int t) {
    return merge_tile{splits[t], begin_of(t) - splits[t],
                      static_cast<int>(splits[t + 1] - splits[t]),
                      static_cast<int>(begin_of(t + 1) - begin_of(t))};
  };
  for (int t = warp_of_block(); t <= tiles; t += merge_block / warp_threads) {
    const index_t split = search_path(order, keys, begin_of(t));
    if (lane_of_warp() == 0) splits[t] = split;
  }
  __syncthreads();
  load_tile<items>(keys, tile_of(0), &stages[0][0]);
  ptx::copy_async_commit();
  for (int t = 0; t < tiles && begin_of(t) < all; ++t) {
    const merge_tile tile = tile_of(t);
    Word* const stage = &stages[t % 2][0];
    if (t + 1 < tiles) load_tile<items>(keys, tile_of(t + 1), &stages[(t + 1) % 2][0]);
    ptx::copy_async_commit();
    ptx::copy_async_wait<1>();
    __syncthreads();
    Word rank[items];
    std::uint16_t source[items];
    merge_items<items>(order, stage, tile, rank, source);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
      stage[static_cast<int>(threadIdx.x) * items + i] = rank[i];
      if constexpr (Values::moves) sources[static_cast<int>(threadIdx.x) * items + i] = source[i];
    }
    __syncthreads();
    if (tile.count == tile_size) {
      store_tile<true, items>(order, keys, moved, tile, stage, &sources[0]);
    } else {
      store_tile<false, items>(order, keys, moved, tile, stage, &sources[0]);
    }
    __syncthreads();
  }
}

}  // namespace tandem::cuda_impl
