// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/reduce_bench.hpp>

#include <cmath>

namespace perf {

namespace {

/// Largest n for which the reference is made by one thread.
constexpr tandem::index_t largest_serial = tandem::index_t{1} << 24;

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

template <class Case>
contender raw_openmp(const Case&, tandem::index_t n) {
  auto data = std::make_shared<reduce_data<tandem::openmp, Case>>(n);
  auto total = std::make_shared<float>();
  return on_host(
      [=](std::int64_t round) {
        const float* x = data->x.set(round).data_handle();
        *total = Case::kind == terms::values ? raw_sum(x, n) : raw_abs_sum(x, n);
      },
      [=] { return summary_of(*total); });
}

/// Terms are uniform in [-1, 1): a sum wanders by sqrt(n) and magnitudes add up to n / 2. The
/// bounds leave room for peers that add in one long chain a lane and notice a missing block of a
/// thousand elements. What is found, not added, is exact, and so are integers.
template <class Case>
double tolerance_of(const Case&, double n) {
  if constexpr (std::is_same_v<typename Case::result, float> ||
                std::is_same_v<typename Case::result, double>) {
    return Case::kind == terms::magnitudes ? 1e-3 * n : 1e-2 * std::sqrt(n);
  } else {
    return 0;
  }
}

template <class Case>
reference reduce_reference(const Case& what, tandem::index_t n) {
  const double tolerance = tolerance_of(what, static_cast<double>(n));
  if (n <= largest_serial)
    return {reduction_to_host<tandem::serial>(what, n).check(), tolerance, "serial"};
  return {reduction_to_host<tandem::openmp>(what, n).check(), tolerance, "openmp"};
}

template <class Case>
void list_sums(const Case& what, const settings& chosen, std::vector<entry>& entries) {
  for (const tandem::index_t n : curve_sizes(chosen)) {
    const problem sum = reduce_problem(what, n);
    entries.push_back(
        tandem_on_cpu(sum, "serial", [=] { return reduction_to_host<tandem::serial>(what, n); }));
    entries.push_back(
        tandem_on_cpu(sum, "openmp", [=] { return reduction_to_host<tandem::openmp>(what, n); }));
    entries.push_back(peer(sum, "openmp", "raw", [=] { return raw_openmp(what, n); }));
  }
}

void list_cpu(const settings& chosen, std::vector<entry>& entries) {
  if (chosen.limits) return;
  list_sums(sum_case<float>, chosen, entries);
  list_sums(abs_sum_case<float>, chosen, entries);
}

const registration cpu(list_cpu);

template <class T>
const char* type_name() {
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "f32" : "f64";
  return sizeof(T) == 4 ? "i32" : "i64";
}

}  // namespace

template <class Case>
problem reduce_problem(const Case& what, tandem::index_t n) {
  using T = typename Case::element;
  problem made{"reduce", what.name, type_name<T>(), std::to_string(n)};
  made.elements = static_cast<double>(n);
  // Each element of each array is read once.
  made.bytes = (Case::kind == terms::products ? 2.0 : 1.0) * sizeof(T) * made.elements;
  made.expected = [=] { return reduce_reference(what, n); };
  return made;
}

template problem reduce_problem(const sum_of<float>&, tandem::index_t);
template problem reduce_problem(const sum_of<double>&, tandem::index_t);
template problem reduce_problem(const sum_of<std::int32_t>&, tandem::index_t);
template problem reduce_problem(const sum_of<std::int64_t>&, tandem::index_t);
template problem reduce_problem(const magnitudes_of<float>&, tandem::index_t);
template problem reduce_problem(const magnitudes_of<double>&, tandem::index_t);
template problem reduce_problem(const products_of<float>&, tandem::index_t);
template problem reduce_problem(const products_of<double>&, tandem::index_t);
template problem reduce_problem(const decltype(max_case<double>)&, tandem::index_t);
template problem reduce_problem(const decltype(max_case<float>)&, tandem::index_t);
template problem reduce_problem(const decltype(argmin_case)&, tandem::index_t);
template problem reduce_problem(const decltype(argmax_case)&, tandem::index_t);
template problem reduce_problem(const decltype(minmax_case)&, tandem::index_t);
template problem reduce_problem(const decltype(several_case)&, tandem::index_t);
template problem reduce_problem(const decltype(ordered_case)&, tandem::index_t);

}  // namespace perf
