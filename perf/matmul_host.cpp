// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/matmul_bench.hpp>
#include <perf/support/blis.hpp>
#include <perf/support/openblas.hpp>

#include <cmath>
#include <string>

#include <benchmark/benchmark.h>

/// The CPU's bars for matmul: tandem against OpenBLAS and BLIS, on all threads and on one.
namespace perf {

namespace {

using tandem::index_t;

/// c = a b, `batch` times.
struct product {
  index_t batch;
  matmul_shape shape;

  index_t a_size() const { return shape.m * shape.k; }
  index_t b_size() const { return shape.k * shape.n; }
  index_t c_size() const { return shape.m * shape.n; }
  std::string text() const {
    const std::string one =
        std::to_string(shape.m) + "x" + std::to_string(shape.k) + "x" + std::to_string(shape.n);
    return batch == 1 ? one : std::to_string(batch) + "x" + one;
  }
};

/// Matrices on the host and the threads that may work on them.
template <class T>
struct host_matrices {
  host_matrices(const product& chosen, int threads)
      : size(chosen),
        space(threads),
        a(tandem::extents<3>(size.batch, size.shape.m, size.shape.k), space),
        b(tandem::extents<3>(size.batch, size.shape.k, size.shape.n), space),
        c(tandem::extents<3>(size.batch, size.shape.m, size.shape.n), space) {
    fill(a, a_seed);
    fill(b, b_seed);
  }

  void fill(tandem::array<T, 3, tandem::openmp>& x, std::uint64_t seed) {
    const tandem::view<T, 1, tandem::layout_right, tandem::host_memory> flat(
        x.data_handle(), tandem::extents<1>(x.size()));
    fill_with(space, flat, uniform_values<T>{seed});
  }

  product size;
  tandem::openmp space;
  tandem::array<T, 3, tandem::openmp> a;
  tandem::array<T, 3, tandem::openmp> b;
  tandem::array<T, 3, tandem::openmp> c;
};

/// A contender that runs `multiply(data)`.
template <class T, class Multiply>
std::function<contender()> on_matrices(const product& size, int threads, Multiply multiply) {
  return [=] {
    const auto data = std::make_shared<host_matrices<T>>(size, threads);
    return on_host([=](std::int64_t) { multiply(*data); },
                   [=] { return summary_of(data->c.data_handle(), data->c.size()); });
  };
}

template <class T>
void multiply_with_tandem(host_matrices<T>& data) {
  if (data.size.batch == 1) {
    const auto one = [](const auto& x) { return tandem::subview(x, 0, tandem::all, tandem::all); };
    tandem::matmul(data.space, one(data.a.const_view()), one(data.b.const_view()),
                   one(data.c.view()));
  } else {
    tandem::matmul(data.space, data.a.const_view(), data.b.const_view(), data.c.view());
  }
}

/// A product on all threads, or each product of a batch on one: what a program does that knows its
/// BLAS.
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

/// Elements of c wander by sqrt(k) / 3, so their sum by sqrt(batch m n k) / 3.
template <class T>
problem product_problem(const product& size) {
  const auto [m, k, n] = size.shape;
  problem solved{"matmul", size.batch == 1 ? "matmul" : "batched", sizeof(T) == 4 ? "f32" : "f64",
                 size.text()};
  solved.elements = static_cast<double>(size.batch) * static_cast<double>(m) *
                    static_cast<double>(n) * static_cast<double>(k);
  solved.bytes = static_cast<double>(sizeof(T)) * static_cast<double>(size.batch) *
                 static_cast<double>(m * k + k * n + m * n);
  solved.flops = 2.0 * solved.elements;
  const double tolerance = 1e-3 * std::sqrt(solved.elements);
  solved.expected = [=] {
    const auto one = on_matrices<T>(size, 1, multiply_with_tandem<T>);
    return reference{one().check(), tolerance, "one thread"};
  };
  return solved;
}

/// tandem and its peers on `threads` threads, 0 for all of them.
template <class T>
void list_product(std::vector<entry>& entries, const product& size, int threads) {
  const std::string how = threads == 0 ? "resident" : "threads_" + std::to_string(threads);
  const problem solved = product_problem<T>(size);
  const auto add = [&](entry made) {
    made.how = how;
    entries.push_back(std::move(made));
  };
  add(tandem_on_cpu(solved, "openmp", on_matrices<T>(size, threads, multiply_with_tandem<T>)));
  const auto add_peer = [&](const auto& blas) {
    if (!blas.is_present()) return;
    const auto run = [=](host_matrices<T>& data) { multiply_with(blas, data); };
    add(peer(solved, "openmp", blas.name, on_matrices<T>(size, threads, run)));
  };
  add_peer(openblas_peer{});
  add_peer(blis_peer{});
}

template <class T>
void list_type(std::vector<entry>& entries) {
  const matmul_shape shapes[] = {{64, 64, 64},       {128, 128, 128},    {256, 256, 256},
                                 {1000, 1000, 1000}, {1024, 1024, 1024}, {2048, 2048, 2048},
                                 {4096, 4096, 4096}, {256, 512, 256},    {5120, 256, 5120},
                                 {16, 4096, 4096},   {64, 65536, 64},    {65536, 64, 64}};
  for (const matmul_shape& shape : shapes) {
    list_product<T>(entries, {1, shape}, 0);
    list_product<T>(entries, {1, shape}, 1);
  }
  list_product<T>(entries, {1024, {128, 128, 128}}, 0);
}

void list_host(const settings& chosen, std::vector<entry>& entries) {
  if (!chosen.limits) return;
  benchmark::AddCustomContext("openblas_kernels", openblas::kernels());
  benchmark::AddCustomContext("blis_kernels", blis::kernels());
  list_type<float>(entries);
  list_type<double>(entries);
}

const registration host(list_host);

}  // namespace

}  // namespace perf
