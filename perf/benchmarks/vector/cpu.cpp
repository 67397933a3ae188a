// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/vector/bench.hpp>

namespace perf {

namespace {

void raw_add(const float* __restrict x, const float* __restrict y, float* __restrict z,
             tandem::index_t n) {
#pragma omp parallel for simd
  for (tandem::index_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
}

void raw_multiply(const float* __restrict x, const float* __restrict y, float* __restrict z,
                  tandem::index_t n) {
#pragma omp parallel for simd
  for (tandem::index_t i = 0; i < n; ++i) z[i] = x[i] * y[i];
}

void raw_triad(const float* __restrict x, const float* __restrict y, float* __restrict z,
               tandem::index_t n) {
#pragma omp parallel for simd
  for (tandem::index_t i = 0; i < n; ++i) z[i] = __builtin_fmaf(triad_scale, y[i], x[i]);
}

candidate raw_openmp(elementwise operation, tandem::index_t n) {
  auto data = std::make_shared<vectors<tandem::openmp>>(n);
  const auto run = operation == elementwise::add        ? raw_add
                   : operation == elementwise::multiply ? raw_multiply
                                                        : raw_triad;
  return resident(
      data->space,
      [=](std::int64_t round) {
        run(data->x.set(round).data_handle(), data->y.set(round).data_handle(),
            data->z.set(round).data_handle(), n);
      },
      [=] { return summary(*data->space, data->z.set(0)); });
}

/// Elementwise results do not depend on any order, so the peers' bits are the reference's, too.
reference elementwise_reference(elementwise operation, tandem::index_t n) {
  return {resident_elementwise<tandem::serial>(operation, n).check(), 0, "serial"};
}

const char* name_of(elementwise operation) {
  switch (operation) {
    case elementwise::add:
      return "add";
    case elementwise::multiply:
      return "multiply";
    case elementwise::triad:
      return "triad";
  }
  return "";
}

void list_cpu(const settings& chosen, std::vector<benchmark>& benchmarks) {
  for (const elementwise operation :
       {elementwise::add, elementwise::multiply, elementwise::triad}) {
    for (const tandem::index_t n : curve_sizes(chosen)) {
      const problem solved = elementwise_problem(operation, n);
      benchmarks.push_back(tandem_on_cpu(
          solved, "serial", [=] { return resident_elementwise<tandem::serial>(operation, n); }));
      benchmarks.push_back(tandem_on_cpu(
          solved, "openmp", [=] { return resident_elementwise<tandem::openmp>(operation, n); }));
      benchmarks.push_back(peer(solved, "openmp", "raw", [=] { return raw_openmp(operation, n); }));
    }
  }
}

const registration cpu(list_cpu);

}  // namespace

problem elementwise_problem(elementwise operation, tandem::index_t n) {
  problem solved{"vector", name_of(operation), "f32", std::to_string(n)};
  solved.elements = static_cast<double>(n);
  solved.bytes = 12.0 * solved.elements;  // two reads and a write
  solved.expected = [=] { return elementwise_reference(operation, n); };
  return solved;
}

}  // namespace perf
