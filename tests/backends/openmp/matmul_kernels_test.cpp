// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every instruction set that this machine can run, not only the fastest one, has serial's bits.

#include <doctest/doctest.h>

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
    for (const int threads : {1, 3}) {
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
  const tandem::index_t sizes[][3] = {{1, 1, 1}, {13, 17, 19}, {64, 48, 1025}, {100, 130, 70}};
  for (const auto& size : sizes) {
    check_all_kernels<float>(size[0], size[1], size[2]);
    check_all_kernels<double>(size[0], size[1], size[2]);
  }
}
