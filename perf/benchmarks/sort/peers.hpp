// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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
#include <tbb/parallel_sort.h>
#endif

/// Peers of the sort on the CPU that run on all threads: GNU's parallel mode and TBB.
namespace perf {

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

/// Adds the peers that sort n keys of T on all threads.
template <class T>
void list_key_peers(const problem& solved, index_t n, lineup& add) {
#if PERF_HAS_GNU_PARALLEL
  add(peer(solved, "openmp", "gnu",
           key_peer<T>(n, [](T* x, index_t m) { __gnu_parallel::sort(x, x + m); })));
#endif
#if PERF_HAS_TBB
  add(peer(solved, "openmp", "tbb",
           key_peer<T>(n, [](T* x, index_t m) { tbb::parallel_sort(x, x + m); })));
#endif
}

}  // namespace perf
