// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/cache_level.hpp>
#include <tandem/backends/openmp/loop/parallel_for.hpp>
#include <tandem/backends/openmp/reduce/argminmax.hpp>
#include <tandem/backends/openmp/reduce/fused.hpp>
#include <tandem/backends/openmp/reduce/policy.hpp>
#include <tandem/backends/openmp/reduce/tile.hpp>
#include <tandem/core/contract/term_loaders.hpp>

#include <utility>

namespace tandem::openmp_impl {

#include <tandem/backends/openmp/cpu/begin_vectorised.hpp>

/// The aligned pairwise tree of the canonical shape over values that arrive in order. Slot k holds
/// a finished subtree of 2^k values exactly if bit k of their count is one.
template <class R>
class pairwise_tree {
  using T = typename R::accumulator;

 public:
  explicit pairwise_tree(const R& reducer) : reducer_(reducer) {}

  /// Adds a subtree of 2^level values; the number of values before is a multiple of that.
  void push(T value, int level = 0) {
    int k = level;
    for (; (count_ >> k & 1) != 0; ++k) value = reducer_.combine(subtree_[k], value);
    subtree_[k] = value;
    count_ += 1ull << level;
  }

  /// The root, after at least one push. A subtree without a sibling moves up a level unchanged.
  T root() const {
    int k = __builtin_ctzll(count_);
    T value = subtree_[k];
    for (++k; count_ >> k != 0; ++k) {
      if ((count_ >> k & 1) != 0) value = reducer_.combine(subtree_[k], value);
    }
    return value;
  }

 private:
  R reducer_;
  unsigned long long count_ = 0;
  T subtree_[63];  // a count of indices has no more bits
};

/// The pairwise tree over 1 <= count values in memory, which it overwrites, level by level:
/// compilers vectorise a level, but not pushes.
template <class T, class R>
T combine_all(T* value, index_t count, const R& reducer) {
  for (; count > 1; count -= count / 2) {
    const index_t pairs = count / 2;
    // A value is read before, or in the same step as, another is put in its place.
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (index_t i = 0; i < pairs; ++i) value[i] = reducer.combine(value[2 * i], value[2 * i + 1]);
    if (count % 2 != 0) value[pairs] = value[count - 1];
  }
  return value[0];
}

/// The fewest terms that a thread reduces at a time: a tile, 256 segments of the ordered shape, or
/// a few blocks of an argminmax.
template <class R>
inline constexpr index_t leaf_terms =
    R::commutative && !is_argminmax<R> ? index_t{canonical::tile<R>}
                                       : index_t{canonical::scan_tile};

/// Room for one component of a tile's terms.
template <class A, int Count>
struct component_buffer {
  A of[static_cast<std::size_t>(Count)];
};

/// Reduces a tile component by component, by reduce(terms, reducer): numbers in memory in place,
/// other terms from buffers in L1, into which each term is computed once.
template <int Lanes, class Terms, class R, class Reduce, int... I>
typename R::accumulator reduce_components(const Terms& terms, const R& reducer,
                                          const Reduce& reduce, std::integer_sequence<int, I...>) {
  if constexpr (is_plain_array<Terms>) {
    const auto reduce_one = [&](const auto& component) {
      const auto load = with_reducer(terms.load, component);
      using Load = std::remove_const_t<decltype(load)>;
      return reduce(tile_loader<Load>{load, terms.first()}, component);
    };
    return join_components(reducer, reduce_one(component_reducer<I>(reducer))...);
  } else {
    constexpr int count = Lanes * canonical::rows;
    tuple<component_buffer<decltype(component_of<I>(reducer.identity())), count>...> buffers;
    const Terms tile = terms.from(0, count);
    for (int i = 0; i < count; ++i) {
      const auto term = tile(i);
      ((tandem::get<std::size_t{I}>(buffers).of[i] = component_of<I>(term)), ...);
    }
    const auto reduce_stored = [&](const auto& buffer, const auto& component) {
      using Load = stored_load<std::remove_cvref_t<decltype(buffer.of[0])>>;
      const Load load{buffer.of};
      return reduce(tile_loader<Load>{load, 0}, component);
    };
    return join_components(reducer, reduce_stored(tandem::get<std::size_t{I}>(buffers),
                                                  component_reducer<I>(reducer))...);
  }
}

/// Reduces a whole tile, by the method that is fastest for the terms and the reducer. This is the
/// only place that selects it.
template <int Lanes, class Terms, class R>
[[gnu::always_inline]] inline typename R::accumulator reduce_tile(const Terms& terms,
                                                                  const R& reducer) {
  if constexpr (reduces_componentwise<R>) {
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

/// Whether a tile's terms are prefetched where they come from memory: those whose reduction takes
/// so many instructions per cache line that hardware does not fetch far enough ahead.
template <class Load, class R>
inline constexpr bool needs_prefetch =
    is_fused<tile_loader<Load>> || (is_float_minmax<R> && bytes_of_term<Load> != 0);

/// Whether the terms of a load are reduced in batches of tiles.
template <class Load>
inline constexpr bool is_batched = has_batches && is_fused<tile_loader<Load>>;

/// The total of the tile at `first`. A function of its own, since clang 14 vectorises less of it
/// inside other loops. The load is copied, so that compilers see that no store in the loop changes
/// it; an argument by value would be copied through memory.
template <class Load, class R>
[[gnu::noinline]] typename R::accumulator tile_total(const Load& shared, index_t first,
                                                     const R reducer, data_location from) {
  const Load load = shared;
  if constexpr (needs_prefetch<Load, R>) {
    constexpr std::size_t bytes = canonical::tile<R> * bytes_of_term<Load>;
    if (from == data_location::dram) prefetch_ahead(load.data + first, bytes);
  }
  return reduce_tile<canonical::lanes<R>>(tile_loader<Load>{load, first}, reducer);
}

/// The total of the 1 <= count terms of a last tile at `first`; as tile_total in all else.
template <class Load, class R>
[[gnu::noinline]] typename R::accumulator last_tile_total(const Load& shared, index_t first,
                                                          int count, const R reducer) {
  const Load load = shared;
  return reduce_partial_tile(tile_loader<Load>{load, first}, count, reducer);
}

/// The total of 2^Level fused tiles. Batches smaller than the largest are what is left of a share
/// and need no prefetch.
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

/// The total of the 2^Level tiles from `first` on.
template <int Level, class Load, class R>
typename R::accumulator batch_total(const Load& load, index_t first, const R& reducer,
                                    data_location from) {
  using T = typename R::accumulator;
  if constexpr (Level == 0) {
    return tile_total(load, first, reducer, from);
  } else if constexpr (is_batched<Load>) {
    return fused_batch_total<Level>(load, first, reducer, from);
  } else {
    constexpr int tiles = 1 << Level;
    T total[static_cast<std::size_t>(tiles)];
    for (int i = 0; i < tiles; ++i)
      total[i] = tile_total(load, first + i * canonical::tile<R>, reducer, from);
    return combine_adjacent<tiles>(total, reducer);
  }
}

/// Adds the terms first to end - 1 of the commutative shape to the tree; `first` begins a tile.
/// There are as many batches of 2^Level tiles as fit, then smaller ones, then the last tile.
template <int Level, class Load, class R>
void push_tiles(const Load& load, index_t first, index_t end, const R& reducer, data_location from,
                pairwise_tree<R>& tree) {
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
template <class Load, class R>
void push_segments(const Load& shared, index_t first, index_t end, const R& reducer,
                   pairwise_tree<R>& tree) {
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

/// Terms that are computed at a time, a power of two, or 0 where they would not stay in L1.
template <class R>
inline constexpr index_t row_terms_at_once = [] {
  const index_t terms =
      R::commutative && !is_argminmax<R> ? canonical::tile<R> : 32 * canonical::segment;
  return terms * sizeof(typename R::accumulator) <= 32768 ? terms : 0;
}();

/// Whether the lanes of a tile may take terms as they are computed: numbers, of functions whose
/// neighbouring indices compilers see as neighbours.
template <class Load, class R>
inline constexpr bool accumulates_rows =
    R::commutative && std::is_arithmetic_v<typename R::accumulator> && !is_float_minmax<R> &&
    std::is_signed_v<typename Load::row_index> && sizeof(typename Load::row_index) >= sizeof(int);

/// Accumulates `length` terms of a row, from column `first` on, in the lanes; the first of them
/// belongs to lane `at`.
template <int Lanes, class Index, class Term, class T, class R>
[[gnu::always_inline]] inline void accumulate_columns(const Term& term, Index first, int length,
                                                      int at, T* lane, const R& reducer) {
  const auto accumulate = [&](int from, int count, int l) __attribute__((always_inline)) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (int i = 0; i < count; ++i)
      lane[l + i] = reducer.combine(lane[l + i], term(static_cast<Index>(first + from + i)));
  };
  int done = 0;
  if (at > 0) {
    done = length < Lanes - at ? length : Lanes - at;
    accumulate(0, done, at);
  }
  for (; length - done >= Lanes; done += Lanes) accumulate(done, Lanes, 0);
  accumulate(done, length - done, 0);
}

/// Adds the whole tiles of the terms first to end - 1 to the tree and returns the index after them.
/// The lanes of a tile take the terms from where the function is called, row by row.
template <class Load, class R>
[[gnu::noinline]] index_t push_row_tiles(const Load& shared, index_t first, index_t end,
                                         const R reducer, pairwise_tree<R>& tree) {
  using Index = typename Load::row_index;
  constexpr int lanes = canonical::lanes<R>;
  constexpr int tile = canonical::tile<R>;
  const Load load = shared;
  const index_t width = load.row_length();
  index_t row = first / width;
  index_t column = first - row * width;
  for (; end - first >= tile; first += tile) {
    lane_array<typename R::accumulator, lanes> lane;
    for (int l = 0; l < lanes; ++l) lane[l] = reducer.identity();
    for (int done = 0; done < tile;) {
      const int length =
          width - column < tile - done ? static_cast<int>(width - column) : tile - done;
      load.with_row(row, [&, column, done, length](const auto& term) {
        accumulate_columns<lanes>(term, static_cast<Index>(column), length, done % lanes, lane,
                                  reducer);
      });
      done += length;
      column += length;
      if (column == width) {
        column = 0;
        ++row;
      }
    }
    combine_lanes<lanes>(lane, reducer);
    tree.push(lane[0]);
  }
  return first;
}

template <class Load, class R>
typename R::accumulator reduce_subtree(const Load& load, index_t first, index_t end,
                                       const R& reducer, data_location from = data_location::l2);

/// Adds terms that come in rows, a function's over a grid or a view's with gaps, to the tree.
/// Divisions would find the place of each term by its flat index; instead terms are taken row by
/// row, those of a last tile, or of a reducer whose accumulators are objects, from where they have
/// been computed into L1.
template <class Load, class R>
void push_rows(const Load& load, index_t first, index_t end, const R& reducer,
               pairwise_tree<R>& tree) {
  using T = typename R::accumulator;
  constexpr index_t most = row_terms_at_once<R>;
  if constexpr (accumulates_rows<Load, R>) {
    if (load.row_length() >= long_row_lanes * canonical::lanes<R>)
      first = push_row_tiles(load, first, end, reducer, tree);
  }
  T term[static_cast<std::size_t>(most)];
  for (; first < end; first += most) {
    const index_t count = end - first < most ? end - first : most;
    compute_rows(load, first, first + count, term);
    tree.push(reduce_subtree(stored_load<T>{term}, 0, count, reducer));
  }
}

/// The canonical combination of the terms first to end - 1.
template <class Load, class R>
typename R::accumulator reduce_subtree(const Load& load, index_t first, index_t end,
                                       const R& reducer, data_location from) {
  constexpr bool by_rows = has_rows<Load> && row_terms_at_once<R> > 0;
  if constexpr (is_argminmax<R> && !by_rows) {
    return reduce_argminmax(load, first, end, reducer, from);
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

#include <tandem/backends/openmp/cpu/end_vectorised.hpp>

}  // namespace tandem::openmp_impl
