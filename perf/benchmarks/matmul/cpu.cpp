// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/matmul/bench.hpp>
#include <perf/support/openblas.hpp>

#include <cmath>
#include <cstdio>

#include <benchmark/benchmark.h>

namespace perf {

namespace {

/// Multiply-adds up to which the serial backend runs at all; beyond, it would take minutes. The
/// reference of larger shapes is OpenMP's, which equals serial's at the smaller ones.
constexpr double most_serial_products = 1.2e9;

double products(const matmul_shape& shape) {
  return static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
}

bool serial_finishes(const matmul_shape& shape) { return products(shape) <= most_serial_products; }

template <class T>
candidate openblas_matmul(const matmul_shape& shape) {
  auto data = std::make_shared<matrices<tandem::openmp, T>>(shape);
  openblas::set_threads(data->space->threads());
  return resident(
      data->space,
      [=](std::int64_t round) {
        openblas::multiply(shape.m, shape.n, shape.k, data->a.set(round).data_handle(),
                           data->b.set(round).data_handle(), data->c.set(round).data_handle());
      },
      [=] { return summary(*data->space, data->c.set(0)); });
}

/// Elements of c have a deviation of sqrt(k) / 3, so their sum one of sqrt(m n k) / 3.
template <class T>
reference matmul_reference(const matmul_shape& shape) {
  const double tolerance = 1e-3 * std::sqrt(products(shape));
  if (serial_finishes(shape))
    return {resident_matmul<tandem::serial, T>(shape).check(), tolerance, "serial"};
  return {resident_matmul<tandem::openmp, T>(shape).check(), tolerance, "openmp"};
}

template <class T>
void list_type(const settings& chosen, std::vector<benchmark>& benchmarks) {
  for (const matmul_shape& shape : matmul_shapes(chosen)) {
    const problem solved = matmul_problem<T>(shape);
    if (serial_finishes(shape)) {
      benchmarks.push_back(tandem_on_cpu(
          solved, "serial", [=] { return resident_matmul<tandem::serial, T>(shape); }));
    }
    benchmarks.push_back(
        tandem_on_cpu(solved, "openmp", [=] { return resident_matmul<tandem::openmp, T>(shape); }));
    if (openblas::is_present()) {
      benchmarks.push_back(
          peer(solved, "openmp", "openblas", [=] { return openblas_matmul<T>(shape); }));
    }
  }
}

void list_cpu(const settings& chosen, std::vector<benchmark>& benchmarks) {
  if (chosen.targets) return;
  if (!openblas::is_present())
    std::printf("matmul: no libopenblas.so.0 here, so OpenBLAS is not measured\n");
  ::benchmark::AddCustomContext("openblas_kernels", openblas::kernels());
  list_type<float>(chosen, benchmarks);
  list_type<double>(chosen, benchmarks);
}

const registration cpu(list_cpu);

}  // namespace

std::vector<matmul_shape> matmul_shapes(const settings& chosen) {
  if (chosen.quick) return {{128, 128, 128}, {256, 512, 256}, {512, 512, 512}};
  return {{64, 64, 64},       {128, 128, 128},    {256, 256, 256},    {256, 512, 256},
          {512, 512, 512},    {1000, 1000, 1000}, {1024, 1024, 1024}, {5120, 256, 5120},
          {2048, 2048, 2048}, {4096, 4096, 4096}};
}

template <class T>
problem matmul_problem(const matmul_shape& shape) {
  const std::string size =
      std::to_string(shape.m) + "x" + std::to_string(shape.k) + "x" + std::to_string(shape.n);
  problem solved{"matmul", "matmul", sizeof(T) == 4 ? "f32" : "f64", size};
  solved.elements = products(shape);
  solved.bytes = static_cast<double>(sizeof(T)) *
                 static_cast<double>(shape.m * shape.k + shape.k * shape.n + shape.m * shape.n);
  solved.flops = 2.0 * products(shape);  // a product and a sum
  solved.expected = [=] { return matmul_reference<T>(shape); };
  return solved;
}

template problem matmul_problem<float>(const matmul_shape& shape);
template problem matmul_problem<double>(const matmul_shape& shape);

}  // namespace perf
