// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/matmul/cpu_targets.hpp>
#include <perf/support/blis.hpp>
#include <perf/support/openblas.hpp>

#include <cmath>

/// The CPU's targets for matmul: tandem against OpenBLAS and BLIS, on all threads and on one.
namespace perf {

namespace {

/// Runs a product on all threads, or each product of a batch on one thread, as a program tuned for
/// its BLAS would.
template <class T, class Blas>
void multiply_with(const Blas& blas, host_matrices<T>& data) {
  const product& size = data.size;
  const int threads = data.space.threads();
  blas.set_threads(size.batch == 1 ? threads : 1);
#pragma omp parallel for num_threads(threads) if (size.batch > 1)
  for (index_t i = 0; i < size.batch; ++i) {
    blas.multiply(size.shape, data.a.data_handle() + i * size.a_size(),
                  data.b.data_handle() + i * size.b_size(),
                  data.c.data_handle() + i * size.c_size());
  }
}

struct openblas_peer {
  static constexpr const char* name = "openblas";
  static bool is_present() { return openblas::is_present(); }
  static void set_threads(int threads) { openblas::set_threads(threads); }
  template <class T>
  static void multiply(const matmul_shape& s, const T* a, const T* b, T* c) {
    openblas::multiply(s.m, s.n, s.k, a, b, c);
  }
};

struct blis_peer {
  static constexpr const char* name = "blis";
  static bool is_present() { return blis::is_present(); }
  static void set_threads(int threads) { blis::set_threads(threads); }
  template <class T>
  static void multiply(const matmul_shape& s, const T* a, const T* b, T* c) {
    blis::multiply(s.m, s.n, s.k, a, b, c);
  }
};

/// Elements of c have a deviation of sqrt(k) / 3, so their sum one of sqrt(batch m n k) / 3.
template <class T>
problem product_problem(const product& size) {
  problem solved = problem_of<host_matrices<T>>(size, sizeof(T) == 4 ? "f32" : "f64");
  const double tolerance = 1e-3 * std::sqrt(solved.elements);
  solved.expected = [=] {
    return reference{tandem_on_matrices<host_matrices<T>>(size, 1)().check(), tolerance,
                     "one thread"};
  };
  return solved;
}

/// Adds tandem and its peers on `threads` threads, 0 for all of them.
template <class T>
void list_product(lineup& add, const product& size, int threads) {
  const problem solved = product_problem<T>(size);
  const auto add_made = [&](benchmark made) { add(on_threads(threads, std::move(made))); };
  add_made(tandem_on_cpu(solved, "openmp", tandem_on_matrices<host_matrices<T>>(size, threads)));
  const auto add_peer = [&](const auto& blas) {
    if (!blas.is_present()) return;
    const auto run = [=](host_matrices<T>& data) { multiply_with(blas, data); };
    add_made(peer(solved, "openmp", blas.name, on_matrices<host_matrices<T>>(size, threads, run)));
  };
  add_peer(openblas_peer{});
  add_peer(blis_peer{});
}

template <class T>
void list_type(lineup& add) {
  const matmul_shape shapes[] = {{64, 64, 64},       {128, 128, 128},    {256, 256, 256},
                                 {1000, 1000, 1000}, {1024, 1024, 1024}, {2048, 2048, 2048},
                                 {4096, 4096, 4096}, {256, 512, 256},    {5120, 256, 5120},
                                 {16, 4096, 4096},   {64, 65536, 64},    {65536, 64, 64}};
  for (const matmul_shape& shape : shapes) {
    list_product<T>(add, {1, shape}, 0);
    list_product<T>(add, {1, shape}, 1);
  }
  list_product<T>(add, {1024, {128, 128, 128}}, 0);
}

void list_host(const settings& chosen, lineup& add) {
  if (!chosen.targets) return;
  add.context["openblas_kernels"] = openblas::kernels();
  add.context["blis_kernels"] = blis::kernels();
  list_type<float>(add);
  list_type<double>(add);
}

const registration host(list_host);

}  // namespace

}  // namespace perf
