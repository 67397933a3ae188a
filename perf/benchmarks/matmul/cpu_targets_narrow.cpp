// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU's targets for narrow products, on all threads and on one: of 8-bit integers against
// oneDNN and a hand-written loop; of bf16, into floats and into bf16, against tandem's product of
// floats and, if c holds floats, against oneDNN.
#include <perf/benchmarks/matmul/host_matrices.hpp>
#include <perf/support/onednn.hpp>

#include <cmath>
#include <cstdio>
#include <type_traits>

namespace perf::matmul_cpu_targets_narrow {

using tandem::bf16;

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

/// A hand-written product: threads divide the rows of c, and the compiler vectorises the inner
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

template <class Matrices>
void multiply_with_onednn(Matrices& data) {
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

void list_bytes(const on_threads& add, const product& size) {
  const problem solved = int8_problem(size);
  const auto made = [&](auto multiply) {
    return on_matrices<byte_matrices>(size, add.threads, multiply);
  };
  add(tandem_on_cpu(solved, "openmp", tandem_on_matrices<byte_matrices>(size, add.threads)));
  if (onednn::is_present())
    add(peer(solved, "openmp", "onednn", made(multiply_with_onednn<byte_matrices>)));
  if (size.multiplications() <= most_raw_products)
    add(peer(solved, "openmp", "raw", made(multiply_by_hand)));
}

/// Random numbers that bf16 represents exactly, as T.
template <class T>
struct bf16_values {
  std::uint64_t seed;

  T operator()(index_t i) const { return static_cast<T>(bf16(uniform_values<float>{seed}(i))); }
};

/// Matrices of bf16 with elements T in c.
template <class T>
using bf16_matrices = host_matrices<T, bf16, bf16_values<bf16>>;

using float_matrices = host_matrices<float, float, bf16_values<float>>;

/// The product of floats with equal values, rounded to T at the end; a product of bf16 equals it
/// bit for bit.
template <class T>
outcome rounded_product(const product& size) {
  float_matrices data(size, 1);
  multiply_with_tandem(data);
  std::vector<T> rounded;
  rounded.reserve(static_cast<std::size_t>(data.c.size()));
  for (index_t i = 0; i < data.c.size(); ++i) rounded.emplace_back(data.c.data_handle()[i]);
  return summary_of(rounded.data(), data.c.size());
}

/// Elements of c have a deviation of sqrt(k) / 3, so their sum one of sqrt(m n k) / 3; rounding to
/// bf16 has a relative error of 2^-9.
template <class T>
problem bf16_problem(const product& size) {
  constexpr bool rounds = std::is_same_v<T, bf16>;
  problem solved = problem_of<bf16_matrices<T>>(size, rounds ? "bf16" : "bf16_f32");
  const double tolerance = (rounds ? 4e-3 : 1e-3) * std::sqrt(solved.elements);
  solved.expected = [=] { return reference{rounded_product<T>(size), tolerance, "floats"}; };
  return solved;
}

template <class T>
void list_bf16(const on_threads& add, const product& size) {
  using matrices = bf16_matrices<T>;
  const problem solved = bf16_problem<T>(size);
  add(tandem_on_cpu(solved, "openmp", tandem_on_matrices<matrices>(size, add.threads)));
  add(peer(solved, "openmp", "floats", tandem_on_matrices<float_matrices>(size, add.threads)));
  if constexpr (std::is_same_v<T, float>) {
    const auto multiply = on_matrices<matrices>(size, add.threads, multiply_with_onednn<matrices>);
    if (onednn::multiplies_bf16()) add(peer(solved, "openmp", "onednn", multiply));
  }
}

void list_narrow(const settings& chosen, lineup& add) {
  if (!chosen.targets) return;
  if (!onednn::is_present())
    std::printf("matmul: no libdnnl.so.2 or .3 here, so oneDNN is not measured\n");
  for (const matmul_shape& shape : narrow_shapes) {
    for (const int threads : {0, 1}) {
      list_bytes({add, threads}, {1, shape});
      list_bf16<float>({add, threads}, {1, shape});
      list_bf16<bf16>({add, threads}, {1, shape});
    }
  }
}

const registration narrow(list_narrow);

}  // namespace perf::matmul_cpu_targets_narrow
