// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every method of a product on scratch of exactly the planned size, and plans for products that
// need more memory than a test may take.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "support/data.hpp"
#include "support/test_scale.hpp"

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/driver.hpp>
#include <tandem/backends/openmp/matmul/plan.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;
using tandem::index_t;
using tandem::openmp_impl::matmul_method;
using tandem::openmp_impl::matmul_plan;
using tandem::openmp_impl::matmul_team;

namespace {

constexpr index_t most_under_a_tool = 40'000'000;  // multiplications; serial takes seconds for them

/// One product of doubles and serial's result.
struct product {
  index_t m, n, k;
  std::vector<double> a, b, c, wanted;

  product(index_t rows, index_t columns, index_t terms)
      : m(rows),
        n(columns),
        k(terms),
        a(random_values<double>(static_cast<std::size_t>(m * k), 1)),
        b(random_values<double>(static_cast<std::size_t>(k * n), 2)),
        c(random_values<double>(static_cast<std::size_t>(m * n), 3)),
        wanted(c) {
    using tandem::as_view;
    using tandem::host_memory;
    tandem::matmul(tandem::serial{}, as_view<host_memory>(a.data(), m, k),
                   as_view<host_memory>(b.data(), k, n), as_view<host_memory>(wanted.data(), m, n),
                   {.alpha = 0.5, .beta = -2.0});
  }

  tandem::matmul_problem<double> problem() {
    auto p = tandem::openmp_impl::contiguous_problem<double, double>(m, n, k, a.data(), b.data(),
                                                                     c.data());
    p.alpha = 0.5;
    p.beta = -2.0;
    return p;
  }
};

const auto& kernels() {
  return tandem::openmp_impl::best_kernels<tandem::openmp_impl::matmul_kernels<double>>();
}

/// Runs a plan on a team, on scratch of exactly the planned size.
void run_plan(product& x, const matmul_plan& plan, int threads) {
  constexpr double canary = 12345.0;
  constexpr index_t guard = 4096;
  const index_t elements = plan.elements(threads);
  const auto before = x.c;
  const auto problem = x.problem();
  tandem::array<double, 1, tandem::serial> scratch(tandem::extents<1>(elements + guard), canary);
  index_t next = 0;
  tandem::openmp_impl::run_parallel(threads, [&](int rank, int size) {
    matmul_team team(rank, size, &next);
    multiply(team, problem, kernels(), plan, scratch.data_handle());
  });
  const double* const end = scratch.data_handle() + elements;
  CHECK(std::count(end, end + guard, canary) == guard);
  CHECK(first_difference(x.c, x.wanted) == -1);
  x.c = before;
}

}  // namespace

TEST_CASE("openmp matmul: chunks of k in several groups are added in order") {
  product x(7, 9, 20 * 1024 + 5);
  for (const int threads : {2, 3, 8}) {
    matmul_plan plan = plan_matmul(form_of(x.problem(), kernels()), threads);
    REQUIRE(plan.method == matmul_method::split_k);
    run_plan(x, plan, threads);
    // The scratch of fewer chunks in flight, if the totals are too large for more.
    const index_t chunks = plan.chunks;
    for (const index_t some : {1, 2, 3, 20, 21}) {
      if (some > chunks) continue;
      CAPTURE(some);
      plan.chunks = some;
      plan.totals_elements = (some + 1) * x.m * x.n;
      run_plan(x, plan, threads);
    }
  }
}

TEST_CASE("openmp matmul: no method writes beyond the scratch of its plan") {
  // No structured bindings: clang 14 does not let lambdas capture them, and CAPTURE is one.
  for (const auto& shape : {std::array<index_t, 3>{16, 1500, 1500},
                            {300, 300, 300},
                            {97, 1031, 1500},
                            {1031, 97, 1500},
                            {500, 33, 2100},
                            {5, 7, 9000}}) {
    const index_t m = shape[0], n = shape[1], k = shape[2];
    if (leaves_out_product(m * n * k, most_under_a_tool)) continue;
    CAPTURE(m);
    CAPTURE(n);
    CAPTURE(k);
    product x(m, n, k);
    for (const int threads : {1, 2, 5}) {
      CAPTURE(threads);
      run_plan(x, plan_matmul(form_of(x.problem(), kernels()), threads), threads);
    }
  }
}

TEST_CASE("openmp matmul: the scratch of a thread's first product is large enough") {
  // Each runs in a thread without scratch: memory of exactly that size, which AddressSanitizer
  // guards.
  for (const auto& shape : {std::array<index_t, 4>{1, 16, 4000, 600},
                            {40, 64, 64, 64},
                            {2, 300, 300, 300},
                            {1, 7, 9, 20000},
                            {1, 100, 2000, 300}}) {
    const index_t batch = shape[0], m = shape[1], n = shape[2], k = shape[3];
    if (leaves_out_product(batch * m * n * k, most_under_a_tool)) continue;
    CAPTURE(batch);
    CAPTURE(n);
    std::thread([&] {
      product x(batch * m, n, k);
      std::vector<double> c = x.c;
      const auto view = [&](double* first, index_t rows, index_t columns) {
        return tandem::as_view<tandem::host_memory>(first, batch, rows, columns);
      };
      tandem::matmul(tandem::openmp(4), view(x.a.data(), m, k),
                     tandem::as_view<tandem::host_memory>(x.b.data(), k, n), view(c.data(), m, n),
                     {.alpha = 0.5, .beta = -2.0});
      CHECK(first_difference(c, x.wanted) == -1);
    }).join();
  }
}
