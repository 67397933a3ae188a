// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/matmul/cpu_targets.hpp>
#include <perf/support/onednn.hpp>

#include <cstdio>

/// The CPU's targets for matmul of 8-bit integers: tandem against oneDNN and a hand-written loop,
/// on all threads and on one.
namespace perf {

namespace {

/// Multiply-adds up to which the hand-written loop is quick enough to run.
constexpr double most_raw_products = 1.2e9;

/// Random bytes.
struct byte_values {
  std::uint64_t seed;

  std::int8_t operator()(index_t i) const {
    return static_cast<std::int8_t>(mixed_bits(seed + static_cast<std::uint64_t>(i)) & 0xff);
  }
};

using byte_matrices = host_matrices<std::int32_t, std::int8_t, byte_values>;

/// A hand-written product: threads share out the rows of c, and the compiler vectorises the inner
/// loop.
void multiply_by_hand(byte_matrices& data) {
  // No structured bindings, which clang 14 cannot capture in parallel regions.
  const index_t m = data.size.shape.m;
  const index_t k = data.size.shape.k;
  const index_t n = data.size.shape.n;
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
  const auto [m, k, n] = data.size.shape;
  onednn::multiply(m, n, k, data.a.data_handle(), data.b.data_handle(), data.c.data_handle(),
                   data.space.threads());
}

/// The problem of a product of bytes, whose sums are exact in any order.
problem int8_problem(const product& size) {
  problem solved = problem_of<byte_matrices>(size, "i8");
  solved.expected = [=] {
    return reference{tandem_on_matrices<byte_matrices>(size, 1)().check(), 0.5, "one thread"};
  };
  return solved;
}

/// Adds tandem and its peers on `threads` threads, 0 for all of them.
void list_product(lineup& add, const product& size, int threads) {
  const problem solved = int8_problem(size);
  const auto add_peer = [&](const char* implementation, void (*multiply)(byte_matrices&)) {
    const auto made = on_matrices<byte_matrices>(size, threads, multiply);
    add(on_threads(threads, peer(solved, "openmp", implementation, made)));
  };
  add(on_threads(
      threads, tandem_on_cpu(solved, "openmp", tandem_on_matrices<byte_matrices>(size, threads))));
  if (onednn::is_present()) add_peer("onednn", multiply_with_onednn);
  if (size.multiplications() <= most_raw_products) add_peer("raw", multiply_by_hand);
}

void list_int8(const settings& chosen, lineup& add) {
  if (!chosen.targets) return;
  if (!onednn::is_present())
    std::printf("matmul: no libdnnl.so.2 or .3 here, so oneDNN is not measured\n");
  for (const matmul_shape& shape : narrow_shapes) {
    list_product(add, {1, shape}, 0);
    list_product(add, {1, shape}, 1);
  }
}

const registration int8(list_int8);

}  // namespace

}  // namespace perf
