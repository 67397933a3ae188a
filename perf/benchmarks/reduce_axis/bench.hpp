// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

#include <vector>

namespace perf {

/// Which sums of a matrix to compute: one per row or one per column.
enum class sums { rows, columns };

/// A matrix of floats, row-major.
struct matrix_shape {
  index_t rows;
  index_t columns;

  index_t size() const { return rows * columns; }
  index_t outputs(sums of) const { return of == sums::rows ? rows : columns; }
};

/// Squares for the report; for the tables of targets, 2^27 floats with short, medium and long rows.
inline std::vector<matrix_shape> matrix_shapes(const settings& chosen) {
  constexpr auto power = [](int exponent) { return index_t{1} << exponent; };
  if (chosen.targets) return {{power(20), 128}, {power(13), power(14)}, {128, power(20)}};
  std::vector<matrix_shape> squares;
  for (const index_t side : square_sides(chosen)) squares.push_back({side, side});
  return squares;
}

/// The problem of summing all rows or all columns.
problem axis_problem(sums of, const matrix_shape& shape);

inline constexpr std::uint64_t axis_seed = 8;

/// The data of a candidate.
template <class Space>
struct axis_data {
  using memory = typename Space::memory_type;

  axis_data(sums kind, const matrix_shape& size)
      : of(kind), shape(size), x(*space, size.size()), out(extents<1>(size.outputs(kind)), *space) {
    x.fill(*space, uniform_values<float>{axis_seed});
  }

  tandem::view<const float, 2, tandem::layout_right, memory> set(index_t round) {
    return {x.set(round).data_handle(), extents<2>(shape.rows, shape.columns)};
  }

  sums of;
  matrix_shape shape;
  std::shared_ptr<Space> space = std::make_shared<Space>();
  rotating_array<float, Space> x;
  array<float, 1, Space> out;
};

/// Makes a candidate that calls enqueue(data, round) on data in the space's memory.
template <class Space, class Enqueue>
candidate resident_axis(sums of, const matrix_shape& shape, const Enqueue& enqueue) {
  auto data = std::make_shared<axis_data<Space>>(of, shape);
  return resident(
      data->space, [=](std::int64_t round) { enqueue(*data, round); },
      [=] { return summary(*data->space, data->out.view()); });
}

template <class Space>
candidate tandem_axis(sums of, const matrix_shape& shape) {
  return resident_axis<Space>(of, shape, [](axis_data<Space>& data, std::int64_t round) {
    const int along = data.of == sums::rows ? 1 : 0;
    tandem::parallel_reduce_into(*data.space, data.set(round), tandem::axis{along},
                                 tandem::sum<float>{}, data.out.view());
  });
}

}  // namespace perf
