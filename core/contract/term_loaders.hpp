// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/grid_indices.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/range.hpp>
#include <tandem/core/view.hpp>

namespace tandem {

/// Reads accumulators of a reduction or a scan from contiguous elements: reducer.lift(data[i], i).
/// Backends recognise the type and read with wide loads.
template <class T, class Reducer>
struct contiguous_load {
  const T* data;
  Reducer reducer;

  TANDEM_FUNCTION constexpr typename Reducer::accumulator operator()(index_t i) const {
    return reducer.lift(detail::load_constant(data + i), i);
  }
};

/// Reads accumulators from elements `stride` apart.
template <class T, class Reducer>
struct strided_load {
  const T* data;
  index_t stride;
  Reducer reducer;

  TANDEM_FUNCTION constexpr typename Reducer::accumulator operator()(index_t i) const {
    return reducer.lift(detail::load_constant(data + i * stride), i);
  }
};

/// Reads accumulators from a user's function of the index, which it calls with its own index type.
template <class Function, class Index, class Reducer>
struct function_load {
  Function function;
  Reducer reducer;
  index_t begin;

  TANDEM_FUNCTION constexpr typename Reducer::accumulator operator()(index_t i) const {
    return reducer.lift(function(static_cast<Index>(begin + i)), begin + i);
  }
};

/// Reads accumulators from a user's function of the indices of a grid, by flat, row-major index.
///
/// A CPU proceeds row by row: with_row() calls body(term) with the function object of the index in
/// a row. A GPU thread steps from one index to the next: term(indices.after(at, s), i + s).
template <int Rank, class Function, class Reducer>
struct grid_load {
  using accumulator = typename Reducer::accumulator;
  using row_index = loop_index<Function>;

  Function function;
  Reducer reducer;
  detail::grid_indices<Rank> indices;

  TANDEM_FUNCTION accumulator operator()(index_t i) const { return term(indices.at(i), i); }

  /// Returns term i, whose index is `at`.
  TANDEM_FUNCTION accumulator term(const typename detail::grid_indices<Rank>::index& at,
                                   index_t i) const {
    const auto along = [&](int d) { return static_cast<row_index>(at.along[d]); };
    if constexpr (Rank == 2) {
      return reducer.lift(function(along(0), along(1)), i);
    } else {
      return reducer.lift(function(along(0), along(1), along(2)), i);
    }
  }

  index_t row_length() const { return indices.sizes()[Rank - 1]; }

  template <class Body>
  [[gnu::always_inline]] void with_row(index_t row, const Body& body) const {
    const index_t begin = row * row_length();
    if constexpr (Rank == 2) {
      body([this, begin, j = static_cast<row_index>(row)](row_index i) {
        return reducer.lift(function(j, i), begin + static_cast<index_t>(i));
      });
    } else {
      const auto k = static_cast<row_index>(row / indices.sizes()[1]);
      body([this, begin, k, j = static_cast<row_index>(row % indices.sizes()[1])](row_index i) {
        return reducer.lift(function(k, j, i), begin + static_cast<index_t>(i));
      });
    }
  }
};

namespace detail {

/// Returns the offset of a view's element with row-major index i in the first `dimensions`
/// dimensions and zero in the others.
template <class View>
TANDEM_FUNCTION constexpr index_t flat_offset(const View& v, index_t i,
                                              int dimensions = View::rank()) {
  index_t offset = 0;
  for (int d = dimensions - 1; d >= 0; --d) {
    offset += i % v.extent(d) * v.stride(d);
    i /= v.extent(d);
  }
  return offset;
}

}  // namespace detail

/// Reads accumulators from the elements of a view of rank 2 or more and any layout by flat,
/// row-major index, by rows and by steps as grid_load does.
template <class View, class Reducer>
struct view_load {
  using accumulator = typename Reducer::accumulator;
  using row_index = index_t;

  View view;
  Reducer reducer;
  detail::grid_indices<View::rank()> indices{view.extents()};

  TANDEM_FUNCTION accumulator operator()(index_t i) const { return term(indices.at(i), i); }

  /// Returns term i, whose index is `at`.
  TANDEM_FUNCTION accumulator term(const typename detail::grid_indices<View::rank()>::index& at,
                                   index_t i) const {
    index_t offset = 0;
    for (int d = 0; d < View::rank(); ++d) offset += at.along[d] * view.stride(d);
    return reducer.lift(detail::load_constant(view.data_handle() + offset), i);
  }

  index_t row_length() const { return view.extent(View::rank() - 1); }

  template <class Body>
  [[gnu::always_inline]] void with_row(index_t row, const Body& body) const {
    const index_t begin = row * row_length();
    const auto* const data = view.data_handle() + detail::flat_offset(view, row, View::rank() - 1);
    const index_t stride = view.stride(View::rank() - 1);
    if (stride == 1) {
      body([this, begin, data](index_t i) { return reducer.lift(data[i], begin + i); });
    } else {
      body([this, begin, data, stride](index_t i) {
        return reducer.lift(data[i * stride], begin + i);
      });
    }
  }
};

}  // namespace tandem
