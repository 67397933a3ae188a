// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prefix sums on the CPU: tandem against hand-written OpenMP, TBB, Kokkos and the standard library.
#include <perf/benchmarks/scan/bench.hpp>
#include <perf/support/host_peers.hpp>

#include <omp.h>

#include <array>
#include <cmath>
#include <numeric>

#if PERF_HAS_TBB
#include <tbb/parallel_scan.h>
#endif

namespace perf {

namespace {

/// The type in which peers add: integers as unsigned ones, whose sums may wrap around.
template <class T>
struct addend {
  using type = std::make_unsigned_t<T>;
};
template <>
struct addend<float> {
  using type = float;
};

/// The two passes of every peer over one part: its total, and its scan from a start.
template <class T>
T total_of(const T* __restrict x, index_t begin, index_t end) {
  T total{};
#pragma omp simd reduction(+ : total)
  for (index_t i = begin; i < end; ++i) total += x[i];
  return total;
}
template <class T>
T scan_from(T running, const T* __restrict x, T* __restrict y, index_t begin, index_t end) {
  for (index_t i = begin; i < end; ++i) {
    running += x[i];
    y[i] = running;
  }
  return running;
}

/// A hand-written scan: each thread sums its part, waits for the others, and scans it.
template <class T>
void raw_scan(const T* x, T* y, index_t n) {
  constexpr int most = 256;
  std::array<T, most> totals{};
#pragma omp parallel num_threads(omp_get_max_threads() < most ? omp_get_max_threads() : most)
  {
    const index_t part = omp_get_thread_num();
    const index_t parts = omp_get_num_threads();
    const index_t begin = n * part / parts;
    const index_t end = n * (part + 1) / parts;
    totals[static_cast<std::size_t>(part)] = total_of(x, begin, end);
#pragma omp barrier
    T before{};
    for (index_t p = 0; p < part; ++p) before += totals[static_cast<std::size_t>(p)];
    scan_from(before, x, y, begin, end);
  }
}

template <class T>
void tbb_scan([[maybe_unused]] const T* x, [[maybe_unused]] T* y, [[maybe_unused]] index_t n) {
#if PERF_HAS_TBB
  tbb::parallel_scan(
      tbb::blocked_range<index_t>(0, n), T{},
      [=](const tbb::blocked_range<index_t>& part, T before, bool is_final) {
        return is_final ? scan_from(before, x, y, part.begin(), part.end())
                        : before + total_of(x, part.begin(), part.end());
      },
      [](T a, T b) { return a + b; });
#endif
}

template <class T>
void scan_by_kokkos(const T* x, T* y, index_t n) {
  kokkos_scan(n, [=](index_t i, T& running, bool is_final) {
    running += x[i];
    if (is_final) y[i] = running;
  });
}

#if defined(__GNUC__) && !defined(__clang__)
/// OpenMP's scan directive, which clang 14 accepts but runs on one thread.
template <class T>
void directive_scan(const T* __restrict x, T* __restrict y, index_t n) {
  T running{};
#pragma omp parallel for simd reduction(inscan, + : running)
  for (index_t i = 0; i < n; ++i) {
    running += x[i];
#pragma omp scan inclusive(running)
    y[i] = running;
  }
}
#endif

/// The standard library on one thread.
template <class T>
void standard_scan(const T* x, T* y, index_t n) {
  std::inclusive_scan(x, x + n, y);
}

/// Largest n for which one thread computes the reference.
constexpr index_t largest_serial = index_t{1} << 24;

template <class T>
reference scan_reference(index_t n, scan_kind kind) {
  const double tolerance =
      std::is_floating_point_v<T> ? 1e-2 * std::sqrt(static_cast<double>(n)) : 0;
  if (n <= largest_serial) return {resident_scan<serial, T>(n, kind).check(), tolerance, "serial"};
  return {resident_scan<openmp, T>(n, kind).check(), tolerance, "openmp"};
}

/// Adds tandem and its peers on data that they share.
template <class T>
void list_scans(lineup& add, const settings& chosen, index_t n) {
  using A = typename addend<T>::type;
  using data_type = scan_data<openmp, T>;
  const problem solved = scan_problem<T>(n);
  const auto shared = std::make_shared<shared_while_used<data_type, index_t>>(n);
  const auto by = [=](auto scan) {
    return [=] {
      return on_scan_data(shared->get(), [=](data_type& data, index_t round) {
        scan(reinterpret_cast<const A*>(data.x.set(round).data_handle()),
             reinterpret_cast<A*>(data.y.set(round).data_handle()), n);
      });
    };
  };
  if (!chosen.targets)
    add(tandem_on_cpu(solved, "serial", [=] { return resident_scan<serial, T>(n); }));
  add(tandem_on_cpu(solved, "openmp",
                    [=] { return on_scan_data(shared->get(), scan_by_tandem{}); }));
  add(peer(solved, "serial", "std", by(standard_scan<A>)));
  add(peer(solved, "openmp", "raw", by(raw_scan<A>)));
#if defined(__GNUC__) && !defined(__clang__)
  // It takes as much memory again, and much time.
  if (chosen.targets && n <= index_t{1} << 20)
    add(peer(solved, "openmp", "inscan", by(directive_scan<A>)));
#endif
  if (tbb_present) add(peer(solved, "openmp", "tbb", by(tbb_scan<A>)));
  if (kokkos_present) add(peer(solved, "openmp", "kokkos", by(scan_by_kokkos<A>)));
}

void list_cpu(const settings& chosen, lineup& add) {
  const auto sizes =
      chosen.targets ? powers_of_two({12, 16, 18, 20, 22, 24, 27}) : curve_sizes(chosen);
  for (const index_t n : sizes) {
    list_scans<float>(add, chosen, n);
    list_scans<std::int32_t>(add, chosen, n);
    if (chosen.targets) list_scans<std::int64_t>(add, chosen, n);
  }
}

const registration cpu(list_cpu);

}  // namespace

template <class T>
problem scan_problem(index_t n, scan_kind kind) {
  const char* name = kind == scan_kind::inclusive ? "inclusive" : "exclusive";
  // One pass: a read and a write.
  return problem_of("scan", name, type_name<T>(), n, 2 * sizeof(T),
                    [=] { return scan_reference<T>(n, kind); });
}

template problem scan_problem<float>(index_t n, scan_kind kind);
template problem scan_problem<double>(index_t n, scan_kind kind);
template problem scan_problem<std::int32_t>(index_t n, scan_kind kind);
template problem scan_problem<std::int64_t>(index_t n, scan_kind kind);

}  // namespace perf
