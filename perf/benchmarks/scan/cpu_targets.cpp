// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU's targets for prefix sums: tandem against hand-written OpenMP, TBB and Kokkos.
#include <perf/benchmarks/scan/bench.hpp>
#include <perf/support/host_peers.hpp>

#include <omp.h>

#include <array>
#include <numeric>

#if PERF_HAS_TBB
#include <tbb/parallel_scan.h>
#endif

namespace perf {

namespace {

using tandem::index_t;

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

template <class T>
using host_scan_data = scan_data<tandem::openmp, T>;

template <class T, class Run>
candidate on_data(const std::shared_ptr<host_scan_data<T>>& data, const Run& run) {
  return resident(
      data->space, [=](std::int64_t) { run(*data); },
      [=] { return scan_result(*data->space, data->y.set(0)); });
}

template <class T>
void list_targets(std::vector<benchmark>& benchmarks, index_t n) {
  using A = addend_t<T>;
  const problem solved = scan_problem<T>(n);
  const auto shared = std::make_shared<shared_while_used<host_scan_data<T>, index_t>>(n);
  const auto made = [=](auto run) { return [=] { return on_data<T>(shared->get(), run); }; };
  const auto by_pointers = [=](auto scan) {
    return made([=](host_scan_data<T>& data) {
      scan(reinterpret_cast<const A*>(data.x.set(0).data_handle()),
           reinterpret_cast<A*>(data.y.set(0).data_handle()), n);
    });
  };
  benchmarks.push_back(tandem_on_cpu(solved, "openmp", made([](host_scan_data<T>& data) {
                                       const typename host_scan_data<T>::input x = data.x.set(0);
                                       enqueue_scan(*data.space, x, data.y.set(0),
                                                    scan_kind::inclusive);
                                     })));
  benchmarks.push_back(peer(solved, "openmp", "raw", by_pointers(raw_scan<A>)));
#if defined(__GNUC__) && !defined(__clang__)
  // It takes as much memory again, and much time.
  if (n <= index_t{1} << 20)
    benchmarks.push_back(peer(solved, "openmp", "inscan", by_pointers(directive_scan<A>)));
#endif
  if (tbb_present) benchmarks.push_back(peer(solved, "openmp", "tbb", by_pointers(tbb_scan<A>)));
  if (kokkos_present)
    benchmarks.push_back(peer(solved, "openmp", "kokkos", by_pointers(scan_by_kokkos<A>)));
  benchmarks.push_back(peer(
      solved, "serial", "std",
      by_pointers([](const A* x, A* y, index_t size) { std::inclusive_scan(x, x + size, y); })));
}

void list_host(const settings& chosen, std::vector<benchmark>& benchmarks) {
  if (!chosen.targets) return;
  for (const int exponent : {12, 16, 18, 20, 22, 24, 27}) {
    list_targets<float>(benchmarks, index_t{1} << exponent);
    list_targets<std::int32_t>(benchmarks, index_t{1} << exponent);
    list_targets<std::int64_t>(benchmarks, index_t{1} << exponent);
  }
}

const registration host(list_host);

}  // namespace

}  // namespace perf
