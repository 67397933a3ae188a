// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/scan/bench.hpp>

#include <cmath>
#include <numeric>

namespace perf {

namespace {

/// The standard library on one thread, since its parallel form needs TBB, which a machine may lack.
template <class T>
candidate standard_scan(tandem::index_t n) {
  // Unsigned sums may wrap around, signed ones may not.
  using Bits = std::conditional_t<std::is_floating_point_v<T>, T, std::uint32_t>;
  auto data = std::make_shared<scan_data<tandem::serial, T>>(n);
  return resident(
      data->space,
      [=](std::int64_t round) {
        const auto* x = reinterpret_cast<const Bits*>(data->x.set(round).data_handle());
        std::inclusive_scan(x, x + n, reinterpret_cast<Bits*>(data->y.set(round).data_handle()));
      },
      [=] { return scan_result(*data->space, data->y.set(0)); });
}

/// Largest n for which one thread computes the reference.
constexpr tandem::index_t largest_serial = tandem::index_t{1} << 24;

template <class T>
reference scan_reference(tandem::index_t n, scan_kind kind) {
  const double tolerance =
      std::is_floating_point_v<T> ? 1e-2 * std::sqrt(static_cast<double>(n)) : 0;
  if (n <= largest_serial)
    return {resident_scan<tandem::serial, T>(n, kind).check(), tolerance, "serial"};
  return {resident_scan<tandem::openmp, T>(n, kind).check(), tolerance, "openmp"};
}

template <class T>
std::string type_name() {
  return (std::is_floating_point_v<T> ? "f" : "i") + std::to_string(8 * sizeof(T));
}

template <class T>
void list_type(const settings& chosen, std::vector<benchmark>& benchmarks) {
  for (const tandem::index_t n : curve_sizes(chosen)) {
    const problem solved = scan_problem<T>(n);
    benchmarks.push_back(
        tandem_on_cpu(solved, "serial", [=] { return resident_scan<tandem::serial, T>(n); }));
    benchmarks.push_back(peer(solved, "serial", "std", [=] { return standard_scan<T>(n); }));
    benchmarks.push_back(
        tandem_on_cpu(solved, "openmp", [=] { return resident_scan<tandem::openmp, T>(n); }));
  }
}

void list_cpu(const settings& chosen, std::vector<benchmark>& benchmarks) {
  if (chosen.targets) return;
  list_type<float>(chosen, benchmarks);
  list_type<std::int32_t>(chosen, benchmarks);
}

const registration cpu(list_cpu);

}  // namespace

template <class T>
problem scan_problem(tandem::index_t n, scan_kind kind) {
  problem solved{"scan", kind == scan_kind::inclusive ? "inclusive" : "exclusive", type_name<T>(),
                 std::to_string(n)};
  solved.elements = static_cast<double>(n);
  solved.bytes = 2.0 * sizeof(T) * solved.elements;  // one pass: a read and a write
  solved.expected = [=] { return scan_reference<T>(n, kind); };
  return solved;
}

template problem scan_problem<float>(tandem::index_t n, scan_kind kind);
template problem scan_problem<double>(tandem::index_t n, scan_kind kind);
template problem scan_problem<std::int32_t>(tandem::index_t n, scan_kind kind);
template problem scan_problem<std::int64_t>(tandem::index_t n, scan_kind kind);

}  // namespace perf
