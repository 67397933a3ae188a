// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/increment/bench.hpp>

namespace perf {

namespace {

void raw_line(float* __restrict x, tandem::index_t n) {
#pragma omp parallel for simd
  for (tandem::index_t i = 0; i < n; ++i) x[i] += 1.0f;
}

void raw_plane(float* __restrict x, tandem::index_t rows, tandem::index_t columns) {
#pragma omp parallel for
  for (tandem::index_t j = 0; j < rows; ++j) {
    float* row = x + j * columns;
#pragma omp simd
    for (tandem::index_t i = 0; i < columns; ++i) row[i] += 1.0f;
  }
}

candidate raw_openmp(const increment_shape& shape) {
  auto data = std::make_shared<increment_data<tandem::openmp>>(shape.size());
  return resident(
      data->space,
      [=](std::int64_t round) {
        float* x = data->x.set(round).data_handle();
        shape.is_plane() ? raw_plane(x, shape.rows, shape.columns) : raw_line(x, shape.columns);
      },
      [=] { return summary(*data->space, data->x.set(0)); });
}

void list_cpu(const settings& chosen, std::vector<benchmark>& benchmarks) {
  for (const increment_shape& shape : increment_shapes(chosen)) {
    const problem solved = increment_problem(shape);
    benchmarks.push_back(
        tandem_on_cpu(solved, "serial", [=] { return resident_increment<tandem::serial>(shape); }));
    benchmarks.push_back(
        tandem_on_cpu(solved, "openmp", [=] { return resident_increment<tandem::openmp>(shape); }));
    benchmarks.push_back(peer(solved, "openmp", "raw", [=] { return raw_openmp(shape); }));
  }
}

const registration cpu(list_cpu);

}  // namespace

std::vector<increment_shape> increment_shapes(const settings& chosen) {
  std::vector<increment_shape> shapes;
  for (const tandem::index_t n : curve_sizes(chosen)) shapes.push_back({1, n});
  for (const tandem::index_t side : square_sides(chosen)) shapes.push_back({side, side});
  return shapes;
}

problem increment_problem(const increment_shape& shape) {
  const std::string columns = std::to_string(shape.columns);
  problem solved{"increment", shape.is_plane() ? "plane" : "line", "f32",
                 shape.is_plane() ? std::to_string(shape.rows) + "x" + columns : columns};
  solved.elements = static_cast<double>(shape.size());
  solved.bytes = 8.0 * solved.elements;  // a read and a write
  solved.expected = [=] {
    return reference{resident_increment<tandem::serial>(shape).check(), 0, "serial"};
  };
  return solved;
}

}  // namespace perf
