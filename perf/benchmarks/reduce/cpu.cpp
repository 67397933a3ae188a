// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/reduce/bench.hpp>
#include <perf/benchmarks/reduce/user_operations.hpp>
#include <perf/support/host_peers.hpp>

#include <cmath>
#include <limits>

namespace perf {

namespace {

/// Largest n for which one thread computes the reference.
constexpr index_t largest_serial = index_t{1} << 24;

/// What the peers' loops compute.
enum class fold { sum, magnitudes, maximum, products };

template <class Case>
constexpr fold fold_of =
    Case::kind == operands::magnitudes                                ? fold::magnitudes
    : Case::kind == operands::products                                ? fold::products
    : std::is_same_v<decltype(Case::reducer), tandem::maximum<float>> ? fold::maximum
                                                                      : fold::sum;

template <fold What>
constexpr float nothing = What == fold::maximum ? -std::numeric_limits<float>::infinity() : 0.0f;

template <fold What>
float term_of(const float* x, const float* y, index_t i) {
  if constexpr (What == fold::magnitudes) return std::fabs(x[i]);
  if constexpr (What == fold::products) return x[i] * y[i];
  return x[i];
}

/// The loop of one thread. A free function of plain pointers, since GCC 12 vectorises no reduction
/// inside a lambda that captures by reference.
template <fold What>
float loop_fold(const float* __restrict x, const float* __restrict y, index_t begin, index_t end,
                float total) {
  if constexpr (What == fold::maximum) {
#pragma omp simd reduction(max : total)
    for (index_t i = begin; i < end; ++i) total = x[i] > total ? x[i] : total;
  } else {
#pragma omp simd reduction(+ : total)
    for (index_t i = begin; i < end; ++i) total += term_of<What>(x, y, i);
  }
  return total;
}

/// A hand-written OpenMP reduction.
template <fold What>
float raw_fold(const float* __restrict x, const float* __restrict y, index_t n) {
  float total = nothing<What>;
  if constexpr (What == fold::maximum) {
#pragma omp parallel for simd reduction(max : total)
    for (index_t i = 0; i < n; ++i) total = x[i] > total ? x[i] : total;
  } else {
#pragma omp parallel for simd reduction(+ : total)
    for (index_t i = 0; i < n; ++i) total += term_of<What>(x, y, i);
  }
  return total;
}

template <fold What>
float tbb_fold(const float* x, const float* y, index_t n) {
  return tbb_reduce(
      n, nothing<What>,
      [x, y](index_t begin, index_t end, float total) {
        return loop_fold<What>(x, y, begin, end, total);
      },
      [](float a, float b) { return What == fold::maximum ? (a > b ? a : b) : a + b; });
}

/// Kokkos's reduction, in double: it adds in one chain per thread, and a sum of 2^27 magnitudes in
/// float would stop growing at 2^24.
template <fold What>
float kokkos_total(const float* x, const float* y, index_t n) {
  const auto combine = [](double& total, double other) {
    if (What != fold::maximum) {
      total += other;
    } else if (other > total) {
      total = other;
    }
  };
  const auto step = [=](double& total, index_t i) { combine(total, term_of<What>(x, y, i)); };
  return static_cast<float>(kokkos_reduce<double>(n, nothing<What>, step, combine));
}

/// A peer's loop over the arrays of a case.
template <class Case, class Fold>
candidate peer_fold(const Case&, index_t n, const Fold& run) {
  auto data = std::make_shared<reduce_data<openmp, Case>>(n);
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
candidate one_loop(const Case& what, index_t n) {
  return peer_fold(what, n, [](const float* x, const float* y, index_t count) {
    return loop_fold<fold_of<Case>>(x, y, 0, count, nothing<fold_of<Case>>);
  });
}

/// Error bound of a case. Operands are uniform in [-1, 1), so a sum deviates by sqrt(n) and
/// magnitudes add up to n / 2. The bounds admit peers that add in one long chain per lane, and
/// detect a missing block of a thousand elements. Results that are elements, and integers, are
/// exact.
template <class Case>
double tolerance_of(const Case&, double n) {
  if constexpr (std::is_same_v<typename Case::result, float> ||
                std::is_same_v<typename Case::result, double>) {
    return Case::kind == operands::magnitudes ? 1e-3 * n : 1e-2 * std::sqrt(n);
  } else {
    return 0;
  }
}

template <class Case>
reference reduce_reference(const Case& what, index_t n) {
  const double tolerance = tolerance_of(what, static_cast<double>(n));
  if (n <= largest_serial) return {reduction_to_host<serial>(what, n).check(), tolerance, "serial"};
  return {reduction_to_host<openmp>(what, n).check(), tolerance, "openmp"};
}

/// Adds the peers that run on all threads.
template <class Case>
void list_peers(const problem& solved, const Case& what, index_t n, lineup& add) {
  add(peer(solved, "openmp", "raw", [=] { return peer_fold(what, n, raw_fold<fold_of<Case>>); }));
  if (tbb_present) {
    add(peer(solved, "openmp", "tbb", [=] { return peer_fold(what, n, tbb_fold<fold_of<Case>>); }));
  }
  if (kokkos_present) {
    add(peer(solved, "openmp", "kokkos",
             [=] { return peer_fold(what, n, kokkos_total<fold_of<Case>>); }));
  }
}

/// Adds reductions that the peers have, too: for the targets, small ones are compared with one
/// thread's loop alone.
template <class Case>
void list_sums(const Case& what, const settings& chosen, lineup& add) {
  const auto sizes = chosen.targets ? powers_of_two({10, 12, 16, 20, 24, 27}) : curve_sizes(chosen);
  for (const index_t n : sizes) {
    const problem sum = reduce_problem(what, n);
    if (!chosen.targets)
      add(tandem_on_cpu(sum, "serial", [=] { return reduction_to_host<serial>(what, n); }));
    add(tandem_on_cpu(sum, "openmp", [=] { return reduction_to_host<openmp>(what, n); }));
    if (chosen.targets && n <= 1 << 12) {
      add(peer(sum, "serial", "loop", [=] { return one_loop(what, n); }));
    } else {
      list_peers(sum, what, n, add);
    }
  }
}

/// Adds reductions that find more than a value, against tandem's own maximum of the same data.
template <class Case>
void list_against_max(const Case& what, lineup& add) {
  for (const index_t n : powers_of_two({20, 24, 27})) {
    const problem solved = reduce_problem(what, n);
    add(tandem_on_cpu(solved, "openmp", [=] { return reduction_to_host<openmp>(what, n); }));
    add(peer(solved, "openmp", "max", [=] {
      candidate made = reduction_to_host<openmp>(max_case<float>, n);
      made.check = nullptr;  // of another problem
      return made;
    }));
  }
}

void list_cpu(const settings& chosen, lineup& add) {
  list_sums(sum_case<float>, chosen, add);
  list_sums(abs_sum_case<float>, chosen, add);
  if (!chosen.targets) return;
  list_sums(max_case<float>, chosen, add);
  list_sums(dot_case<float>, chosen, add);
  list_against_max(argmin_case, add);
  list_against_max(argmax_case, add);
  list_against_max(minmax_case, add);
  list_against_max(several_case, add);
  list_user<user_abs_sum>(add);
  list_user<three_sums>(add);
  list_user<welford_variance>(add);
}

const registration cpu(list_cpu);

}  // namespace

template <class Case>
problem reduce_problem(const Case& what, index_t n) {
  using T = typename Case::element;
  // Each element of each array is read once.
  const double bytes = (Case::kind == operands::products ? 2.0 : 1.0) * sizeof(T);
  return problem_of("reduce", what.name, type_name<T>(), n, bytes,
                    [=] { return reduce_reference(what, n); });
}

template problem reduce_problem(const sum_of<float>&, index_t);
template problem reduce_problem(const sum_of<double>&, index_t);
template problem reduce_problem(const sum_of<std::int32_t>&, index_t);
template problem reduce_problem(const sum_of<std::int64_t>&, index_t);
template problem reduce_problem(const magnitudes_of<float>&, index_t);
template problem reduce_problem(const magnitudes_of<double>&, index_t);
template problem reduce_problem(const products_of<float>&, index_t);
template problem reduce_problem(const products_of<double>&, index_t);
template problem reduce_problem(const decltype(max_case<double>)&, index_t);
template problem reduce_problem(const decltype(max_case<float>)&, index_t);
template problem reduce_problem(const decltype(argmin_case)&, index_t);
template problem reduce_problem(const decltype(argmax_case)&, index_t);
template problem reduce_problem(const decltype(minmax_case)&, index_t);
template problem reduce_problem(const decltype(several_case)&, index_t);
template problem reduce_problem(const decltype(ordered_case)&, index_t);

}  // namespace perf
