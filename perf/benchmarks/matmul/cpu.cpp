// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of floats and doubles on the CPU: tandem against OpenBLAS and, for the targets, BLIS, on
// all threads and on one.
#include <perf/benchmarks/matmul/host_matrices.hpp>
#include <perf/support/host_blas.hpp>

#include <cmath>
#include <cstdio>
#include <utility>

namespace perf {

namespace {

/// Multiply-adds up to which the serial backend runs at all; beyond, it would take minutes. The
/// reference of larger shapes is OpenMP's, which equals serial's at the smaller ones.
constexpr double most_serial_products = 1.2e9;

bool serial_finishes(const product& size) { return size.multiplications() <= most_serial_products; }

/// Runs a product on all threads, or each product of a batch on one thread, as a program tuned for
/// its BLAS would.
template <class T>
void multiply_with(const host_blas& blas, host_matrices<T>& data) {
  const product& size = data.size;
  const int threads = data.space.threads();
  blas.set_threads(size.batch == 1 ? threads : 1);
#pragma omp parallel for num_threads(threads) if (size.batch > 1)
  for (index_t i = 0; i < size.batch; ++i) {
    blas.multiply(
        size.shape.m, size.shape.n, size.shape.k, data.a.data_handle() + i * size.a_size(),
        data.b.data_handle() + i * size.b_size(), data.c.data_handle() + i * size.c_size());
  }
}

/// Elements of c have a deviation of sqrt(k) / 3, so their sum one of sqrt(batch m n k) / 3.
double tolerance_of(const product& size) { return 1e-3 * std::sqrt(size.multiplications()); }

template <class T>
reference matmul_reference(const product& size) {
  if (serial_finishes(size))
    return {resident_matmul<serial, T>(size).check(), tolerance_of(size), "serial"};
  return {resident_matmul<openmp, T>(size).check(), tolerance_of(size), "openmp"};
}

/// Adds tandem and its peers on `threads` threads, 0 for all of them.
template <class T>
void list_openmp(const on_threads& add, const problem& solved, const product& size,
                 const std::vector<const host_blas*>& libraries) {
  using matrices = host_matrices<T>;
  add(tandem_on_cpu(solved, "openmp", tandem_on_matrices<matrices>(size, add.threads)));
  for (const host_blas* blas : libraries) {
    if (!blas->is_present()) continue;
    const auto run = [=](matrices& data) { multiply_with(*blas, data); };
    add(peer(solved, "openmp", blas->name, on_matrices<matrices>(size, add.threads, run)));
  }
}

template <class T>
void list_report(lineup& add, const settings& chosen) {
  for (const product& size : matmul_products(chosen)) {
    const problem solved = matmul_problem<T>(size);
    if (serial_finishes(size))
      add(tandem_on_cpu(solved, "serial", [=] { return resident_matmul<serial, T>(size); }));
    list_openmp<T>({add, 0}, solved, size, {&host_blas::openblas()});
  }
}

template <class T>
void list_targets(lineup& add) {
  const matmul_shape shapes[] = {{64, 64, 64},       {128, 128, 128},    {256, 256, 256},
                                 {1000, 1000, 1000}, {1024, 1024, 1024}, {2048, 2048, 2048},
                                 {4096, 4096, 4096}, {256, 512, 256},    {5120, 256, 5120},
                                 {16, 4096, 4096},   {64, 65536, 64},    {65536, 64, 64}};
  const auto list = [&](const product& size, int threads) {
    problem solved = matmul_problem<T>(size);
    solved.expected = [=] {
      const outcome wanted = tandem_on_matrices<host_matrices<T>>(size, 1)().check();
      return reference{wanted, tolerance_of(size), "one thread"};
    };
    list_openmp<T>({add, threads}, solved, size, {&host_blas::openblas(), &host_blas::blis()});
  };
  for (const matmul_shape& shape : shapes) {
    list({1, shape}, 0);
    list({1, shape}, 1);
  }
  list({1024, {128, 128, 128}}, 0);
}

void list_cpu(const settings& chosen, lineup& add) {
  if (!host_blas::openblas().is_present())
    std::printf("matmul: no libopenblas.so.0 here, so OpenBLAS is not measured\n");
  add.context["openblas_kernels"] = host_blas::openblas().kernels();
  if (chosen.targets) {
    add.context["blis_kernels"] = host_blas::blis().kernels();
    list_targets<float>(add);
    list_targets<double>(add);
  } else {
    list_report<float>(add, chosen);
    list_report<double>(add, chosen);
  }
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
