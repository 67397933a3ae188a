// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of 16-bit floats whose elements are converted to floats on the way to the kernels: every
// instruction set that this machine can run, not only the fastest one, has serial's bits.

#include <doctest/doctest.h>

#include <tuple>
#include <type_traits>
#include <vector>

#include "support/data.hpp"
#include "support/matmuls.hpp"
#include "support/test_scale.hpp"

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/driver.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;

namespace {

using tandem::bf16;
using tandem::half;
using tandem::index_t;

/// Returns numbers around one; if `any`, also all others, including subnormals, infinities and
/// NaNs.
template <class In>
std::vector<In> numbers(index_t count, std::uint64_t seed, bool any) {
  std::vector<In> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = mix(seed + i);
    const auto whole = static_cast<float>(static_cast<std::int64_t>(bits % 2001) - 1000);
    values[i] = In(whole / 512);
    if constexpr (!std::is_same_v<In, float>) {
      if (any && bits % 16 == 0) values[i] = In::from_bits(static_cast<std::uint16_t>(bits >> 8));
    }
  }
  return values;
}

/// Runs a product with all kernels and checks the results and the memory around c.
template <class T, class In>
void check_all_kernels(const sweep_product<T, In>& p, std::uint64_t seed) {
  const auto a = numbers<In>(p.a.span, seed, seed % 4 == 0);
  const auto b = numbers<In>(p.b.span, seed + 1000000007, seed % 4 == 0);
  const auto before = numbers<T>(p.c.span, seed + 5, false);
  const index_t reach = 3 * p.size.n + 1;
  const auto biases = numbers<float>(2 * reach, seed + 7, false);
  const float* const bias = biases.data() + reach;
  auto wanted = before;
  run_product(tandem::serial{}, p, a.data(), b.data(), wanted.data(), bias,
              tandem::matmul_precision::full);
  for (const auto* kernels :
       tandem::openmp_impl::usable_kernels<tandem::openmp_impl::matmul_kernels<float, In>>()) {
    for (const int threads : {1, 3, 8}) {
      if (takes_few() && threads != 3) continue;
      auto c = before;
      auto problem = problem_of(p, a.data(), b.data(), c.data(), bias);
      if (seed % 5 == 0 && threads == 3) problem.kernel = tandem::matmul_kernel::naive;
      tandem::openmp_impl::run_matmul(threads, problem, *kernels);
      INFO(kernels->instruction_set << ", " << threads << " threads, seed " << seed << ", "
                                    << p.size.batch << " x " << p.size.m << " x " << p.size.n
                                    << " x " << p.size.k);
      CHECK(first_other(c, wanted) == -1);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("openmp matmul: 16-bit products of any layout have serial's bits", Types,
                   std::tuple<float, half>, std::tuple<float, bf16>, std::tuple<half, half>,
                   std::tuple<bf16, bf16>) {
  using T = std::tuple_element_t<0, Types>;
  using In = std::tuple_element_t<1, Types>;
  for (std::uint64_t seed = 0; seed < 120; ++seed)
    check_all_kernels(sweep_product<T, In>(seed, 150), seed);
}

TEST_CASE_TEMPLATE("openmp matmul: 16-bit products in each of the driver's ways", Types,
                   std::tuple<float, half>, std::tuple<float, bf16>, std::tuple<half, half>,
                   std::tuple<bf16, bf16>) {
  using T = std::tuple_element_t<0, Types>;
  using In = std::tuple_element_t<1, Types>;
  const index_t sizes[][3] = {{150, 130, 140},   // one tile per thread
                              {130, 200, 1500},  // one tile per thread, two chunks
                              {600, 500, 40},    // shared panels
                              {550, 260, 1100},  // shared panels, totals next to c
                              {20, 1537, 300},   // slices of columns, in pieces
                              {5, 2100, 1030},   // few rows
                              {40, 1700, 60},    // slices, packed
                              {7, 9, 6000},      // chunks at once
                              {5, 40, 0}};
  for (const auto& size : sizes) {
    if (leaves_out_product(size[0] * size[1] * size[2])) continue;
    auto p = contiguous_product<T, In>(size[0], size[1], size[2]);
    check_all_kernels(p, 1);
    p.beta = -0.5f;
    p.bias_stride = 1;
    p.activation = tandem::matmul_activation::gelu;
    check_all_kernels(p, 2);
  }
}

TEST_CASE_TEMPLATE("openmp matmul: rows of a column-major a are packed for all columns", Types,
                   std::tuple<float, float>, std::tuple<float, bf16>, std::tuple<half, half>) {
  using T = std::tuple_element_t<0, Types>;
  using In = std::tuple_element_t<1, Types>;
  // Rows left over after those packed together, several groups of columns, one and two chunks.
  const index_t sizes[][3] = {{37, 1300, 90}, {300, 701, 1100}};
  for (const auto& size : sizes) {
    if (leaves_out_product(size[0] * size[1] * size[2])) continue;
    auto p = contiguous_product<T, In>(size[0], size[1], size[2]);
    p.a.row = 1;
    p.a.column = size[0];
    check_all_kernels(p, 1);
    p.beta = 1.25f;
    check_all_kernels(p, 2);
  }
}

TEST_CASE("openmp matmul: more 16-bit rows than are packed at once have a part's bits") {
  const index_t m = 4200;
  const index_t n = takes_few() ? 70 : 700;
  const index_t k = 1030;
  const auto p = contiguous_product<float, half>(m, n, k);
  const auto a = numbers<half>(p.a.span, 1, false);
  const auto b = numbers<half>(p.b.span, 2, false);
  std::vector<float> wanted(static_cast<std::size_t>(m * n), -1.0f);
  const auto& kernels =
      *tandem::openmp_impl::usable_kernels<tandem::openmp_impl::matmul_kernels<float, half>>()
           .front();
  for (index_t row = 0; row < m; row += 100) {
    const auto part = contiguous_product<float, half>(100, n, k);
    tandem::openmp_impl::run_matmul(
        1, problem_of(part, a.data() + row * k, b.data(), wanted.data() + row * n, nullptr),
        kernels);
  }
  for (const int threads : {1, 3}) {
    std::vector<float> c(wanted.size(), -1.0f);
    tandem::openmp_impl::run_matmul(threads, problem_of(p, a.data(), b.data(), c.data(), nullptr),
                                    kernels);
    CHECK(first_other(c, wanted) == -1);
  }
}
