// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/matmul_bench.hpp>
#include <perf/support/onednn.hpp>

#include <cstdio>
#include <string>

/// The CPU's bars for matmul of 8-bit integers: tandem against oneDNN and a hand-written loop, on
/// all threads and on one.
namespace perf {

namespace {

using tandem::index_t;

/// Products up to which the hand-written loop runs: 1000^3 take it 50 ms on one thread.
constexpr double most_raw_products = 1.2e9;

double products(const matmul_shape& shape) {
  return static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
}

/// Matrices on the host and the threads that may work on them.
struct byte_matrices {
  byte_matrices(const matmul_shape& chosen, int threads)
      : size(chosen),
        space(threads),
        a(tandem::extents<2>(size.m, size.k), space),
        b(tandem::extents<2>(size.k, size.n), space),
        c(tandem::extents<2>(size.m, size.n), space) {
    fill(a, a_seed);
    fill(b, b_seed);
  }

  static void fill(tandem::array<std::int8_t, 2, tandem::openmp>& x, std::uint64_t seed) {
    for (index_t i = 0; i < x.size(); ++i) {
      const std::uint64_t bits = mixed_bits(seed + static_cast<std::uint64_t>(i));
      x.data_handle()[i] = static_cast<std::int8_t>(bits & 0xff);
    }
  }

  matmul_shape size;
  tandem::openmp space;
  tandem::array<std::int8_t, 2, tandem::openmp> a;
  tandem::array<std::int8_t, 2, tandem::openmp> b;
  tandem::array<std::int32_t, 2, tandem::openmp> c;
};

void multiply_with_tandem(byte_matrices& data) {
  tandem::matmul(data.space, data.a.const_view(), data.b.const_view(), data.c.view());
}

/// What a user writes: rows of c shared among threads, whose inner loop the compiler vectorises.
void multiply_by_hand(byte_matrices& data) {
  const auto [m, k, n] = data.size;
  const std::int8_t* const a = data.a.data_handle();
  const std::int8_t* const b = data.b.data_handle();
  std::int32_t* const c = data.c.data_handle();
#pragma omp parallel for num_threads(data.space.threads())
  for (index_t i = 0; i < m; ++i) {
    std::int32_t* const row = c + i * n;
    for (index_t j = 0; j < n; ++j) row[j] = 0;
    for (index_t l = 0; l < k; ++l) {
      const std::int32_t left = a[i * k + l];
      for (index_t j = 0; j < n; ++j) row[j] += left * b[l * n + j];
    }
  }
}

void multiply_with_onednn(byte_matrices& data) {
  onednn::multiply(data.size.m, data.size.n, data.size.k, data.a.data_handle(),
                   data.b.data_handle(), data.c.data_handle(), data.space.threads());
}

/// A contender that runs `multiply(data)`.
std::function<contender()> on_matrices(const matmul_shape& size, int threads,
                                       void (*multiply)(byte_matrices&)) {
  return [=] {
    const auto data = std::make_shared<byte_matrices>(size, threads);
    return on_host([=](std::int64_t) { multiply(*data); },
                   [=] { return summary_of(data->c.data_handle(), data->c.size()); });
  };
}

/// Sums of integers are exact whoever adds them.
problem int8_problem(const matmul_shape& size) {
  problem solved{
      "matmul", "matmul", "i8",
      std::to_string(size.m) + "x" + std::to_string(size.k) + "x" + std::to_string(size.n)};
  solved.elements = products(size);
  solved.bytes = static_cast<double>(size.m * size.k + size.k * size.n + 4 * size.m * size.n);
  solved.flops = 2.0 * solved.elements;
  solved.expected = [=] {
    const auto one = on_matrices(size, 1, multiply_with_tandem);
    return reference{one().check(), 0.5, "one thread"};
  };
  return solved;
}

/// tandem and its peers on `threads` threads, 0 for all of them.
void list_product(std::vector<entry>& entries, const matmul_shape& size, int threads) {
  const std::string how = threads == 0 ? "resident" : "threads_" + std::to_string(threads);
  const problem solved = int8_problem(size);
  const auto add = [&](entry made) {
    made.how = how;
    entries.push_back(std::move(made));
  };
  add(tandem_on_cpu(solved, "openmp", on_matrices(size, threads, multiply_with_tandem)));
  if (onednn::is_present())
    add(peer(solved, "openmp", "onednn", on_matrices(size, threads, multiply_with_onednn)));
  if (products(size) <= most_raw_products)
    add(peer(solved, "openmp", "raw", on_matrices(size, threads, multiply_by_hand)));
}

void list_int8(const settings& chosen, std::vector<entry>& entries) {
  if (!chosen.limits) return;
  if (!onednn::is_present())
    std::printf("matmul: no libdnnl.so.2 or .3 here, so oneDNN is not measured\n");
  const matmul_shape shapes[] = {{64, 64, 64},       {128, 128, 128},    {256, 256, 256},
                                 {1000, 1000, 1000}, {1024, 1024, 1024}, {2048, 2048, 2048},
                                 {4096, 4096, 4096}, {5120, 256, 5120},  {16, 4096, 4096}};
  for (const matmul_shape& shape : shapes) {
    list_product(entries, shape, 0);
    list_product(entries, shape, 1);
  }
}

const registration int8(list_int8);

}  // namespace

}  // namespace perf
