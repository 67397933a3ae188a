// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/functions/bench.hpp>

namespace perf {

namespace {

constexpr const char* name_of(function f) {
  switch (f) {
    case function::exp:
      return "exp";
    case function::log:
      return "log";
    case function::sin:
      return "sin";
    case function::pow:
      return "pow";
  }
  return "";
}

/// More than the errors of a library's functions, which are some 2^-24, add up to.
constexpr double relative_tolerance = 1e-6;

}  // namespace

template <function F>
problem function_problem(index_t n) {
  problem solved{"functions", name_of(F), "f32", std::to_string(n)};
  solved.elements = static_cast<double>(n);
  solved.bytes = 2.0 * sizeof(float) * solved.elements;
  solved.expected = [=] {
    const outcome wanted = resident_function<openmp>(n, transform_by<F>{}).check();
    return reference{wanted, relative_tolerance * wanted.value, "openmp"};
  };
  return solved;
}

template problem function_problem<function::exp>(index_t n);
template problem function_problem<function::log>(index_t n);
template problem function_problem<function::sin>(index_t n);
template problem function_problem<function::pow>(index_t n);

}  // namespace perf
