// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/increment/bench.hpp>
#include <perf/support/host_peers.hpp>

namespace perf {

namespace {

void raw_line(float* __restrict x, index_t n) {
#pragma omp parallel for simd
  for (index_t i = 0; i < n; ++i) x[i] += 1.0f;
}

void raw_plane(float* __restrict x, index_t rows, index_t columns) {
#pragma omp parallel for
  for (index_t j = 0; j < rows; ++j) {
    float* row = x + j * columns;
#pragma omp simd
    for (index_t i = 0; i < columns; ++i) row[i] += 1.0f;
  }
}

void raw_openmp(float* x, const increment_shape& shape) {
  shape.is_plane() ? raw_plane(x, shape.rows, shape.columns) : raw_line(x, shape.columns);
}

/// The loop over elements [begin, end), the body of the peers that split ranges.
void loop_over(float* __restrict x, index_t begin, index_t end) {
#pragma omp simd
  for (index_t i = begin; i < end; ++i) x[i] += 1.0f;
}

/// Splits planes by rows, lines by elements.
void tbb_increment(float* x, const increment_shape& shape) {
  const index_t width = shape.is_plane() ? shape.columns : 1;
  tbb_for(shape.size() / width,
          [=](index_t begin, index_t end) { loop_over(x, begin * width, end * width); });
}

void kokkos_increment(float* x, const increment_shape& shape) {
  if (shape.is_plane()) {
    const index_t columns = shape.columns;
    kokkos_for(shape.rows, [=](index_t j) { loop_over(x, j * columns, (j + 1) * columns); });
  } else {
    kokkos_for(shape.columns, [=](index_t i) { x[i] += 1.0f; });
  }
}

/// Makes a candidate of a peer's loop(x, shape).
template <class Loop>
std::function<candidate()> peer_loop(const increment_shape& shape, const Loop& loop) {
  return [=] {
    auto data = std::make_shared<increment_data<openmp>>(shape.size());
    return resident(
        data->space, [=](std::int64_t round) { loop(data->x.set(round).data_handle(), shape); },
        [=] { return summary(*data->space, data->x.set(0)); });
  };
}

void list_cpu(const settings& chosen, lineup& add) {
  for (const increment_shape& shape : increment_shapes(chosen)) {
    const problem solved = increment_problem(shape);
    add(tandem_on_cpu(solved, "serial", [=] { return resident_increment<serial>(shape); }));
    add(tandem_on_cpu(solved, "openmp", [=] { return resident_increment<openmp>(shape); }));
    add(peer(solved, "openmp", "raw", peer_loop(shape, raw_openmp)));
    if (tbb_present) add(peer(solved, "openmp", "tbb", peer_loop(shape, tbb_increment)));
    if (kokkos_present) add(peer(solved, "openmp", "kokkos", peer_loop(shape, kokkos_increment)));
  }
}

const registration cpu(list_cpu);

}  // namespace

std::vector<increment_shape> increment_shapes(const settings& chosen) {
  std::vector<increment_shape> shapes;
  for (const index_t n : curve_sizes(chosen)) shapes.push_back({1, n});
  for (const index_t side : square_sides(chosen)) shapes.push_back({side, side});
  return shapes;
}

problem increment_problem(const increment_shape& shape) {
  const std::string columns = std::to_string(shape.columns);
  problem solved{"increment", shape.is_plane() ? "plane" : "line", "f32",
                 shape.is_plane() ? std::to_string(shape.rows) + "x" + columns : columns};
  solved.elements = static_cast<double>(shape.size());
  solved.bytes = 8.0 * solved.elements;  // a read and a write
  solved.expected = [=] {
    return reference{resident_increment<serial>(shape).check(), 0, "serial"};
  };
  return solved;
}

}  // namespace perf
