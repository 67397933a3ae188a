// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/reduce/bench.hpp>
#include <perf/benchmarks/reduce/user_operations.hpp>
#include <perf/support/host_peers.hpp>

#include <cmath>
#include <limits>

namespace perf {

namespace {

/// Largest n for which the reference is made by one thread.
constexpr tandem::index_t largest_serial = tandem::index_t{1} << 24;

/// What the peers' loops compute.
enum class fold { sum, magnitudes, maximum, products };

template <class Case>
constexpr fold fold_of =
    Case::kind == terms::magnitudes                                   ? fold::magnitudes
    : Case::kind == terms::products                                   ? fold::products
    : std::is_same_v<decltype(Case::reducer), tandem::maximum<float>> ? fold::maximum
                                                                      : fold::sum;

template <fold What>
constexpr float nothing = What == fold::maximum ? -std::numeric_limits<float>::infinity() : 0.0f;

template <fold What>
float term_of(const float* x, const float* y, tandem::index_t i) {
  if constexpr (What == fold::magnitudes) return std::fabs(x[i]);
  if constexpr (What == fold::products) return x[i] * y[i];
  return x[i];
}

/// The loop of one thread. Free functions with plain pointers: inside a lambda that captures by
/// reference GCC 12 vectorises no reduction.
template <fold What>
float loop_fold(const float* __restrict x, const float* __restrict y, tandem::index_t begin,
                tandem::index_t end, float total) {
  if constexpr (What == fold::maximum) {
#pragma omp simd reduction(max : total)
    for (tandem::index_t i = begin; i < end; ++i) total = x[i] > total ? x[i] : total;
  } else {
#pragma omp simd reduction(+ : total)
    for (tandem::index_t i = begin; i < end; ++i) total += term_of<What>(x, y, i);
  }
  return total;
}

/// The loop that an OpenMP programmer would write.
template <fold What>
float raw_fold(const float* __restrict x, const float* __restrict y, tandem::index_t n) {
  float total = nothing<What>;
  if constexpr (What == fold::maximum) {
#pragma omp parallel for simd reduction(max : total)
    for (tandem::index_t i = 0; i < n; ++i) total = x[i] > total ? x[i] : total;
  } else {
#pragma omp parallel for simd reduction(+ : total)
    for (tandem::index_t i = 0; i < n; ++i) total += term_of<What>(x, y, i);
  }
  return total;
}

template <fold What>
float tbb_fold(const float* x, const float* y, tandem::index_t n) {
  return tbb_reduce(
      n, nothing<What>,
      [x, y](tandem::index_t begin, tandem::index_t end, float total) {
        return loop_fold<What>(x, y, begin, end, total);
      },
      [](float a, float b) { return What == fold::maximum ? (a > b ? a : b) : a + b; });
}

/// Kokkos adds in one chain a thread, so in double: magnitudes of 2^27 floats would stop at 2^24.
template <fold What>
float kokkos_total(const float* x, const float* y, tandem::index_t n) {
  const auto combine = [](double& total, double other) {
    if (What != fold::maximum) {
      total += other;
    } else if (other > total) {
      total = other;
    }
  };
  const auto step = [=](double& total, tandem::index_t i) {
    combine(total, term_of<What>(x, y, i));
  };
  return static_cast<float>(kokkos_reduce<double>(n, nothing<What>, step, combine));
}

/// A peer's loop over the arrays of a case.
template <class Case, class Fold>
contender peer_fold(const Case&, tandem::index_t n, const Fold& run) {
  auto data = std::make_shared<reduce_data<tandem::openmp, Case>>(n);
  auto total = std::make_shared<float>();
  return on_host(
      [=](std::int64_t round) {
        const float* x = data->x.set(round).data_handle();
        const float* y = data->y ? data->y->set(round).data_handle() : nullptr;
        *total = run(x, y, n);
      },
      [=] { return summary_of(*total); });
}

template <class Case>
contender raw_openmp(const Case& what, tandem::index_t n) {
  return peer_fold(what, n, raw_fold<fold_of<Case>>);
}

template <class Case>
contender one_loop(const Case& what, tandem::index_t n) {
  return peer_fold(what, n, [](const float* x, const float* y, tandem::index_t count) {
    return loop_fold<fold_of<Case>>(x, y, 0, count, nothing<fold_of<Case>>);
  });
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

/// The bars of what others have: small sizes against one thread's loop, large ones against all.
template <class Case>
void list_bars(const Case& what, std::vector<entry>& entries) {
  for (const int exponent : {10, 12, 16, 20, 24, 27}) {
    const tandem::index_t n = tandem::index_t{1} << exponent;
    const problem solved = reduce_problem(what, n);
    entries.push_back(tandem_on_cpu(solved, "openmp",
                                    [=] { return reduction_to_host<tandem::openmp>(what, n); }));
    if (exponent <= 12) {
      entries.push_back(peer(solved, "serial", "loop", [=] { return one_loop(what, n); }));
      continue;
    }
    entries.push_back(peer(solved, "openmp", "raw", [=] { return raw_openmp(what, n); }));
    if (tbb_present) {
      entries.push_back(peer(solved, "openmp", "tbb",
                             [=] { return peer_fold(what, n, tbb_fold<fold_of<Case>>); }));
    }
    if (kokkos_present) {
      entries.push_back(peer(solved, "openmp", "kokkos",
                             [=] { return peer_fold(what, n, kokkos_total<fold_of<Case>>); }));
    }
  }
}

/// The bars of results that need more than a value, against tandem's own maximum of the same data.
template <class Case>
void list_against_max(const Case& what, std::vector<entry>& entries) {
  for (const int exponent : {20, 24, 27}) {
    const tandem::index_t n = tandem::index_t{1} << exponent;
    const problem solved = reduce_problem(what, n);
    entries.push_back(tandem_on_cpu(solved, "openmp",
                                    [=] { return reduction_to_host<tandem::openmp>(what, n); }));
    entries.push_back(peer(solved, "openmp", "max", [=] {
      contender made = reduction_to_host<tandem::openmp>(max_case<float>, n);
      made.check = nullptr;  // of another problem
      return made;
    }));
  }
}

void list_limits(std::vector<entry>& entries) {
  list_bars(sum_case<float>, entries);
  list_bars(abs_sum_case<float>, entries);
  list_bars(max_case<float>, entries);
  list_bars(dot_case<float>, entries);
  list_against_max(argmin_case, entries);
  list_against_max(argmax_case, entries);
  list_against_max(minmax_case, entries);
  list_against_max(several_case, entries);
  list_user<user_abs_sum>(entries);
  list_user<three_sums>(entries);
  list_user<welford_variance>(entries);
}

void list_cpu(const settings& chosen, std::vector<entry>& entries) {
  if (chosen.limits) return list_limits(entries);
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
