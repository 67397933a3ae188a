// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule that is decided before a product runs, as a value.

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/plan.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

using tandem::index_t;
using tandem::openmp_impl::matmul_method;
using tandem::openmp_impl::matmul_schedule;
using tandem::openmp_impl::matmul_sharing;

namespace {

/// Returns the schedule of contiguous products of doubles; no operand is read.
matmul_schedule schedule(index_t batch, index_t m, index_t n, index_t k, int threads) {
  static double element = 0;
  auto p = tandem::openmp_impl::contiguous_problem<double, double>(m, n, k, &element, &element,
                                                                   &element);
  p.batch = batch;
  p.a_batch = m * k;
  p.b_batch = k * n;
  p.c_batch = m * n;
  const auto& kernels =
      tandem::openmp_impl::best_kernels<tandem::openmp_impl::matmul_kernels<double>>();
  return schedule_matmul(p, kernels, threads);
}

}  // namespace

TEST_CASE("openmp matmul: a small product is computed in place by one thread") {
  const matmul_schedule s = schedule(1, 100, 40, 30, 8);
  CHECK(s.threads == 1);
  CHECK(s.sharing == matmul_sharing::team);
  CHECK(s.plan.method == matmul_method::direct);
  CHECK(s.elements() == 0);
}

TEST_CASE("openmp matmul: one thread reads a large b in long rows where c has few rows") {
  CHECK(schedule(1, 16, 8192, 8192, 1).plan.method == matmul_method::skinny);
}

TEST_CASE("openmp matmul: threads share the chunks of a long k where c is small") {
  const matmul_schedule s = schedule(1, 7, 9, 600000, 8);
  CHECK(s.plan.method == matmul_method::split_k);
  CHECK(s.sharing == matmul_sharing::team);
  CHECK(s.plan.chunks > 1);
}

TEST_CASE("openmp matmul: few rows of c are partitioned by columns") {
  const matmul_schedule s = schedule(1, 16, 40000, 4096, 8);
  CHECK(s.sharing == matmul_sharing::blocks);
  CHECK(s.partition.rows == 16);
  CHECK(s.partition.columns < 40000);
}

TEST_CASE("openmp matmul: many small entries are shared, large ones are not") {
  CHECK(schedule(1000, 64, 64, 64, 8).sharing == matmul_sharing::entries);
  CHECK(schedule(2, 2048, 2048, 2048, 8).sharing == matmul_sharing::team);
}

TEST_CASE("openmp matmul: what an entry costs beside its multiply-adds wakes threads") {
  CHECK(schedule(4096, 8, 8, 8, 14).threads == 14);
  CHECK(schedule(16, 8, 8, 8, 14).threads == 1);
}

TEST_CASE("openmp matmul: plans are printed where the environment says 1, and nowhere else") {
  const char* const before = std::getenv("TANDEM_EXPLAIN");
  const std::string kept = before == nullptr ? "" : before;
  const auto explains = [](const char* value) {
    setenv("TANDEM_EXPLAIN", value, 1);
    return tandem::detail::explains_plans();
  };
  CHECK(explains("1"));
  CHECK(explains("on"));
  CHECK(!explains("0"));
  CHECK(!explains(""));
  unsetenv("TANDEM_EXPLAIN");
  CHECK(!tandem::detail::explains_plans());
  if (before != nullptr) setenv("TANDEM_EXPLAIN", kept.c_str(), 1);
}
