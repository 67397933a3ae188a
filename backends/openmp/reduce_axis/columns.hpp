// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/reduce/subtree.hpp>
#include <tandem/backends/openmp/reduce_axis/policy.hpp>
#include <tandem/core/contract/reduce_axis_problem.hpp>
#include <tandem/core/contract/reduction_shape.hpp>

namespace tandem::openmp_impl {

template <class T, int Columns>
struct column_values {
  T of[static_cast<std::size_t>(Columns)];
};

/// The lanes of a tile of columns.
template <int Columns, class R>
struct column_lanes {
  column_values<typename R::accumulator, Columns> of[static_cast<std::size_t>(canonical::lanes<R>)];
};

/// Combines the first `columns` columns one by one.
template <class R, int Columns>
struct column_reducer {
  using accumulator = column_values<typename R::accumulator, Columns>;
  R reducer;
  int columns;

  accumulator combine(const accumulator& a, const accumulator& b) const {
    accumulator result = a;
    append(result, b);
    return result;
  }
  /// a = combine(a, b)
  void append(accumulator& a, const accumulator& b) const {
    for (int c = 0; c < columns; ++c) a.of[c] = reducer.combine(a.of[c], b.of[c]);
  }
};

/// Up to `columns` neighbouring slices from (p, q) on.
template <class Slices, class R>
struct column_terms {
  Slices slices;
  index_t p;
  index_t q;
  int columns;
  R reducer;

  /// Calls body(term) with the function object (c, k) -> accumulator that gives term i + k * lanes
  /// of column c.
  template <class Body>
  void with_rows(index_t i, const Body& body) const {
    constexpr int lanes = canonical::lanes<R>;
    body([&, i](int c, int k) { return slices(p, q + c)(i + k * lanes); });
  }
};

/// Elements of neighbouring slices. Contiguous ones have a separate loop, which is vectorised.
template <class T, class R>
struct column_terms<strided_slices<T, R>, R> {
  strided_slices<T, R> slices;
  index_t p;
  index_t q;
  int columns;
  R reducer;

  template <class Body>
  void with_rows(index_t i, const Body& body) const {
    constexpr int lanes = canonical::lanes<R>;
    const T* const row = slices(p, q).data + i * slices.term_stride;
    const index_t next = lanes * slices.term_stride;
    const index_t step = slices.inner_stride;
    if (step == 1) {
      body([row, next, i, this](int c, int k) {
        return reducer.lift(row[c + k * next], i + k * lanes);
      });
    } else {
      body([row, next, step, i, this](int c, int k) {
        return reducer.lift(row[c * step + k * next], i + k * lanes);
      });
    }
  }
};

/// Appends the terms i, i + lanes, .. of each column, `Rows` of them, to the columns of a lane, or
/// starts the lane with them.
template <bool Begin, int Rows, class Terms, class A, int Columns>
void append_rows(const Terms& x, index_t i, column_values<A, Columns>& lane) {
  x.with_rows(i, [&](const auto& term) {
    const auto append = [&](int columns) {
      for (int c = 0; c < columns; ++c) {
        A folded = Begin ? term(c, 0) : x.reducer.combine(lane.of[c], term(c, 0));
        for (int k = 1; k < Rows; ++k) folded = x.reducer.combine(folded, term(c, k));
        lane.of[c] = folded;
      }
    };
    if (x.columns == Columns) {
      append(Columns);
    } else {
      append(x.columns);
    }
  });
}

/// Appends terms of `count` lanes, starting with term `row`, or starts the lanes with them.
template <int Rows, class Terms, class A, int Columns>
void append_lanes(const Terms& x, bool begin, index_t row, index_t count,
                  column_values<A, Columns>* lane) {
  if (begin) {
    for (index_t l = 0; l < count; ++l) append_rows<true, Rows>(x, row + l, lane[l]);
  } else {
    for (index_t l = 0; l < count; ++l) append_rows<false, Rows>(x, row + l, lane[l]);
  }
}

/// Reduces the tile of terms first to end - 1 of every column. Lanes without terms are skipped. A
/// lane takes four rows together, so that its columns are loaded and stored only once for them.
template <int Columns, class Slices, class R>
const column_values<typename R::accumulator, Columns>& reduce_column_tile(
    const column_terms<Slices, R>& x, index_t first, index_t end, column_lanes<Columns, R>& room) {
  constexpr int lanes = canonical::lanes<R>;
  auto* const lane = room.of;
  index_t row = first;
  for (; end - row >= 4 * lanes; row += 4 * lanes)
    append_lanes<4>(x, row == first, row, lanes, lane);
  for (; end - row >= 2 * lanes; row += 2 * lanes)
    append_lanes<2>(x, row == first, row, lanes, lane);
  for (; row < end; row += lanes)
    append_lanes<1>(x, row == first, row, end - row < lanes ? end - row : lanes, lane);
  const column_reducer<R, Columns> columns{x.reducer, x.columns};
  for (int h = lanes / 2; h >= 1; h /= 2) {
    for (int l = 0; l < h && l + h < end - first; ++l) columns.append(lane[l], lane[l + h]);
  }
  return lane[0];
}

/// Computes the canonical combinations of the terms first to end - 1 of up to Columns of the `left`
/// columns that start at (p, q); `first` begins one of at most most_column_tiles tiles. Values
/// beyond `left` are meaningless.
template <int Columns, class Slices, class R>
column_values<typename R::accumulator, Columns> reduce_columns(const Slices& slices,
                                                               const R& reducer, index_t p,
                                                               index_t q, index_t left,
                                                               index_t first, index_t end,
                                                               column_lanes<Columns, R>& room) {
  constexpr index_t tile = canonical::tile<R>;
  const int count = left < Columns ? static_cast<int>(left) : Columns;
  const column_terms<Slices, R> x{slices, p, q, count, reducer};
  const column_reducer<R, Columns> columns{reducer, count};
  pairwise_tree<column_reducer<R, Columns>, column_levels> tree(columns);
  for (; first < end; first += tile)
    tree.push(reduce_column_tile<Columns>(x, first, end - first < tile ? end : first + tile, room));
  return tree.root();
}

}  // namespace tandem::openmp_impl
