// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/cache_level.hpp>
#include <tandem/backends/openmp/reduce/fused_batch_avx512.hpp>
#include <tandem/backends/openmp/reduce/pairwise_tree.hpp>
#include <tandem/backends/openmp/reduce/tile_selection.hpp>

namespace tandem::openmp_impl {

/// Fewest terms that a thread folds in one go: a tile, 256 segments of the ordered shape, and a few
/// blocks where the order cannot show.
template <class R>
inline constexpr index_t leaf_terms =
    R::commutative && !is_argminmax<R> ? index_t{canonical::tile<typename R::accumulator>}
                                       : index_t{canonical::scan_tile};

/// Whether a tile's terms are asked for ahead where they come from memory: those whose fold has so
/// many instructions a line that hardware does not look far enough. Maximum of 2^27 floats, 16
/// threads of a Xeon: 2.87 ms, 3.06 without; sums gain nothing.
template <class Load, class R>
inline constexpr bool needs_prefetch =
    is_fused<tile_loader<Load>> || (is_float_minmax<R> && bytes_of_term<Load> != 0);

/// One tile. A function of its own, since clang 14 makes fewer vectors of it inside other loops.
/// The load is copied, so that compilers see that nothing in the loop changes it: here, since an
/// argument would be copied through memory, 4 % of a dot product of 2^16 floats.
template <class Load, class R>
[[gnu::noinline]] typename R::accumulator fold_tile_at(const Load& shared, index_t first,
                                                       const R reducer, data_location from) {
  using T = typename R::accumulator;
  const Load load = shared;
  if constexpr (needs_prefetch<Load, R>) {
    constexpr std::size_t bytes = canonical::tile<T> * bytes_of_term<Load>;
    if (from == data_location::dram) prefetch_ahead(load.data + first, bytes);
  }
  return fold_any_tile<canonical::lanes<T>>(tile_loader<Load>{load, first}, reducer);
}

/// Whether the terms of a load are folded in batches of tiles.
template <class Load>
inline constexpr bool is_batched = has_batches && is_fused<tile_loader<Load>>;

/// 2^Level tiles of terms whose parts are folded jointly. Smaller batches than the largest are what
/// is left of a share, which needs no prefetch.
template <int Level, class Load, class R>
[[gnu::noinline]] typename R::accumulator fold_batch_at(const Load load, index_t first,
                                                        const R reducer, data_location from) {
  constexpr int tiles = 1 << Level;
  constexpr int lanes = canonical::lanes<typename R::accumulator>;
  constexpr std::make_integer_sequence<int, component_count<R>> parts{};
  const auto* const x = load.data + first;
  if constexpr (Level == batch_levels<lanes>) {
    if (from == data_location::dram)
      return fold_joint_batch<lanes, data_location::dram, tiles>(x, first, reducer, parts);
    if (from == data_location::shared_cache)
      return fold_joint_batch<lanes, data_location::shared_cache, tiles>(x, first, reducer, parts);
  }
  return fold_joint_batch<lanes, data_location::l2, tiles>(x, first, reducer, parts);
}

/// The subtree over 2^Level tiles.
template <int Level, class Load, class R>
typename R::accumulator fold_batch(const Load& load, index_t first, const R& reducer,
                                   data_location from) {
  using T = typename R::accumulator;
  if constexpr (is_batched<Load>) {
    return fold_batch_at<Level>(load, first, reducer, from);
  } else {
    constexpr int tiles = 1 << Level;
    T folded[static_cast<std::size_t>(tiles)];
    for (int i = 0; i < tiles; ++i)
      folded[i] = fold_tile_at(load, first + i * canonical::tile<T>, reducer, from);
    return combine_adjacent<tiles>(folded, reducer);
  }
}

/// Adds what whole batches of 2^Level tiles there are to the tree. Returns where the rest begins.
template <int Level, class Load, class R>
index_t push_batches(const Load& load, index_t first, index_t end, const R& reducer,
                     data_location from, pairwise_tree<R>& tree) {
  constexpr index_t terms = index_t{canonical::tile<typename R::accumulator>} << Level;
  for (; end - first >= terms; first += terms)
    tree.push(fold_batch<Level>(load, first, reducer, from), Level);
  return first;
}

/// The subtree over the terms first to end - 1 of the commutative shape; `first` begins a tile.
template <class Load, class R>
typename R::accumulator fold_tiles(const Load load, index_t first, index_t end, const R& reducer,
                                   data_location from) {
  constexpr index_t tile = canonical::tile<typename R::accumulator>;
  constexpr int most = batch_levels<canonical::lanes<typename R::accumulator>>;
  pairwise_tree<R> tree(reducer);
  if constexpr (is_batched<Load>) {
    if constexpr (most > 3) first = push_batches<most>(load, first, end, reducer, from, tree);
    first = push_batches<3>(load, first, end, reducer, from, tree);
  }
  first = push_batches<2>(load, first, end, reducer, from, tree);
  first = push_batches<1>(load, first, end, reducer, from, tree);
  if (end - first >= tile) {
    tree.push(fold_tile_at(load, first, reducer, from));
    first += tile;
  }
  const tile_loader<Load> last{load, first};
  if (first < end) tree.push(fold_last_tile(last, static_cast<int>(end - first), reducer));
  return tree.root();
}

/// The subtree over the terms first to end - 1 of the ordered shape; `first` begins a segment.
template <class Load, class R>
typename R::accumulator fold_segments(const Load load, index_t first, index_t end,
                                      const R& reducer) {
  pairwise_tree<R> tree(reducer);
  for (; first < end; first += canonical::segment) {
    const int count =
        end - first < canonical::segment ? static_cast<int>(end - first) : canonical::segment;
    const tile_loader<Load> terms{load, first};
    typename R::accumulator folded = terms(0);
    for (int i = 1; i < count; ++i) folded = reducer.combine(folded, terms(i));
    tree.push(folded);
  }
  return tree.root();
}

/// The canonical combination of the terms first to end - 1.
template <class Load, class R>
typename R::accumulator fold(const Load& load, index_t first, index_t end, const R& reducer,
                             data_location from = data_location::l2) {
  if constexpr (is_argminmax<R>) {
    return fold_extreme(load, first, end, reducer, from);
  } else if constexpr (R::commutative) {
    return fold_tiles(load, first, end, reducer, from);
  } else {
    return fold_segments(load, first, end, reducer);
  }
}

}  // namespace tandem::openmp_impl
