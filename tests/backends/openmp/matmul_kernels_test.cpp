// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every instruction set that this machine can run, not only the fastest one, has serial's bits.

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "support/data.hpp"

#include <tandem/backends/openmp/matmul_driver.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;

namespace {

template <class T>
void check_all_kernels(tandem::index_t m, tandem::index_t n, tandem::index_t k) {
  const auto as = random_values<T>(static_cast<std::size_t>(m * k), 1);
  const auto bs = random_values<T>(static_cast<std::size_t>(k * n), 2);
  const auto cs = random_values<T>(static_cast<std::size_t>(m * n), 3);
  const auto a = tandem::as_view<tandem::host_memory>(as.data(), m, k);
  const auto b = tandem::as_view<tandem::host_memory>(bs.data(), k, n);
  auto wanted = cs;
  tandem::matmul(tandem::serial{}, a, b, tandem::as_view<tandem::host_memory>(wanted.data(), m, n),
                 {.alpha = T(0.5), .beta = T(-2)});
  for (const auto* kernels : tandem::openmp_impl::usable_matmul_kernels<T>()) {
    for (const int threads : {1, 3, 8}) {
      auto c = cs;
      tandem::matmul_problem<T> problem;
      problem.m = m;
      problem.n = n;
      problem.k = k;
      problem.alpha = T(0.5);
      problem.beta = T(-2);
      problem.a = as.data();
      problem.a_row = k;
      problem.a_column = 1;
      problem.b = bs.data();
      problem.b_row = n;
      problem.b_column = 1;
      problem.c = c.data();
      problem.c_row = n;
      problem.c_column = 1;
      tandem::openmp_impl::run_matmul(threads, problem, *kernels);
      INFO(kernels->instruction_set << ", " << threads << " threads, " << m << " x " << n << " x "
                                    << k);
      CHECK(first_difference(c, wanted) == -1);
    }
  }
}

}  // namespace

TEST_CASE("openmp matmul: every instruction set has serial's bits") {
  CHECK(!tandem::openmp_impl::usable_matmul_kernels<float>().empty());
  const tandem::index_t sizes[][3] = {{1, 1, 1},      {13, 17, 19},    {64, 48, 1025},
                                      {100, 130, 70}, {9, 65, 40},     {17, 100, 3000},
                                      {33, 112, 33},  {200, 900, 600}, {1000, 20, 5}};
  for (const auto& size : sizes) {
    check_all_kernels<float>(size[0], size[1], size[2]);
    check_all_kernels<double>(size[0], size[1], size[2]);
  }
}

TEST_CASE("openmp matmul: a large result written past the caches has serial's bits") {
  // 9 million floats are 36 MB, and rows of 3008 are aligned to a line.
  const tandem::index_t m = 3000;
  const tandem::index_t n = 3008;
  tandem::array<float, 2, tandem::openmp> a(tandem::extents<2>(m, 3));
  tandem::array<float, 2, tandem::openmp> b(tandem::extents<2>(3, n));
  tandem::array<float, 2, tandem::openmp> wanted(tandem::extents<2>(m, n));
  tandem::array<float, 2, tandem::openmp> c(tandem::extents<2>(m, n));
  tandem::copy(tandem::openmp{}, random_values<float>(static_cast<std::size_t>(m * 3), 1), a);
  tandem::copy(tandem::openmp{}, random_values<float>(static_cast<std::size_t>(3 * n), 2), b);
  tandem::matmul(tandem::serial{}, a.const_view(), b.const_view(), wanted.view());
  for (const int threads : {1, 4}) {
    tandem::fill(tandem::openmp{}, c, -1.0f);
    tandem::matmul(tandem::openmp(threads), a.const_view(), b.const_view(), c.view());
    CHECK(std::memcmp(c.data_handle(), wanted.data_handle(),
                      sizeof(float) * static_cast<std::size_t>(m * n)) == 0);
  }
}

TEST_CASE("openmp matmul: one row of b for all terms") {
  const auto values = random_values<double>(60 * 90, 4);
  std::vector<double> c(60 * 90);
  std::vector<double> wanted(60 * 90);
  using mapping = tandem::layout_stride::mapping<2>;
  const auto a = tandem::as_view<tandem::host_memory>(values.data(), 60, 90);
  const tandem::view<const double, 2, tandem::layout_stride, tandem::host_memory> b(
      values.data(), mapping({90, 90}, {0, 1}));
  tandem::matmul(tandem::serial{}, a, b,
                 tandem::as_view<tandem::host_memory>(wanted.data(), 60, 90));
  for (const int threads : {1, 4}) {
    tandem::matmul(tandem::openmp(threads), a, b,
                   tandem::as_view<tandem::host_memory>(c.data(), 60, 90));
    CHECK(first_difference(c, wanted) == -1);
  }
}
