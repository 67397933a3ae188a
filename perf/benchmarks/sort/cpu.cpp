// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/sort/peers.hpp>

namespace perf {

namespace {

/// The standard library's stable sort, on one thread.
template <class T>
void standard_sort(T* x, index_t n) {
  std::stable_sort(x, x + n);
}

/// Largest n that one thread sorts; its sort is a merge sort.
constexpr index_t largest_serial = index_t{1} << 22;

/// Returns a problem's reference: by one thread where that is quick enough, else by OpenMP.
template <class Make>
std::function<reference()> reference_of(index_t n, const Make& make) {
  return [=]() -> reference {
    if (n <= largest_serial) return {make(serial()).check(), 0, "serial"};
    return {make(openmp()).check(), 0, "openmp"};
  };
}

/// A problem that reads `read` bytes per element and writes as many for the fraction `kept`.
problem make_problem(const char* name, const char* type, index_t n, double read, double kept) {
  problem solved{"sort", name, type, std::to_string(n)};
  solved.elements = static_cast<double>(n);
  solved.bytes = read * (1 + kept) * solved.elements;
  return solved;
}

template <class T>
const char* type_name() {
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "f32" : "f64";
  return sizeof(T) == 4 ? "u32" : "u64";
}

/// Adds a benchmark per CPU backend; make(space) makes the candidate.
template <class Make>
void add_cpu(lineup& add, const problem& solved, index_t n, const Make& make) {
  if (n <= largest_serial) {
    add(tandem_on_cpu(solved, "serial", [=] { return make(serial()); }));
  }
  add(tandem_on_cpu(solved, "openmp", [=] { return make(openmp()); }));
}

template <class T>
void list_sort(index_t n, lineup& add) {
  const problem solved = sort_problem<T>(n);
  add_cpu(add, solved, n, [=](auto space) { return resident_sort<decltype(space), T>(n); });
  if (n <= largest_serial) add(peer(solved, "serial", "std", key_peer<T>(n, standard_sort<T>)));
  list_key_peers<T>(solved, n, add);
}

void list_cpu(const settings& chosen, lineup& add) {
  if (chosen.targets) return;
  for (const index_t n : curve_sizes(chosen)) {
    list_sort<std::uint32_t>(n, add);
    list_sort<float>(n, add);
    list_sort<std::uint64_t>(n, add);
    add_cpu(add, sort_by_key_problem(n), n,
            [=](auto space) { return resident_sort_by_key<decltype(space)>(n); });
    add_cpu(add, unique_problem(n), n,
            [=](auto space) { return resident_unique<decltype(space)>(n); });
    add_cpu(add, copy_if_problem(n), n,
            [=](auto space) { return resident_copy_if<decltype(space)>(n); });
  }
}

const registration cpu(list_cpu);

}  // namespace

template <class T>
problem sort_problem(index_t n) {
  problem solved = make_problem("sort", type_name<T>(), n, sizeof(T), 1);
  solved.expected =
      reference_of(n, [=](auto space) { return resident_sort<decltype(space), T>(n); });
  return solved;
}

template problem sort_problem<std::uint32_t>(index_t n);
template problem sort_problem<float>(index_t n);
template problem sort_problem<std::uint64_t>(index_t n);

problem sort_by_key_problem(index_t n) {
  problem solved = make_problem("sort_by_key", "u32", n, 8, 1);
  solved.expected =
      reference_of(n, [=](auto space) { return resident_sort_by_key<decltype(space)>(n); });
  return solved;
}

problem unique_problem(index_t n) {
  problem solved = make_problem("unique", "u32", n, 4, 0.5);
  solved.expected =
      reference_of(n, [=](auto space) { return resident_unique<decltype(space)>(n); });
  return solved;
}

problem copy_if_problem(index_t n) {
  problem solved = make_problem("copy_if", "f32", n, 4, 0.5);
  solved.expected =
      reference_of(n, [=](auto space) { return resident_copy_if<decltype(space)>(n); });
  return solved;
}

}  // namespace perf
