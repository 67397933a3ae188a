// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/cache_level.hpp>
#include <tandem/backends/openmp/loop/parallel_for.hpp>
#include <tandem/backends/openmp/reduce/argminmax.hpp>
#include <tandem/backends/openmp/reduce/components/buffered.hpp>
#include <tandem/backends/openmp/reduce/components/fused.hpp>
#include <tandem/backends/openmp/reduce/components/lanes.hpp>
#include <tandem/backends/openmp/reduce/large.hpp>
#include <tandem/backends/openmp/reduce/policy.hpp>
#include <tandem/backends/openmp/reduce/tile.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/core/contract/term_loaders.hpp>
#include <tandem/core/math.hpp>

#include <utility>

namespace tandem::openmp_impl {

#include <tandem/backends/openmp/cpu/begin_vectorised.hpp>

/// The fewest terms that a thread reduces at a time: a tile, 256 segments of the ordered shape, or
/// a few blocks of an argminmax.
template <class R>
inline constexpr index_t leaf_terms =
    R::commutative && !is_argminmax<R> ? index_t{canonical::tile<R>}
                                       : index_t{canonical::scan_tile};

/// Reduces a whole tile by the fastest method for the terms and the reducer, but for tiles whose
/// components have lanes (has_component_lanes), which tile_total() leaves out.
template <int Lanes, class Terms, class R>
[[gnu::always_inline]] inline typename R::accumulator reduce_tile(const Terms& terms,
                                                                  const R& reducer) {
  if constexpr (takes_components<Terms, Lanes, R>) {
    constexpr std::make_integer_sequence<int, component_count<R>> components{};
    if constexpr (is_fused<Terms>) {
      return reduce_fused_tile<Lanes>(terms.load.data + terms.first(), terms.first(), reducer,
                                      components);
    } else {
      const auto reduce = [](const auto& some, const auto& component) {
        return reduce_tile<Lanes>(some, component);
      };
      return reduce_components<Lanes>(terms, reducer, reduce, components);
    }
  } else if constexpr (is_argminmax<R>) {
    return reduce_argminmax(terms.load, terms.first(), terms.first() + Lanes * canonical::rows,
                            reducer, data_location::l2);
  } else {
    return reduce_whole_rows<Lanes, canonical::rows>(terms, reducer);
  }
}

/// Whether a tile's terms are prefetched if they come from memory: those whose reduction takes so
/// many instructions per cache line that hardware does not prefetch far enough ahead.
template <class Load, class R>
inline constexpr bool needs_prefetch =
    is_fused<tile_loader<Load>> || (is_float_minmax<R> && bytes_of_term<Load> != 0);

/// Whether the terms of a load are reduced in batches of tiles.
template <class Load>
inline constexpr bool is_batched = has_batches && is_fused<tile_loader<Load>>;

/// Whether the components of a tile have lanes in arrays. Numbers in memory are better fused.
template <class Load, class R>
inline constexpr bool has_component_lanes =
    takes_component_lanes<R> && !(is_plain_array<tile_loader<Load>> && reduces_componentwise<R>);

/// Returns the total of the 1 <= count terms of a last tile at `first`; otherwise like tile_total.
template <class Load, class R>
[[gnu::noinline]] typename R::accumulator last_tile_total(const Load& shared, index_t first,
                                                          int count, const R reducer) {
  const Load load = shared;
  const tile_loader<Load> terms{load, first};
  if constexpr (has_component_lanes<Load, R>) {
    return reduce_component_tile<component_lane_count<R>>(terms, count, reducer);
  } else {
    return reduce_partial_tile(terms, count, reducer);
  }
}

/// Returns the total of the tile at `first`. A separate function, since clang 14 vectorises less of
/// it inside other loops. The load is copied, so that compilers see that no store in the loop
/// changes it; an argument by value would be copied through memory.
template <class Load, class R>
[[gnu::noinline]] typename R::accumulator tile_total(const Load& shared, index_t first,
                                                     const R reducer,
                                                     [[maybe_unused]] data_location from) {
  if constexpr (has_component_lanes<Load, R>) {
    return last_tile_total(shared, first, canonical::tile<R>, reducer);
  } else {
    const Load load = shared;
    if constexpr (needs_prefetch<Load, R>) {
      constexpr std::size_t bytes = canonical::tile<R> * bytes_of_term<Load>;
      if (from == data_location::dram) prefetch_ahead(load.data + first, bytes);
    }
    return reduce_tile<canonical::lanes<R>>(tile_loader<Load>{load, first}, reducer);
  }
}

/// Returns the total of 2^Level fused tiles. Only the largest batches prefetch; smaller ones are
/// the remainder of a partition.
template <int Level, class Load, class R>
[[gnu::noinline]] typename R::accumulator fused_batch_total(const Load load, index_t first,
                                                            const R reducer, data_location from) {
  constexpr int tiles = 1 << Level;
  constexpr int lanes = canonical::lanes<R>;
  constexpr std::make_integer_sequence<int, component_count<R>> components{};
  const auto* const x = load.data + first;
  if constexpr (Level == batch_levels<lanes>) {
    if (from == data_location::dram)
      return reduce_fused_batch<lanes, data_location::dram, tiles>(x, first, reducer, components);
    if (from == data_location::shared_cache)
      return reduce_fused_batch<lanes, data_location::shared_cache, tiles>(x, first, reducer,
                                                                           components);
  }
  return reduce_fused_batch<lanes, data_location::l2, tiles>(x, first, reducer, components);
}

/// Returns the total of the 2^Level tiles that start at `first`.
template <int Level, class Load, class R>
typename R::accumulator batch_total(const Load& load, index_t first, const R& reducer,
                                    data_location from) {
  using T = typename R::accumulator;
  if constexpr (Level == 0) {
    return tile_total(load, first, reducer, from);
  } else if constexpr (is_batched<Load>) {
    return fused_batch_total<Level>(load, first, reducer, from);
  } else if constexpr (has_component_lanes<Load, R> && has_free_lanes<R>) {
    return last_tile_total(load, first, canonical::tile<R> << Level, reducer);
  } else {
    constexpr int tiles = 1 << Level;
    T total[static_cast<std::size_t>(tiles)];
    for (int i = 0; i < tiles; ++i)
      total[i] = tile_total(load, first + i * canonical::tile<R>, reducer, from);
    return combine_adjacent<tiles>(total, reducer);
  }
}

/// Adds the terms first to end - 1 of the commutative shape to the tree; `first` begins a tile.
/// Takes as many batches of 2^Level tiles as fit, then smaller ones, then the last tile.
template <int Level, class Load, class R, class Tree>
void push_tiles(const Load& load, index_t first, index_t end, const R& reducer, data_location from,
                Tree& tree) {
  constexpr index_t terms = index_t{canonical::tile<R>} << Level;
  for (; end - first >= terms; first += terms)
    tree.push(batch_total<Level>(load, first, reducer, from), Level);
  if constexpr (Level > 0) {
    push_tiles<Level - 1>(load, first, end, reducer, from, tree);
  } else if (first < end) {
    tree.push(last_tile_total(load, first, static_cast<int>(end - first), reducer));
  }
}

/// Adds the terms first to end - 1 of the ordered shape to the tree; `first` begins a segment.
template <class Load, class R, class Tree>
void push_segments(const Load& shared, index_t first, index_t end, const R& reducer, Tree& tree) {
  const Load load = shared;
  for (; first < end; first += canonical::segment) {
    const int count =
        end - first < canonical::segment ? static_cast<int>(end - first) : canonical::segment;
    const tile_loader<Load> terms{load, first};
    typename R::accumulator folded = terms(0);
    for (int i = 1; i < count; ++i) folded = reducer.combine(folded, terms(i));
    tree.push(folded);
  }
}

/// Reduces the terms first to end - 1, at most large_block_terms<R>.
template <class Load, class T, class R>
[[gnu::noinline]] void reduce_large_block(const Load& load, index_t first, index_t end,
                                          const R& reducer, data_location from, T& total) {
  if constexpr (stacks_lanes<T>) {
    pairwise_tree<R, large_block_levels<T> + 1> tree(reducer);
    if constexpr (R::commutative) {
      push_tiles<0>(load, first, end, reducer, from, tree);
    } else {
      push_segments(load, first, end, reducer, tree);
    }
    total = tree.root();
  } else if constexpr (R::commutative) {
    reduce_large_lanes(load, first, end, 0, 1, reducer, total);
  } else {
    fold_large(load, first, end, 1, reducer, total);
  }
}

/// Whether a load has rows.
template <class Load>
inline constexpr bool has_rows = false;
template <int Rank, class Function, class R>
inline constexpr bool has_rows<grid_load<Rank, Function, R>> = true;
template <class View, class R>
inline constexpr bool has_rows<view_load<View, R>> = true;

/// Writes the terms begin to end - 1 to out[0] and on.
template <class Load, class T>
[[gnu::noinline]] void compute_rows(const Load& shared, index_t begin, index_t end, T* out) {
  using Index = typename Load::row_index;
  const Load load = shared;
  const index_t width = load.row_length();
  index_t row = begin / width;
  index_t first = begin - row * width;
  while (begin < end) {
    const index_t length = width - first < end - begin ? width - first : end - begin;
    load.with_row(row, [=](const auto& term) {
      count_row<Index>(first, length,
                       [=](Index i) { out[static_cast<index_t>(i) - first] = term(i); });
    });
    begin += length;
    out += length;
    first = 0;
    ++row;
  }
}

/// Terms that are computed at a time, a power of two, or 0 if they would not fit the L1.
template <class R>
inline constexpr index_t row_terms_at_once = [] {
  const index_t terms =
      R::commutative && !is_argminmax<R> ? canonical::tile<R> : 32 * canonical::segment;
  return terms * sizeof(typename R::accumulator) <= 32768 ? terms : 0;
}();

/// Whether terms that come in rows may be appended to the lanes of components as they are computed:
/// if they have several results, or if compilers recognise neighbouring indices as neighbours.
template <class Load, class R>
consteval bool can_append_rows() {
  if constexpr (has_rows<Load>) {
    using Index = typename Load::row_index;
    return has_component_lanes<Load, R> ||
           (is_component<R> && std::is_signed_v<Index> && sizeof(Index) >= sizeof(int));
  }
  return false;
}
template <class Load, class R>
inline constexpr bool appends_rows = can_append_rows<Load, R>();

/// Whether rows are long enough for that. A single number is otherwise computed into L1 first.
template <class R, class Load>
bool has_long_rows(const Load& load) {
  return !std::is_arithmetic_v<typename R::accumulator> ||
         load.row_length() >= long_row_lanes * canonical::lanes<R>;
}

/// Adds the terms first to end - 1 to the tree, tile by tile, if their lanes take them as they are
/// computed.
template <class Load, class R>
[[gnu::noinline]] void push_component_rows(const Load& shared, index_t first, index_t end,
                                           const R reducer, pairwise_tree<R>& tree) {
  constexpr index_t tile = canonical::tile<R>;
  const Load load = shared;
  row_place at = {first / load.row_length(), first % load.row_length()};
  for (; first < end; first += tile) {
    const int count = static_cast<int>(end - first < tile ? end - first : tile);
    tree.push(reduce_component_rows<component_lane_count<R>>(load, at, count, reducer));
  }
}

template <class Load, class R>
typename R::accumulator reduce_subtree(const Load& load, index_t first, index_t end,
                                       const R& reducer, data_location from = data_location::l2);

/// Adds terms that come in rows, a function's over a grid or a view's with gaps, to the tree.
/// Finding each term by its flat index would take divisions, so terms are taken row by row, and
/// first computed into L1 if lanes cannot take them directly.
template <class Load, class R>
void push_rows(const Load& load, index_t first, index_t end, const R& reducer,
               pairwise_tree<R>& tree) {
  using T = typename R::accumulator;
  constexpr index_t most = row_terms_at_once<R>;
  if constexpr (appends_rows<Load, R>) {
    if (has_long_rows<R>(load)) return push_component_rows(load, first, end, reducer, tree);
  }
  if constexpr (!appends_rows<Load, R> || std::is_arithmetic_v<T>) {
    T term[static_cast<std::size_t>(most)];
    for (; first < end; first += most) {
      const index_t count = end - first < most ? end - first : most;
      compute_rows(load, first, first + count, term);
      tree.push(reduce_subtree(stored_load<T>{term}, 0, count, reducer));
    }
  }
}

/// The canonical combination of the terms first to end - 1.
template <class Load, class R>
typename R::accumulator reduce_subtree(const Load& load, index_t first, index_t end,
                                       const R& reducer, data_location from) {
  constexpr bool by_rows = appends_rows<Load, R> || (has_rows<Load> && row_terms_at_once<R> > 0);
  if constexpr (is_argminmax<R> && !by_rows) {
    return reduce_argminmax(load, first, end, reducer, from);
  } else if constexpr (detail::is_large<typename R::accumulator> && !has_component_lanes<Load, R>) {
    typename R::accumulator total;
    const auto reduce_block = [&](index_t block, auto& of_block) {
      const index_t begin = first + block * large_block_terms<R>;
      const index_t last = tandem::min(begin + large_block_terms<R>, end);
      reduce_large_block(load, begin, last, reducer, from, of_block);
    };
    reduce_large(0, ceil_div(end - first, large_block_terms<R>), reduce_block, reducer, total);
    return total;
  } else {
    pairwise_tree<R> tree(reducer);
    if constexpr (by_rows) {
      push_rows(load, first, end, reducer, tree);
    } else if constexpr (R::commutative) {
      constexpr int levels = is_batched<Load> ? batch_levels<canonical::lanes<R>> : 2;
      push_tiles<levels>(load, first, end, reducer, from, tree);
    } else {
      push_segments(load, first, end, reducer, tree);
    }
    return tree.root();
  }
}

/// The body of a loop over subtrees of `terms` terms each, of n in all.
template <class Load, class R>
struct subtree_reduction {
  copy_if_small<Load> load;
  copy_if_small<R> reducer;
  typename R::accumulator* totals;
  index_t distance;  ///< of totals
  index_t n;
  index_t terms;
  data_location from;

  void operator()(index_t begin, index_t end) const {
    for (index_t s = begin; s < end; ++s) {
      const index_t first = s * terms;
      totals[s * distance] =
          reduce_subtree(load, first, n - first < terms ? n : first + terms, reducer, from);
    }
  }

  /// Returns the subtrees nearest to the thread's partition of a loop over the terms' indices, so
  /// that loops and reductions over the same arrays use the same core's cache.
  share share_of(int part, int parts) const {
    const share indices = line_share_of(0, n, part, parts);
    const auto nearest = [this](index_t i) {
      return i == n ? ceil_div(n, terms) : (i + terms / 2) / terms;
    };
    return {nearest(indices.begin), nearest(indices.end)};
  }
};

#include <tandem/backends/openmp/cpu/end_vectorised.hpp>

}  // namespace tandem::openmp_impl
