// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

namespace perf {

/// Shape of the array whose elements are incremented: a line if rows == 1, else rows x columns.
struct increment_shape {
  index_t rows;
  index_t columns;

  bool is_plane() const { return rows > 1; }
  index_t size() const { return rows * columns; }
};

std::vector<increment_shape> increment_shapes(const settings& chosen);
problem increment_problem(const increment_shape& shape);

inline constexpr std::uint64_t increment_seed = 3;

template <class Space, class View>
void increment_line(const Space& space, const View& x) {
  tandem::parallel_for(
      space, static_cast<int>(x.size()), TANDEM_LAMBDA(int i) { x(i) += 1.0f; });
}

template <class Space, class View>
void increment_plane(const Space& space, const View& x) {
  tandem::parallel_for(
      space, tandem::grid{x.extent(0), x.extent(1)},
      TANDEM_LAMBDA(int j, int i) { x(j, i) += 1.0f; });
}

/// `x` is a contiguous line of shape.size() elements.
template <class Space, class Memory>
void increment(const Space& space, const increment_shape& shape,
               const tandem::view<float, 1, tandem::layout_right, Memory>& x) {
  if (shape.is_plane()) {
    increment_plane(space, tandem::as_view<Memory>(x.data_handle(), shape.rows, shape.columns));
  } else {
    increment_line(space, x);
  }
}

/// The data of a candidate. Elements grow by one with every run.
template <class Space>
struct increment_data {
  explicit increment_data(index_t n) : x(*space, n) {
    x.fill(*space, uniform_values<float>{increment_seed});
  }

  std::shared_ptr<Space> space = std::make_shared<Space>();
  rotating_array<float, Space> x;
};

/// Makes a candidate on data in the space's memory.
template <class Space>
candidate resident_increment(const increment_shape& shape) {
  auto data = std::make_shared<increment_data<Space>>(shape.size());
  return resident(
      data->space, [=](std::int64_t round) { increment(*data->space, shape, data->x.set(round)); },
      [=] { return summary(*data->space, data->x.set(0)); });
}

}  // namespace perf
