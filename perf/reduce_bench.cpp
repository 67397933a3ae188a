// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/reduce_bench.hpp>

#include <cmath>

namespace perf {

namespace {

/// Largest n for which the reference is made by one thread.
constexpr tandem::index_t largest_serial = tandem::index_t{1} << 27;

/// The loop that an OpenMP programmer would write. Free functions with plain pointers: inside a
/// lambda that captures by reference GCC 12 vectorises no reduction.
float raw_sum(const float* __restrict x, tandem::index_t n) {
  float total = 0;
#pragma omp parallel for simd reduction(+ : total)
  for (tandem::index_t i = 0; i < n; ++i) total += x[i];
  return total;
}

float raw_abs_sum(const float* __restrict x, tandem::index_t n) {
  float total = 0;
#pragma omp parallel for simd reduction(+ : total)
  for (tandem::index_t i = 0; i < n; ++i) total += std::fabs(x[i]);
  return total;
}

contender raw_openmp(terms kind, tandem::index_t n) {
  auto data = std::make_shared<sum_data<tandem::openmp>>(n);
  auto total = std::make_shared<float>();
  return on_host(
      [=](std::int64_t round) {
        const float* x = data->set(round).data_handle();
        *total = kind == terms::values ? raw_sum(x, n) : raw_abs_sum(x, n);
      },
      [=] { return summary_of(*total); });
}

/// Terms are uniform in [-1, 1): a sum wanders by sqrt(n) and magnitudes add up to n / 2. The
/// bounds leave room for peers that add in one long chain a lane and notice a missing block of a
/// thousand elements.
reference sum_reference(terms kind, tandem::index_t n) {
  const double size = static_cast<double>(n);
  const double tolerance = kind == terms::values ? 1e-2 * std::sqrt(size) : 1e-3 * size;
  if (n <= largest_serial)
    return {sum_to_host<tandem::serial>(kind, n).check(), tolerance, "serial"};
  return {sum_to_host<tandem::openmp>(kind, n).check(), tolerance, "openmp"};
}

void list_cpu(const settings& chosen, std::vector<entry>& entries) {
  for (const terms kind : {terms::values, terms::magnitudes}) {
    for (const tandem::index_t n : curve_sizes(chosen)) {
      const problem sum = sum_problem(kind, n);
      entries.push_back(
          tandem_on_cpu(sum, "serial", [=] { return sum_to_host<tandem::serial>(kind, n); }));
      entries.push_back(
          tandem_on_cpu(sum, "openmp", [=] { return sum_to_host<tandem::openmp>(kind, n); }));
      entries.push_back(peer(sum, "openmp", "raw", [=] { return raw_openmp(kind, n); }));
    }
  }
}

const registration cpu(list_cpu);

}  // namespace

problem sum_problem(terms kind, tandem::index_t n) {
  problem sum{"reduce", kind == terms::values ? "sum" : "abs_sum", "f32", std::to_string(n)};
  sum.elements = static_cast<double>(n);
  sum.bytes = 4.0 * sum.elements;  // each element is read once
  sum.expected = [=] { return sum_reference(kind, n); };
  return sum;
}

}  // namespace perf
