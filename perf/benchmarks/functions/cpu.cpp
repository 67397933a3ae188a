// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/functions/bench.hpp>

namespace perf {

namespace {

constexpr const char* names[] = {"exp", "log", "sin", "pow"};

/// More than the errors of a library's functions, which are some 2^-24, add up to.
constexpr double relative_tolerance = 1e-6;

}  // namespace

template <function F>
problem function_problem(index_t n) {
  return problem_of("functions", names[static_cast<int>(F)], "f32", n, 2 * sizeof(float), [=] {
    const outcome wanted = resident_function<openmp>(n, transform_by<F>{}).check();
    return reference{wanted, relative_tolerance * wanted.value, "openmp"};
  });
}

template problem function_problem<function::exp>(index_t n);
template problem function_problem<function::log>(index_t n);
template problem function_problem<function::sin>(index_t n);
template problem function_problem<function::pow>(index_t n);

}  // namespace perf
