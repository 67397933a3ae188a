// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/loop/parallel_for.hpp>
#include <tandem/backends/openmp/reduce/subtree.hpp>
#include <tandem/core/contract/term_loaders.hpp>

/// Reductions of terms that come in rows: of a function over a grid, and of views with gaps.
/// Divisions would find the place of each term by its flat index; instead the terms of a tile are
/// computed row by row into L1, with one division per row, and reduced from there.
namespace tandem::openmp_impl {

/// Whether a load has rows.
template <class Load>
inline constexpr bool has_rows = false;
template <int Rank, class Function, class R>
inline constexpr bool has_rows<grid_load<Rank, Function, R>> = true;
template <class View, class R>
inline constexpr bool has_rows<view_load<View, R>> = true;

// As in parallel_for.hpp.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#elif defined(__OPTIMIZE__) && !defined(TANDEM_DEVICE_PASS)
#pragma GCC push_options
#pragma GCC optimize("O3")
#endif

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

/// Whether a tile is accumulated as its terms are computed.
template <class R>
inline constexpr bool accumulates_pieces =
    R::commutative && std::is_arithmetic_v<typename R::accumulator> && !is_float_minmax<R>;

/// The total of the whole tile at `first`. A quarter of it is computed and accumulated at a time,
/// which leaves L1 to what the function reads.
template <class Load, class R>
typename R::accumulator reduce_tile_of_rows(const Load& load, index_t first, const R& reducer) {
  using T = typename R::accumulator;
  constexpr int lanes = canonical::lanes<R>;
  constexpr int rows = canonical::rows / 4;
  T term[static_cast<std::size_t>(rows * lanes)];
  const stored_load<T> stored{term};
  const tile_loader<stored_load<T>> terms{stored, 0};
  lane_array<T, lanes> lane;
  compute_rows(load, first, first + rows * lanes, term);
  accumulate_rows<lanes>(terms, rows, lane, reducer);
  for (int row = rows; row < canonical::rows; row += rows) {
    compute_rows(load, first + row * lanes, first + (row + rows) * lanes, term);
    for (int l = 0; l < lanes; ++l)
      lane[l] = append_rows<lanes, rows>(lane[l], terms, l, 0, reducer);
  }
  combine_lanes<lanes>(lane, reducer);
  return lane[0];
}

/// The canonical combination of the terms first to end - 1.
template <class Load, class R>
  requires(has_rows<Load> && row_terms_at_once<R> > 0)
typename R::accumulator reduce_subtree(const Load& load, index_t first, index_t end,
                                       const R& reducer, data_location = data_location::l2) {
  using T = typename R::accumulator;
  constexpr index_t most = row_terms_at_once<R>;
  pairwise_tree<R> tree(reducer);
  if constexpr (accumulates_pieces<R>) {
    for (; end - first >= most; first += most) tree.push(reduce_tile_of_rows(load, first, reducer));
  }
  T term[static_cast<std::size_t>(most)];
  for (; first < end; first += most) {
    const index_t count = end - first < most ? end - first : most;
    compute_rows(load, first, first + count, term);
    tree.push(reduce_subtree(stored_load<T>{term}, 0, count, reducer));
  }
  return tree.root();
}

/// Writes the terms begin to end - 1 to out[begin] and on.
template <class Load, class T>
  requires has_rows<Load>
void compute_terms(const Load& load, index_t begin, index_t end, T* out) {
  compute_rows(load, begin, end, out + begin);
}

#if defined(__clang__)
#pragma clang diagnostic pop
#elif defined(__OPTIMIZE__) && !defined(TANDEM_DEVICE_PASS)
#pragma GCC pop_options
#endif

}  // namespace tandem::openmp_impl
