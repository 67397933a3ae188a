// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU's targets for prefix sums: tandem against hand-written OpenMP, TBB and Kokkos.
#include <perf/benchmarks/scan/peers.hpp>

#include <numeric>

namespace perf {

namespace {

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
using host_scan_data = scan_data<openmp, T>;

template <class T, class Run>
candidate on_data(const std::shared_ptr<host_scan_data<T>>& data, const Run& run) {
  return resident(
      data->space, [=](std::int64_t) { run(*data); },
      [=] { return scan_result(*data->space, data->y.set(0)); });
}

template <class T>
void list_targets(lineup& add, index_t n) {
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
  add(tandem_on_cpu(solved, "openmp", made([](host_scan_data<T>& data) {
                      const typename host_scan_data<T>::input x = data.x.set(0);
                      enqueue_scan(*data.space, x, data.y.set(0), scan_kind::inclusive);
                    })));
  add(peer(solved, "openmp", "raw", by_pointers(raw_scan<A>)));
#if defined(__GNUC__) && !defined(__clang__)
  // It takes as much memory again, and much time.
  if (n <= index_t{1} << 20) add(peer(solved, "openmp", "inscan", by_pointers(directive_scan<A>)));
#endif
  if (tbb_present) add(peer(solved, "openmp", "tbb", by_pointers(tbb_scan<A>)));
  if (kokkos_present) add(peer(solved, "openmp", "kokkos", by_pointers(scan_by_kokkos<A>)));
  add(peer(solved, "serial", "std", by_pointers([](const A* x, A* y, index_t size) {
             std::inclusive_scan(x, x + size, y);
           })));
}

void list_host(const settings& chosen, lineup& add) {
  if (!chosen.targets) return;
  for (const int exponent : {12, 16, 18, 20, 22, 24, 27}) {
    list_targets<float>(add, index_t{1} << exponent);
    list_targets<std::int32_t>(add, index_t{1} << exponent);
    list_targets<std::int64_t>(add, index_t{1} << exponent);
  }
}

const registration host(list_host);

}  // namespace

}  // namespace perf
