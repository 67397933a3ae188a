// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/matmul/cpu_targets.hpp>
#include <perf/support/onednn.hpp>

#include <cmath>
#include <type_traits>

/// The CPU's targets for matmul of bf16, into floats and into bf16: tandem against its own product
/// of floats and, where c holds floats, against oneDNN, on all threads and on one.
namespace perf {

namespace {

using tandem::bf16;

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

void multiply_with_onednn(bf16_matrices<float>& data) {
  const auto [m, k, n] = data.size.shape;
  onednn::multiply(m, n, k, data.a.data_handle(), data.b.data_handle(), data.c.data_handle(),
                   data.space.threads());
}

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

/// Adds tandem and its peers on `threads` threads, 0 for all of them.
template <class T>
void list_product(lineup& add, const product& size, int threads) {
  const problem solved = bf16_problem<T>(size);
  const auto add_made = [&](benchmark made) { add(on_threads(threads, std::move(made))); };
  add_made(tandem_on_cpu(solved, "openmp", tandem_on_matrices<bf16_matrices<T>>(size, threads)));
  add_made(peer(solved, "openmp", "floats", tandem_on_matrices<float_matrices>(size, threads)));
  if constexpr (std::is_same_v<T, float>) {
    const auto multiply = on_matrices<bf16_matrices<float>>(size, threads, multiply_with_onednn);
    if (onednn::multiplies_bf16()) add_made(peer(solved, "openmp", "onednn", multiply));
  }
}

void list_bf16(const settings& chosen, lineup& add) {
  if (!chosen.targets) return;
  for (const matmul_shape& shape : narrow_shapes) {
    for (const int threads : {0, 1}) {
      list_product<float>(add, {1, shape}, threads);
      list_product<bf16>(add, {1, shape}, threads);
    }
  }
}

const registration sixteen_bits(list_bf16);

}  // namespace

}  // namespace perf
