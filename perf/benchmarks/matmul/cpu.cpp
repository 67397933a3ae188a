// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/matmul/bench.hpp>
#include <perf/support/openblas.hpp>

#include <cmath>
#include <cstdio>
#include <utility>

namespace perf {

namespace {

/// Multiply-adds up to which the serial backend runs at all; beyond, it would take minutes. The
/// reference of larger shapes is OpenMP's, which equals serial's at the smaller ones.
constexpr double most_serial_products = 1.2e9;

bool serial_finishes(const product& size) { return size.multiplications() <= most_serial_products; }

/// A single product runs on all threads, each product of a batch on one, as a program tuned for
/// OpenBLAS would call it.
template <class T>
candidate openblas_matmul(const product& size) {
  auto data = std::make_shared<matrices<openmp, T>>(size);
  const int threads = data->space->threads();
  openblas::set_threads(size.batch == 1 ? threads : 1);
  return resident(
      data->space,
      [=](std::int64_t round) {
        const T* const a = data->a.set(round).data_handle();
        const T* const b = data->b.set(round).data_handle();
        T* const c = data->c.set(round).data_handle();
#pragma omp parallel for num_threads(threads) if (size.batch > 1)
        for (index_t i = 0; i < size.batch; ++i) {
          openblas::multiply(size.shape.m, size.shape.n, size.shape.k, a + i * size.a_size(),
                             b + i * size.b_size(), c + i * size.c_size());
        }
      },
      [=] { return summary(*data->space, data->c.set(0)); });
}

/// Elements of c have a deviation of sqrt(k) / 3, so their sum one of sqrt(batch m n k) / 3.
template <class T>
reference matmul_reference(const product& size) {
  const double tolerance = 1e-3 * std::sqrt(size.multiplications());
  if (serial_finishes(size)) return {resident_matmul<serial, T>(size).check(), tolerance, "serial"};
  return {resident_matmul<openmp, T>(size).check(), tolerance, "openmp"};
}

template <class T>
void list_type(const settings& chosen, lineup& add) {
  for (const product& size : matmul_products(chosen)) {
    const problem solved = matmul_problem<T>(size);
    if (serial_finishes(size)) {
      add(tandem_on_cpu(solved, "serial", [=] { return resident_matmul<serial, T>(size); }));
    }
    add(tandem_on_cpu(solved, "openmp", [=] { return resident_matmul<openmp, T>(size); }));
    if (openblas::is_present()) {
      add(peer(solved, "openmp", "openblas", [=] { return openblas_matmul<T>(size); }));
    }
  }
}

void list_cpu(const settings& chosen, lineup& add) {
  if (chosen.targets) return;
  if (!openblas::is_present())
    std::printf("matmul: no libopenblas.so.0 here, so OpenBLAS is not measured\n");
  add.context["openblas_kernels"] = openblas::kernels();
  list_type<float>(chosen, add);
  list_type<double>(chosen, add);
}

const registration cpu(list_cpu);

}  // namespace

std::vector<product> matmul_products(const settings& chosen) {
  if (chosen.quick)
    return {{1, {128, 128, 128}}, {1, {256, 512, 256}}, {1, {512, 512, 512}}, {256, {32, 32, 32}}};
  std::vector<product> products;
  for (const matmul_shape& shape : {matmul_shape{32, 32, 32},
                                    {64, 64, 64},
                                    {128, 128, 128},
                                    {256, 256, 256},
                                    {256, 512, 256},
                                    {384, 384, 384},
                                    {512, 512, 512},
                                    {1000, 1000, 1000},
                                    {1024, 1024, 1024},
                                    {5120, 256, 5120},
                                    {2048, 2048, 2048},
                                    {4096, 4096, 4096}})
    products.push_back({1, shape});
  for (const auto& [batch, side] : {std::pair<index_t, index_t>{16, 8},
                                    {256, 8},
                                    {4096, 8},
                                    {65536, 8},
                                    {16384, 16},
                                    {16384, 32},
                                    {4096, 64},
                                    {1024, 128}})
    products.push_back({batch, {side, side, side}});
  return products;
}

template <class T>
problem matmul_problem(const product& size) {
  problem solved{"matmul", size.batch == 1 ? "matmul" : "batched", sizeof(T) == 4 ? "f32" : "f64",
                 size.text()};
  solved.elements = size.multiplications();
  solved.bytes = static_cast<double>(sizeof(T)) * static_cast<double>(size.batch) *
                 static_cast<double>(size.a_size() + size.b_size() + size.c_size());
  solved.flops = 2.0 * size.multiplications();  // a product and a sum
  solved.expected = [=] { return matmul_reference<T>(size); };
  return solved;
}

template problem matmul_problem<float>(const product& size);
template problem matmul_problem<double>(const product& size);

}  // namespace perf
