// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/tree.hpp>
#include <tandem/core/canonical.hpp>
#include <tandem/core/reduce_axis_problem.hpp>

namespace tandem::openmp_impl {

/// Columns that are folded together: 256 bytes of a row of floats. Their lanes, 64 x 64 floats,
/// take 16 KiB of L1.
inline constexpr int group_columns = 64;

template <class T>
struct column_values {
  T of[static_cast<std::size_t>(group_columns)];
};

/// Combines the first `columns` columns one by one.
template <class R>
struct column_reducer {
  using accumulator = column_values<typename R::accumulator>;
  R reducer;
  int columns;

  accumulator combine(const accumulator& a, const accumulator& b) const {
    accumulator result = a;
    for (int c = 0; c < columns; ++c) result.of[c] = reducer.combine(a.of[c], b.of[c]);
    return result;
  }
};

/// Up to group_columns neighbouring slices from (p, q) on.
template <class Slices, class R>
struct column_terms {
  Slices slices;
  index_t p;
  index_t q;
  int columns;
  R reducer;

  /// Calls body(term) with the function object int -> accumulator that gives term i of each column.
  template <class Body>
  void with_row(index_t i, const Body& body) const {
    body([&, i](int c) { return slices(p, q + c)(i); });
  }
};

/// Elements of neighbouring slices; contiguous ones are told apart, since loops over them become
/// vectors.
template <class T, class R>
struct column_terms<strided_slices<T, R>, R> {
  strided_slices<T, R> slices;
  index_t p;
  index_t q;
  int columns;
  R reducer;

  template <class Body>
  void with_row(index_t i, const Body& body) const {
    const T* const row = slices(p, q).data + i * slices.term_stride;
    const index_t step = slices.inner_stride;
    if (step == 1) {
      body([row, i, this](int c) { return reducer.lift(row[c], i); });
    } else {
      body([row, step, i, this](int c) { return reducer.lift(row[c * step], i); });
    }
  }
};

/// Appends term i of each column to the columns of a lane, or begins the lane with it.
template <bool Begin, class Terms, class A>
void append_term(const Terms& x, index_t i, column_values<A>& lane) {
  x.with_row(i, [&](const auto& term) {
    const auto append = [&](int columns) {
      for (int c = 0; c < columns; ++c)
        lane.of[c] = Begin ? term(c) : x.reducer.combine(lane.of[c], term(c));
    };
    if (x.columns == group_columns) {
      append(group_columns);
    } else {
      append(x.columns);
    }
  });
}

/// Folds the tile of terms first to end - 1 of every column. Lanes without terms are skipped.
template <class Slices, class R>
column_values<typename R::accumulator> fold_column_tile(const column_terms<Slices, R>& x,
                                                        index_t first, index_t end) {
  using A = typename R::accumulator;
  constexpr int lanes = canonical::lanes<A>;
  column_values<A> lane[static_cast<std::size_t>(lanes)] = {};
  for (int l = 0; l < lanes && first + l < end; ++l) append_term<true>(x, first + l, lane[l]);
  for (index_t row = first + lanes; row < end; row += lanes) {
    for (int l = 0; l < lanes && row + l < end; ++l) append_term<false>(x, row + l, lane[l]);
  }
  const column_reducer<R> columns{x.reducer, x.columns};
  for (int h = lanes / 2; h >= 1; h /= 2) {
    for (int l = 0; l < h && l + h < end - first; ++l)
      lane[l] = columns.combine(lane[l], lane[l + h]);
  }
  return lane[0];
}

/// The canonical combinations of the terms first to end - 1 of up to group_columns of the `left`
/// columns from (p, q) on; `first` begins a tile. Values beyond `left` mean nothing.
template <class Slices, class R>
column_values<typename R::accumulator> fold_columns(const Slices& slices, const R& reducer,
                                                    index_t p, index_t q, index_t left,
                                                    index_t first, index_t end) {
  constexpr index_t tile = canonical::tile<typename R::accumulator>;
  const int count = left < group_columns ? static_cast<int>(left) : group_columns;
  const column_terms<Slices, R> x{slices, p, q, count, reducer};
  const column_reducer<R> columns{reducer, count};
  adjacent_tree<column_reducer<R>> tree(columns);
  for (; first < end; first += tile)
    tree.push(fold_column_tile(x, first, end - first < tile ? end : first + tile));
  return tree.root();
}

}  // namespace tandem::openmp_impl
