// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU's targets for loops over planes and volumes, and for a stencil.
#include <perf/benchmarks/loop/host_loops.hpp>

#include <omp.h>

namespace perf::loop_cpu_targets_planes {

/// Extents of a plane of rows x columns (planes == 1) or of a volume.
struct box {
  index_t planes;
  index_t rows;
  index_t columns;

  index_t size() const { return planes * rows * columns; }
  std::string text() const {
    const std::string plane = std::to_string(rows) + "x" + std::to_string(columns);
    return planes == 1 ? plane : std::to_string(planes) + "x" + plane;
  }
};

void increment_box(host_loop_data<float>& data, const box& size) {
  float* const z = data.z.data_handle();
  if (size.planes == 1) {
    const auto plane = tandem::as_view<tandem::host_memory>(z, size.rows, size.columns);
    return run_plane<loop::increment>(data.space, plane, plane, plane);
  }
  const tandem::view<float, 3, tandem::layout_right, tandem::host_memory> volume(
      z, extents<3>(size.planes, size.rows, size.columns));
  tandem::parallel_for(data.space, tandem::grid(size.planes, size.rows, size.columns),
                       [=](int k, int j, int i) { volume(k, j, i) += 1.0f; });
}

/// Hand-written nested loops, whose rows the threads divide.
void raw_increment_box(float* __restrict z, const box& size) {
#pragma omp parallel for collapse(2)
  for (index_t k = 0; k < size.planes; ++k) {
    for (index_t j = 0; j < size.rows; ++j) {
      float* const row = z + (k * size.rows + j) * size.columns;
#pragma omp simd
      for (index_t i = 0; i < size.columns; ++i) row[i] += 1.0f;
    }
  }
}

/// The mean of an element and its four neighbours.
constexpr float fifth = 0.2f;

template <class X>
float mean_of_five(const X& x, index_t j, index_t i) {
  return fifth * (x(j, i) + x(j - 1, i) + x(j + 1, i) + x(j, i - 1) + x(j, i + 1));
}

void stencil(host_loop_data<float>& data, const box& size) {
  const auto x = tandem::as_view<tandem::host_memory>(
      static_cast<const float*>(data.x.data_handle()), size.rows, size.columns);
  const auto z =
      tandem::as_view<tandem::host_memory>(data.z.data_handle(), size.rows, size.columns);
  tandem::parallel_for(data.space, tandem::grid(size.rows - 2, size.columns - 2),
                       [=](int j, int i) { z(j + 1, i + 1) = mean_of_five(x, j + 1, i + 1); });
}

/// A hand-written stencil: each thread processes a band of rows in blocks of columns, three rows of
/// which fit an L2. Blocks that fit an L1 were slower.
void raw_stencil(const float* __restrict x, float* __restrict z, const box& size) {
  constexpr index_t width = 8192;
  const index_t columns = size.columns;
#pragma omp parallel
  {
    const index_t inner = size.rows - 2;
    const index_t part = omp_get_thread_num();
    const index_t parts = omp_get_num_threads();
    const index_t begin = 1 + inner * part / parts;
    const index_t end = 1 + inner * (part + 1) / parts;
    for (index_t left = 1; left < columns - 1; left += width) {
      const index_t right = left + width < columns - 1 ? left + width : columns - 1;
      for (index_t j = begin; j < end; ++j) {
        const float* const row = x + j * columns;
        float* const out = z + j * columns;
#pragma omp simd
        for (index_t i = left; i < right; ++i) {
          out[i] = fifth * (row[i] + row[i - columns] + row[i + columns] + row[i - 1] + row[i + 1]);
        }
      }
    }
  }
}

/// Number of elements of z that differ from the result of one run of the stencil, which leaves the
/// border unchanged.
outcome wrong_in_stencil(const host_loop_data<float>& data, const box& size) {
  const uniform_values<float> before{z_seed};
  const auto x = [values = uniform_values<float>{x_seed}, size](index_t j, index_t i) {
    return values(j * size.columns + i);
  };
  const float* const z = data.z.data_handle();
  const auto wrong = tandem::parallel_reduce(data.space, size.size(), [=](index_t at) {
    const index_t j = at / size.columns;
    const index_t i = at % size.columns;
    const bool inside = j > 0 && j < size.rows - 1 && i > 0 && i < size.columns - 1;
    return index_t{z[at] != (inside ? mean_of_five(x, j, i) : before(at))};
  });
  return {0, static_cast<double>(wrong)};
}

problem box_problem(const char* name, const box& size) {
  problem solved{"loops", name, "f32", size.text()};
  solved.elements = static_cast<double>(size.size());
  solved.bytes = 2 * sizeof(float) * solved.elements;
  solved.expected = [] { return reference{{}, 0, "what each element should be"}; };
  return solved;
}

void list_increment(lineup& add, const box& size) {
  const problem solved =
      box_problem(size.planes == 1 ? "increment_plane" : "increment_volume", size);
  const auto shared = std::make_shared<shared_host_data<float>>(size.size());
  const auto made = [&](auto run) { return on_shared_host<loop::increment>(shared, run); };
  add(tandem_on_cpu(solved, "openmp",
                    made([=](host_loop_data<float>& data) { increment_box(data, size); })));
  add(peer(solved, "openmp", "raw", made([=](host_loop_data<float>& data) {
             raw_increment_box(data.z.data_handle(), size);
           })));
}

void list_stencil(lineup& add, const box& size) {
  const problem solved = box_problem("stencil", size);
  const auto shared = std::make_shared<shared_host_data<float>>(size.size());
  const auto made = [&](auto run) -> std::function<candidate()> {
    return [=] {
      const auto data = shared->get();
      candidate one;
      one.run = [=](std::int64_t) { run(*data); };
      one.check = [=] {
        data->reset();
        run(*data);
        return wrong_in_stencil(*data, size);
      };
      return one;
    };
  };
  add(tandem_on_cpu(solved, "openmp",
                    made([=](host_loop_data<float>& data) { stencil(data, size); })));
  add(peer(solved, "openmp", "raw", made([=](host_loop_data<float>& data) {
             raw_stencil(data.x.data_handle(), data.z.data_handle(), size);
           })));
}

void list_host(const settings& chosen, lineup& add) {
  if (!chosen.targets) return;
  for (const box& plane : {box{1, 1000, 1000}, box{1, 8192, 8192}}) {
    list_increment(add, plane);
    list_stencil(add, plane);
  }
  list_increment(add, {100, 100, 100});
  list_increment(add, {512, 512, 256});
}

const registration host(list_host);

}  // namespace perf::loop_cpu_targets_planes
