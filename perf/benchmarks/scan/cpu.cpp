// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/scan/peers.hpp>

#include <cmath>
#include <numeric>

namespace perf {

namespace {

/// Makes a candidate of a peer's scan(x, y, n), which adds integers as unsigned ones.
template <class T, class Scan>
std::function<candidate()> peer_scan(index_t n, const Scan& scan) {
  return [=] {
    auto data = std::make_shared<scan_data<openmp, T>>(n);
    return resident(
        data->space,
        [=](std::int64_t round) {
          using A = addend_t<T>;
          scan(reinterpret_cast<const A*>(data->x.set(round).data_handle()),
               reinterpret_cast<A*>(data->y.set(round).data_handle()), n);
        },
        [=] { return scan_result(*data->space, data->y.set(0)); });
  };
}

/// The standard library on one thread.
template <class A>
void standard_scan(const A* x, A* y, index_t n) {
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

template <class T>
std::string type_name() {
  return (std::is_floating_point_v<T> ? "f" : "i") + std::to_string(8 * sizeof(T));
}

template <class T>
void list_type(const settings& chosen, lineup& add) {
  using A = addend_t<T>;
  for (const index_t n : curve_sizes(chosen)) {
    const problem solved = scan_problem<T>(n);
    add(tandem_on_cpu(solved, "serial", [=] { return resident_scan<serial, T>(n); }));
    add(peer(solved, "serial", "std", peer_scan<T>(n, standard_scan<A>)));
    add(tandem_on_cpu(solved, "openmp", [=] { return resident_scan<openmp, T>(n); }));
    add(peer(solved, "openmp", "raw", peer_scan<T>(n, raw_scan<A>)));
    if (tbb_present) add(peer(solved, "openmp", "tbb", peer_scan<T>(n, tbb_scan<A>)));
    if (kokkos_present) add(peer(solved, "openmp", "kokkos", peer_scan<T>(n, scan_by_kokkos<A>)));
  }
}

void list_cpu(const settings& chosen, lineup& add) {
  if (chosen.targets) return;
  list_type<float>(chosen, add);
  list_type<std::int32_t>(chosen, add);
}

const registration cpu(list_cpu);

}  // namespace

template <class T>
problem scan_problem(index_t n, scan_kind kind) {
  problem solved{"scan", kind == scan_kind::inclusive ? "inclusive" : "exclusive", type_name<T>(),
                 std::to_string(n)};
  solved.elements = static_cast<double>(n);
  solved.bytes = 2.0 * sizeof(T) * solved.elements;  // one pass: a read and a write
  solved.expected = [=] { return scan_reference<T>(n, kind); };
  return solved;
}

template problem scan_problem<float>(index_t n, scan_kind kind);
template problem scan_problem<double>(index_t n, scan_kind kind);
template problem scan_problem<std::int32_t>(index_t n, scan_kind kind);
template problem scan_problem<std::int64_t>(index_t n, scan_kind kind);

}  // namespace perf
