// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/sort/bench.hpp>

#include <algorithm>

namespace perf {

namespace {

/// One thread: the standard library's parallel form needs TBB, which a machine may lack.
template <class T>
contender standard_sort(tandem::index_t n) {
  auto data = std::make_shared<line_data<tandem::serial, T>>(n, key_values<T>{keys_seed});
  return resident(
      data->space,
      [=](std::int64_t round) {
        T* const out = data->out.set(round).data_handle();
        std::copy_n(data->input(round).data_handle(), n, out);
        std::stable_sort(out, out + n);
      },
      [=] { return sorted_outcome(*data); });
}

/// Largest n that one thread sorts by merges.
constexpr tandem::index_t largest_serial = tandem::index_t{1} << 22;

/// A problem's reference: by one thread where that takes no longer than a second.
template <class Make>
std::function<reference()> reference_of(tandem::index_t n, const Make& make) {
  return [=]() -> reference {
    if (n <= largest_serial) return {make(tandem::serial()).check(), 0, "serial"};
    return {make(tandem::openmp()).check(), 0, "openmp"};
  };
}

/// A problem that reads `read` bytes an element and writes as many for `kept` of them.
problem make_problem(const char* name, const char* type, tandem::index_t n, double read,
                     double kept) {
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

/// Adds an entry a CPU space; make(space) gives the contender.
template <class Make>
void add_cpu(std::vector<entry>& entries, const problem& solved, tandem::index_t n,
             const Make& make) {
  if (n <= largest_serial) {
    entries.push_back(tandem_on_cpu(solved, "serial", [=] { return make(tandem::serial()); }));
  }
  entries.push_back(tandem_on_cpu(solved, "openmp", [=] { return make(tandem::openmp()); }));
}

template <class T>
void list_sort(tandem::index_t n, std::vector<entry>& entries) {
  const problem solved = sort_problem<T>(n);
  add_cpu(entries, solved, n, [=](auto space) { return resident_sort<decltype(space), T>(n); });
  entries.push_back(peer(solved, "serial", "std", [=] { return standard_sort<T>(n); }));
}

void list_cpu(const settings& chosen, std::vector<entry>& entries) {
  if (chosen.limits) return;
  for (const tandem::index_t n : curve_sizes(chosen)) {
    list_sort<std::uint32_t>(n, entries);
    list_sort<float>(n, entries);
    list_sort<std::uint64_t>(n, entries);
    add_cpu(entries, sort_by_key_problem(n), n,
            [=](auto space) { return resident_sort_by_key<decltype(space)>(n); });
    add_cpu(entries, unique_problem(n), n,
            [=](auto space) { return resident_unique<decltype(space)>(n); });
    add_cpu(entries, copy_if_problem(n), n,
            [=](auto space) { return resident_copy_if<decltype(space)>(n); });
  }
}

const registration cpu(list_cpu);

}  // namespace

template <class T>
problem sort_problem(tandem::index_t n) {
  problem solved = make_problem("sort", type_name<T>(), n, sizeof(T), 1);
  solved.expected =
      reference_of(n, [=](auto space) { return resident_sort<decltype(space), T>(n); });
  return solved;
}

template problem sort_problem<std::uint32_t>(tandem::index_t n);
template problem sort_problem<float>(tandem::index_t n);
template problem sort_problem<std::uint64_t>(tandem::index_t n);

problem sort_by_key_problem(tandem::index_t n) {
  problem solved = make_problem("sort_by_key", "u32", n, 8, 1);
  solved.expected =
      reference_of(n, [=](auto space) { return resident_sort_by_key<decltype(space)>(n); });
  return solved;
}

problem unique_problem(tandem::index_t n) {
  problem solved = make_problem("unique", "u32", n, 4, 0.5);
  solved.expected =
      reference_of(n, [=](auto space) { return resident_unique<decltype(space)>(n); });
  return solved;
}

problem copy_if_problem(tandem::index_t n) {
  problem solved = make_problem("copy_if", "f32", n, 4, 0.5);
  solved.expected =
      reference_of(n, [=](auto space) { return resident_copy_if<decltype(space)>(n); });
  return solved;
}

}  // namespace perf
