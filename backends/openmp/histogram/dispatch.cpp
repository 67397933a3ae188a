// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/histogram/dispatch.hpp>

#include <tandem/backends/openmp/histogram/count.hpp>
#include <tandem/backends/openmp/histogram/weighted.hpp>
#include <tandem/core/contract/visit_element_type.hpp>

namespace tandem {

namespace openmp_impl {
namespace {

/// Runs a problem whose bins are given by `rule`.
template <class Rule>
void run(const openmp& space, const histogram_problem& problem, const Rule& rule) {
  using T = typename Rule::value_type;
  const strided_values<T> x = {static_cast<const T*>(problem.x), problem.x_stride};
  if (problem.is_weighted()) {
    visit_float(problem.weight_type, [&](auto zero) {
      using W = decltype(zero);
      const strided_values<W> weights = {static_cast<const W*>(problem.weights),
                                         problem.weight_stride};
      weighted_sum<W, Rule> sum(space, x, weights, problem, rule);
      if (problem.integers.limbs != nullptr) {
        sum.store_integers(problem.integers);
      } else {
        sum.store(static_cast<W*>(problem.sums), problem.adds);
      }
    });
  } else if (problem.count_bytes == 8) {
    count_values(space, x, problem.size, rule, static_cast<std::uint64_t*>(problem.counts));
  } else {
    count_values(space, x, problem.size, rule, static_cast<std::uint32_t*>(problem.counts));
  }
}

void run_uniform(const openmp& space, const histogram_problem& problem) {
  visit_float(problem.x_type, [&](auto zero) {
    using T = decltype(zero);
    run(space, problem,
        uniform_bin_rule<T>(static_cast<T>(problem.lo), static_cast<T>(problem.hi), problem.bins));
  });
}

void run_integer(const openmp& space, const histogram_problem& problem) {
  visit_integer(problem.x_type, [&](auto zero) {
    using T = decltype(zero);
    if (integer_bins_fit_32<T>(problem.first, problem.bins)) {
      run(space, problem, integer_bin_rule<T, std::uint32_t>(problem.first, problem.bins));
    } else {
      run(space, problem, integer_bin_rule<T>(problem.first, problem.bins));
    }
  });
}

void run_edges(const openmp& space, const histogram_problem& problem) {
  visit_element_type(problem.x_type, [&](auto zero) {
    using T = decltype(zero);
    run(space, problem, edge_bin_rule<T>(static_cast<const T*>(problem.edges), problem.bins));
  });
}

}  // namespace
}  // namespace openmp_impl

void dispatch_histogram(const openmp& space, const histogram_problem& problem) {
  switch (problem.rule) {
    case bin_rule::uniform:
      return openmp_impl::run_uniform(space, problem);
    case bin_rule::integer:
      return openmp_impl::run_integer(space, problem);
    case bin_rule::edges:
      return openmp_impl::run_edges(space, problem);
  }
}

}  // namespace tandem
