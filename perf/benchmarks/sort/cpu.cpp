// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts and selections on the CPU: tandem against libraries and hand-written loops.
#include <perf/benchmarks/sort/bench.hpp>
#include <perf/support/host_peers.hpp>

#include <algorithm>

#if __has_include(<parallel/algorithm>)
#include <parallel/algorithm>
#define PERF_HAS_GNU_PARALLEL 1
#else
#define PERF_HAS_GNU_PARALLEL 0
#endif
#if PERF_HAS_TBB
#include <execution>

#include <tbb/parallel_sort.h>
#endif
#if PERF_HAS_HIGHWAY
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace perf {

namespace {

template <class T>
auto line_of(T* x, index_t n) {
  return tandem::view<T, 1, tandem::layout_right, tandem::host_memory>(x, extents<1>(n));
}

/// Makes a candidate that copies the keys and sorts them in place by sort(first, n).
template <class T, class Sort>
std::function<candidate()> key_peer(index_t n, const Sort& sort) {
  return [=] {
    auto data = std::make_shared<line_data<openmp, T>>(n, key_values<T>{keys_seed});
    return resident(
        data->space,
        [=](std::int64_t round) {
          std::copy_n(data->input(round).data_handle(), n, data->out.set(round).data_handle());
          sort(data->out.set(round).data_handle(), n);
        },
        [=] { return sorted_outcome(*data); });
  };
}

/// Largest n that one thread sorts; its sort is a merge sort.
constexpr index_t largest_serial = index_t{1} << 22;

/// Returns a problem's reference: by one thread if that is quick enough, else by OpenMP.
template <class Make>
std::function<reference()> reference_of(index_t n, const Make& make) {
  return [=]() -> reference {
    if (n <= largest_serial) return {make(serial()).check(), 0, "serial"};
    return {make(openmp()).check(), 0, "openmp"};
  };
}

/// Largest n for which the standard library's sorts on one thread are measured for the targets.
constexpr index_t largest_standard = index_t{1} << 20;

/// Adds tandem: make(space) makes the candidate. The targets have no serial backend.
template <class Make>
void add_tandem(lineup& add, const settings& chosen, const problem& solved, const Make& make) {
  if (!chosen.targets && solved.elements <= static_cast<double>(largest_serial))
    add(tandem_on_cpu(solved, "serial", [=] { return make(serial()); }));
  add(tandem_on_cpu(solved, "openmp", [=] { return make(openmp()); }));
}

/// Adds the sort of n keys. For the targets tandem sorts in place, as its peers do.
template <class T>
void list_sort(lineup& add, const settings& chosen, index_t n) {
  const problem solved = sort_problem<T>(n);
  const auto add_peer = [&](const char* backend, const char* implementation, auto sort) {
    add(peer(solved, backend, implementation, key_peer<T>(n, sort)));
  };
  if (chosen.targets) {
    add(tandem_on_cpu(solved, "openmp", key_peer<T>(n, [](T* x, index_t m) {
                        tandem::sort(openmp(), line_of(x, m));
                      })));
    if (n <= largest_standard)
      add_peer("serial", "std", [](T* x, index_t m) { std::sort(x, x + m); });
#if PERF_HAS_HIGHWAY
    add_peer("openmp", "hwy", [](T* x, index_t m) {
      hwy::Sorter()(x, static_cast<std::size_t>(m), hwy::SortAscending());
    });
#endif
  } else {
    add_tandem(add, chosen, solved,
               [=](auto space) { return resident_sort<decltype(space), T>(n); });
    if (n <= largest_serial)
      add_peer("serial", "std", [](T* x, index_t m) { std::stable_sort(x, x + m); });
  }
#if PERF_HAS_GNU_PARALLEL
  add_peer("openmp", "gnu", [](T* x, index_t m) { __gnu_parallel::sort(x, x + m); });
#endif
#if PERF_HAS_TBB
  add_peer("openmp", "tbb", [](T* x, index_t m) { tbb::parallel_sort(x, x + m); });
#endif
}

/// A key with its value, for libraries without a sort by key.
struct keyed {
  std::uint32_t key;
  std::uint32_t value;
};

bool is_below(const keyed& a, const keyed& b) { return a.key < b.key; }

/// Makes a candidate that copies the pairs and sorts them stably by sort(first, n).
template <class Sort>
std::function<candidate()> pair_peer(index_t n, const Sort& sort) {
  return [=] {
    auto data = std::make_shared<pair_data<openmp>>(n);
    auto pairs = std::make_shared<std::vector<keyed>>(static_cast<std::size_t>(n));
    return resident(
        data->space,
        [=](std::int64_t round) {
          const auto keys = data->input(round);
          const auto values = data->input_values(round);
          const auto to = line_of(pairs->data(), n);
          tandem::parallel_for(*data->space, n, [=](index_t i) { to(i) = {keys(i), values(i)}; });
          sort(pairs->data(), n);
        },
        [=] {
          const auto keys = data->out.set(0);
          const auto values = data->values_out.set(0);
          for (index_t i = 0; i < n; ++i) {
            keys(i) = (*pairs)[static_cast<std::size_t>(i)].key;
            values(i) = (*pairs)[static_cast<std::size_t>(i)].value;
          }
          return pairs_outcome(*data);
        });
  };
}

void list_pairs(lineup& add, const settings& chosen, index_t n) {
  const problem solved = sort_by_key_problem(n);
  add_tandem(add, chosen, solved,
             [=](auto space) { return resident_sort_by_key<decltype(space)>(n); });
  if (!chosen.targets) return;
  if (n <= largest_standard) {
    add(peer(solved, "serial", "std",
             pair_peer(n, [](keyed* x, index_t m) { std::stable_sort(x, x + m, is_below); })));
  }
#if PERF_HAS_GNU_PARALLEL
  add(peer(solved, "openmp", "gnu", pair_peer(n, [](keyed* x, index_t m) {
             __gnu_parallel::stable_sort(x, x + m, is_below);
           })));
#endif
}

/// A hand-written selection: each thread counts what it keeps, then copies it behind what preceding
/// threads keep.
template <class T, class Keep>
index_t select_by_hand(const T* x, T* out, index_t n, const Keep& keep) {
  const int threads = openmp().threads();
  std::vector<index_t> counts(static_cast<std::size_t>(threads) + 1);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; ++t) {
    index_t kept = 0;
    for (index_t i = n * t / threads; i < n * (t + 1) / threads; ++i) kept += keep(x, i) ? 1 : 0;
    counts[static_cast<std::size_t>(t) + 1] = kept;
  }
  for (std::size_t t = 0; t + 1 < counts.size(); ++t) counts[t + 1] += counts[t];
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; ++t) {
    index_t at = counts[static_cast<std::size_t>(t)];
    for (index_t i = n * t / threads; i < n * (t + 1) / threads; ++i) {
      if (keep(x, i)) out[at++] = x[i];
    }
  }
  return counts.back();
}

/// Makes a candidate of a peer's select(x, out, n), which returns the number of elements kept.
template <class T, class Values, class Select>
std::function<candidate()> select_peer(index_t n, const Values& values, const Select& select) {
  return [=] {
    auto data = std::make_shared<line_data<openmp, T>>(n, values);
    return resident(
        data->space,
        [=](std::int64_t round) {
          data->count.view()() =
              select(data->input(round).data_handle(), data->out.set(round).data_handle(), n);
        },
        [=] { return selected_outcome(*data); });
  };
}

void list_unique(lineup& add, const settings& chosen, index_t n) {
  using T = std::uint32_t;
  const problem solved = unique_problem(n);
  add_tandem(add, chosen, solved, [=](auto space) { return resident_unique<decltype(space)>(n); });
  if (!chosen.targets) return;
  const auto add_peer = [&](const char* backend, const char* implementation, auto select) {
    add(peer(solved, backend, implementation, select_peer<T>(n, coin_values{keys_seed}, select)));
  };
  add_peer("serial", "std", [](const T* x, T* out, index_t m) -> index_t {
    return std::unique_copy(x, x + m, out) - out;
  });
  add_peer("openmp", "raw", [](const T* x, T* out, index_t m) {
    return select_by_hand(x, out, m,
                          [](const T* y, index_t i) { return i == 0 || y[i] != y[i - 1]; });
  });
#if PERF_HAS_TBB
  add_peer("openmp", "tbb", [](const T* x, T* out, index_t m) -> index_t {
    return std::unique_copy(std::execution::par, x, x + m, out) - out;
  });
#endif
}

void list_copy_if(lineup& add, const settings& chosen, index_t n) {
  const problem solved = copy_if_problem(n);
  add_tandem(add, chosen, solved, [=](auto space) { return resident_copy_if<decltype(space)>(n); });
  if (!chosen.targets) return;
  const auto add_peer = [&](const char* backend, const char* implementation, auto select) {
    add(peer(solved, backend, implementation,
             select_peer<float>(n, uniform_values<float>{keys_seed}, select)));
  };
  add_peer("serial", "std", [](const float* x, float* out, index_t m) -> index_t {
    return std::copy_if(x, x + m, out, is_positive{}) - out;
  });
  add_peer("openmp", "raw", [](const float* x, float* out, index_t m) {
    return select_by_hand(x, out, m, [](const float* y, index_t i) { return is_positive{}(y[i]); });
  });
#if PERF_HAS_TBB
  add_peer("openmp", "tbb", [](const float* x, float* out, index_t m) -> index_t {
    return std::copy_if(std::execution::par, x, x + m, out, is_positive{}) - out;
  });
#endif
}

void list_cpu(const settings& chosen, lineup& add) {
  const auto sizes = chosen.targets ? powers_of_two({12, 16, 20, 24, 27}) : curve_sizes(chosen);
  for (const index_t n : sizes) {
    list_sort<std::uint32_t>(add, chosen, n);
    list_sort<float>(add, chosen, n);
    list_sort<std::uint64_t>(add, chosen, n);
    list_pairs(add, chosen, n);
    list_unique(add, chosen, n);
    list_copy_if(add, chosen, n);
  }
}

const registration cpu(list_cpu);

}  // namespace

// Problems read some bytes per element and write as many for the fraction that they keep.
template <class T>
problem sort_problem(index_t n) {
  return problem_of(
      "sort", "sort", type_name<T>(), n, 2 * sizeof(T),
      reference_of(n, [=](auto space) { return resident_sort<decltype(space), T>(n); }));
}

template problem sort_problem<std::uint32_t>(index_t n);
template problem sort_problem<float>(index_t n);
template problem sort_problem<std::uint64_t>(index_t n);

problem sort_by_key_problem(index_t n) {
  return problem_of("sort", "sort_by_key", "u32", n, 16, reference_of(n, [=](auto space) {
                      return resident_sort_by_key<decltype(space)>(n);
                    }));
}

problem unique_problem(index_t n) {
  return problem_of("sort", "unique", "u32", n, 6, reference_of(n, [=](auto space) {
                      return resident_unique<decltype(space)>(n);
                    }));
}

problem copy_if_problem(index_t n) {
  return problem_of("sort", "copy_if", "f32", n, 6, reference_of(n, [=](auto space) {
                      return resident_copy_if<decltype(space)>(n);
                    }));
}

}  // namespace perf
