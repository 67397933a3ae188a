// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/reduce_axis/bench.hpp>

#include <cmath>

namespace perf {

namespace {

/// Hand-written OpenMP: threads divide the rows, or ranges of columns that one thread sums row by
/// row.
void raw_rows(const float* __restrict x, float* __restrict out, index_t rows, index_t columns) {
#pragma omp parallel for
  for (index_t j = 0; j < rows; ++j) {
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (index_t i = 0; i < columns; ++i) total += x[j * columns + i];
    out[j] = total;
  }
}

void raw_columns(const float* __restrict x, float* __restrict out, index_t rows, index_t columns) {
  constexpr index_t width = 64;
#pragma omp parallel for
  for (index_t begin = 0; begin < columns; begin += width) {
    float total[width] = {};
    const index_t count = columns - begin < width ? columns - begin : width;
    for (index_t j = 0; j < rows; ++j) {
      for (index_t i = 0; i < count; ++i) total[i] += x[j * columns + begin + i];
    }
    for (index_t i = 0; i < count; ++i) out[begin + i] = total[i];
  }
}

candidate raw_openmp(sums of, const matrix_shape& shape) {
  return resident_axis<openmp>(of, shape, [](axis_data<openmp>& data, std::int64_t round) {
    const float* x = data.set(round).data_handle();
    const auto sum = data.of == sums::rows ? raw_rows : raw_columns;
    sum(x, data.out.data_handle(), data.shape.rows, data.shape.columns);
  });
}

/// Elements are uniform in [-1, 1), and the outcome's number is the sum of all outputs, whose
/// deviation grows with the square root of the number of elements.
reference axis_reference(sums of, const matrix_shape& shape) {
  const double tolerance = 1e-2 * std::sqrt(static_cast<double>(shape.size()));
  return {tandem_axis<openmp>(of, shape).check(), tolerance, "openmp"};
}

void list_cpu(const settings& chosen, lineup& add) {
  for (const sums of : {sums::rows, sums::columns}) {
    for (const matrix_shape& shape : matrix_shapes(chosen)) {
      const problem solved = axis_problem(of, shape);
      add(tandem_on_cpu(solved, "openmp", [=] { return tandem_axis<openmp>(of, shape); }));
      add(peer(solved, "openmp", "raw", [=] { return raw_openmp(of, shape); }));
    }
  }
}

const registration cpu(list_cpu);

}  // namespace

problem axis_problem(sums of, const matrix_shape& shape) {
  problem solved{"axis", of == sums::rows ? "rows" : "columns", "f32",
                 std::to_string(shape.rows) + "x" + std::to_string(shape.columns)};
  solved.elements = static_cast<double>(shape.size());
  solved.bytes = 4.0 * solved.elements;  // each element is read once
  solved.expected = [=] { return axis_reference(of, shape); };
  return solved;
}

}  // namespace perf
