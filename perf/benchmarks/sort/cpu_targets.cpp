// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU's targets for sorts and selections: tandem against libraries and hand-written loops.
#include <perf/benchmarks/sort/peers.hpp>

#if PERF_HAS_TBB
#include <execution>
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

template <class T>
void list_keys(index_t n, lineup& add) {
  const problem solved = sort_problem<T>(n);
  add(tandem_on_cpu(solved, "openmp", key_peer<T>(n, [](T* x, index_t m) {
                      tandem::sort(openmp(), line_of(x, m));
                    })));
  const auto add_peer = [&](const char* backend, const char* implementation, auto sort) {
    add(peer(solved, backend, implementation, key_peer<T>(n, sort)));
  };
  if (n <= index_t{1} << 20)
    add_peer("serial", "std", [](T* x, index_t m) { std::sort(x, x + m); });
  list_key_peers<T>(solved, n, add);
#if PERF_HAS_HIGHWAY
  add_peer("openmp", "hwy", [](T* x, index_t m) {
    hwy::Sorter()(x, static_cast<std::size_t>(m), hwy::SortAscending());
  });
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

void list_pairs(index_t n, lineup& add) {
  const problem solved = sort_by_key_problem(n);
  add(tandem_on_cpu(solved, "openmp", [=] { return resident_sort_by_key<openmp>(n); }));
  if (n <= index_t{1} << 20) {
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

void list_unique(index_t n, lineup& add) {
  using T = std::uint32_t;
  const problem solved = unique_problem(n);
  const auto add_peer = [&](const char* backend, const char* implementation, auto select) {
    add(peer(solved, backend, implementation, select_peer<T>(n, coin_values{keys_seed}, select)));
  };
  add(tandem_on_cpu(solved, "openmp", [=] { return resident_unique<openmp>(n); }));
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

void list_copy_if(index_t n, lineup& add) {
  const problem solved = copy_if_problem(n);
  const auto add_peer = [&](const char* backend, const char* implementation, auto select) {
    add(peer(solved, backend, implementation,
             select_peer<float>(n, uniform_values<float>{keys_seed}, select)));
  };
  add(tandem_on_cpu(solved, "openmp", [=] { return resident_copy_if<openmp>(n); }));
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

void list_host(const settings& chosen, lineup& add) {
  if (!chosen.targets) return;
  for (const int exponent : {12, 16, 20, 24, 27}) {
    const index_t n = index_t{1} << exponent;
    list_keys<std::uint32_t>(n, add);
    list_keys<float>(n, add);
    list_keys<std::uint64_t>(n, add);
    list_pairs(n, add);
    list_unique(n, add);
    list_copy_if(n, add);
  }
}

const registration host(list_host);

}  // namespace

}  // namespace perf
