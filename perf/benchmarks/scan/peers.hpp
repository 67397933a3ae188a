// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/benchmarks/scan/bench.hpp>
#include <perf/support/host_peers.hpp>

#include <omp.h>

#include <array>

#if PERF_HAS_TBB
#include <tbb/parallel_scan.h>
#endif

/// Peers of the scan on the CPU: hand-written OpenMP, TBB and Kokkos.
namespace perf {

/// The type in which peers add: integers as unsigned ones, whose sums may wrap around.
template <class T>
struct addend {
  using type = std::uint32_t;
};
template <>
struct addend<float> {
  using type = float;
};
template <>
struct addend<std::int64_t> {
  using type = std::uint64_t;
};
template <class T>
using addend_t = typename addend<T>::type;

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

}  // namespace perf
