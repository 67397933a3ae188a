// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a product besides its operands: totals of groups of chunks, and scratch of the
// planned size.

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "support/matmuls.hpp"

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/driver.hpp>
#include <tandem/backends/openmp/matmul/plan.hpp>
#include <tandem/backends/openmp/matmul/scratch.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;
using tandem::bf16;
using tandem::half;
using tandem::index_t;
using tandem::openmp_impl::matmul_method;
using tandem::openmp_impl::matmul_sharing;

namespace {

/// Element types of c and of a and b.
template <class C, class Operand>
struct types {
  using T = C;
  using In = Operand;
  using kernels = tandem::openmp_impl::matmul_kernels_for<C, Operand>;
};

template <class T>
std::vector<T> numbers(index_t count, std::uint64_t seed) {
  std::vector<T> values;
  for (index_t i = 0; i < count; ++i)
    values.push_back(static_cast<T>(random_value<float>(seed, static_cast<std::uint64_t>(i))));
  return values;
}

/// A product of random numbers, with beta.
template <class T, class In>
struct product {
  std::vector<In> a;
  std::vector<In> b;
  std::vector<T> before;
  sweep_product<T, In> shape;

  product(index_t batch, index_t m, index_t n, index_t k)
      : a(numbers<In>(batch * m * k, 1)),
        b(numbers<In>(batch * k * n, 2)),
        before(numbers<T>(batch * m * n, 3)),
        shape(contiguous_product<T, In>(m, n, k)) {
    shape.size.batch = batch;
    shape.a.batch = m * k;
    shape.b.batch = k * n;
    shape.c.batch = m * n;
    shape.beta = static_cast<float>(-0.75);
  }

  std::vector<T> by_serial() const {
    auto c = before;
    run_product(tandem::serial{}, shape, a.data(), b.data(), c.data(), nullptr,
                tandem::matmul_precision::full);
    return c;
  }

  tandem::matmul_problem<T, In> problem(std::vector<T>& c) const {
    return problem_of(shape, a.data(), b.data(), c.data(), nullptr);
  }
};

bool is_canary_alive() { return tandem::openmp_impl::own_scratch.panels.is_canary_alive(); }

}  // namespace

TEST_CASE_TEMPLATE("openmp matmul: totals of split-K survive from one group of chunks to the next",
                   Types, types<float, float>, types<double, double>, types<float, bf16>,
                   types<half, half>) {
  const product<typename Types::T, typename Types::In> p(1, 8, 16, 300000);
  const auto wanted = p.by_serial();
  for (const auto* kernels : tandem::openmp_impl::usable_kernels<typename Types::kernels>()) {
    for (const index_t chunks : {2, 3, 5, 13}) {
      auto c = p.before;
      const auto problem = p.problem(c);
      const auto schedule = schedule_matmul(problem, *kernels, 2, chunks * 8 * 16);
      INFO(std::string(kernels->instruction_set) << ", groups of " << chunks << " chunks");
      CHECK(schedule.plan.method == matmul_method::split_k);
      CHECK(schedule.plan.chunks == chunks);
      run_scheduled(schedule, problem, *kernels);
      CHECK(first_other(c, wanted) == -1);
      CHECK(is_canary_alive());
    }
  }
}

TEST_CASE_TEMPLATE("openmp matmul: blocks of rows whose totals fit give serial's bits", Types,
                   types<float, float>, types<bf16, bf16>) {
  const product<typename Types::T, typename Types::In> p(1, 300, 70, 3000);
  const auto wanted = p.by_serial();
  for (const auto* kernels : tandem::openmp_impl::usable_kernels<typename Types::kernels>()) {
    auto c = p.before;
    const auto problem = p.problem(c);
    const auto schedule = schedule_matmul(problem, *kernels, 2, 64);
    CHECK(schedule.plan.method == matmul_method::blocked);
    CHECK(schedule.plan.block_rows == 64);
    run_scheduled(schedule, problem, *kernels);
    CHECK(first_other(c, wanted) == -1);
  }
}

TEST_CASE_TEMPLATE("openmp matmul: no thread writes behind the scratch of the plan", Types,
                   types<float, float>, types<double, double>, types<float, half>,
                   types<bf16, bf16>) {
  // Keeps a large block from an earlier product, so that a write past a later one's scratch hits
  // only the canary.
  tandem::openmp_impl::own_scratch.panels.at_least(std::size_t{64} << 20);
  // Panels and rows, then chunks, shared by a team; whole entries; blocks of c.
  const product_sizes sizes[] = {
      {1, 700, 900, 1100}, {1, 8, 16, 300000}, {70, 100, 90, 110}, {1, 16, 9000, 600}};
  std::set<matmul_sharing> sharings;
  std::set<matmul_method> methods;
  for (const product_sizes& size : sizes) {
    const product<typename Types::T, typename Types::In> p(size.batch, size.m, size.n, size.k);
    const auto& kernels = tandem::openmp_impl::best_kernels<typename Types::kernels>();
    for (const int threads : {2, 5, 8}) {
      auto c = p.before;
      const auto problem = p.problem(c);
      const auto schedule = schedule_matmul(problem, kernels, threads);
      sharings.insert(schedule.sharing);
      methods.insert(schedule.plan.method);
      INFO(threads << " threads, batch " << size.batch << ", k " << size.k);
      CHECK(schedule.threads == threads);
      run_scheduled(schedule, problem, kernels);
      CHECK(is_canary_alive());
    }
  }
  CHECK(sharings.size() == 3);
  CHECK(methods.count(matmul_method::split_k) == 1);
}
