// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/range.hpp>
#include <tandem/core/view.hpp>

#include <cstdint>

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
/// 32-bit divisions where the grid allows, since 64-bit ones cost a GPU a lot. A CPU goes row by
/// row instead: with_row() calls body(term) with the function object of the index in a row.
template <int Rank, class Function, class Reducer>
struct grid_load {
  using row_index = loop_index<Function>;

  Function function;
  Reducer reducer;
  extents<Rank> sizes;
  bool fits_32;

  TANDEM_FUNCTION typename Reducer::accumulator operator()(index_t i) const {
    return fits_32 ? at(static_cast<std::uint32_t>(i)) : at(static_cast<std::uint64_t>(i));
  }

  index_t row_length() const { return sizes[Rank - 1]; }

  template <class Body>
  void with_row(index_t row, const Body& body) const {
    const index_t begin = row * row_length();
    if constexpr (Rank == 2) {
      body([this, begin, j = static_cast<row_index>(row)](row_index i) {
        return reducer.lift(function(j, i), begin + static_cast<index_t>(i));
      });
    } else {
      const auto k = static_cast<row_index>(row / sizes[1]);
      body([this, begin, k, j = static_cast<row_index>(row % sizes[1])](row_index i) {
        return reducer.lift(function(k, j, i), begin + static_cast<index_t>(i));
      });
    }
  }

 private:
  template <class Unsigned>
  TANDEM_FUNCTION typename Reducer::accumulator at(Unsigned flat) const {
    const auto width = static_cast<Unsigned>(sizes[Rank - 1]);
    const Unsigned row = flat / width;
    const auto i = static_cast<row_index>(flat - row * width);
    if constexpr (Rank == 2) {
      return reducer.lift(function(static_cast<row_index>(row), i), static_cast<index_t>(flat));
    } else {
      const auto height = static_cast<Unsigned>(sizes[1]);
      const Unsigned plane = row / height;
      const auto j = static_cast<row_index>(row - plane * height);
      return reducer.lift(function(static_cast<row_index>(plane), j, i),
                          static_cast<index_t>(flat));
    }
  }
};

namespace detail {

/// Offset of the element of a view with the row-major index i in its first `dimensions` dimensions
/// and zero in the others.
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

/// Reads accumulators from the elements of a view of any rank and layout by flat, row-major index;
/// with_row() as of a grid.
template <class View, class Reducer>
struct view_load {
  using row_index = index_t;

  View view;
  Reducer reducer;

  TANDEM_FUNCTION typename Reducer::accumulator operator()(index_t i) const {
    return reducer.lift(detail::load_constant(view.data_handle() + detail::flat_offset(view, i)),
                        i);
  }

  index_t row_length() const { return view.extent(View::rank() - 1); }

  template <class Body>
  void with_row(index_t row, const Body& body) const {
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
