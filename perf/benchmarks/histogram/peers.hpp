// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/benchmarks/histogram/bench.hpp>
#include <perf/support/host_peers.hpp>

#if PERF_HAS_TBB
#include <tbb/combinable.h>
#endif

/// Peers of the histogram on the CPU: private bins by hand and by TBB.
namespace perf {

using counts_line = std::vector<std::int32_t>;

/// The bin of a float as hand-written code finds it: off by one where the product rounds across an
/// edge. Samples outside fall into the bin after the last.
struct usual_bin {
  int bins;

  int operator()(float x) const {
    constexpr float lo = float_samples::lo;
    constexpr float hi = float_samples::hi;
    if (!(x >= lo && x <= hi)) return bins;
    const int bin = static_cast<int>((x - lo) * (static_cast<float>(bins) / (hi - lo)));
    return bin < bins ? bin : bins - 1;
  }
};
struct own_bin {
  int bins;

  template <class T>
  int operator()(T x) const {
    return static_cast<int>(x);
  }
};
inline auto bin_of(const float_samples& samples) { return usual_bin{samples.bins}; }
template <class T>
auto bin_of(const integer_samples<T>& samples) {
  return own_bin{samples.bins};
}

/// Spare bins per thread: one for samples outside, and a cache line between threads.
inline constexpr std::size_t spare_bins = 32;
inline std::size_t private_size(int bins) { return static_cast<std::size_t>(bins) + spare_bins; }

template <class Bin, class T>
void count_part(const Bin bin, const T* x, index_t begin, index_t end, std::int32_t* mine) {
  for (index_t i = begin; i < end; ++i) ++mine[bin(x[i])];
}

/// A hand-written histogram with private bins per thread, summed at the end.
template <class Bin, class T>
void raw_histogram(const Bin bin, const T* x, index_t n, std::int32_t* counts) {
  for (int b = 0; b < bin.bins; ++b) counts[b] = 0;
#pragma omp parallel
  {
    counts_line mine(private_size(bin.bins));
    std::int32_t* const words = mine.data();
#pragma omp for schedule(static) nowait
    for (index_t i = 0; i < n; ++i) ++words[bin(x[i])];
#pragma omp critical
    for (int b = 0; b < bin.bins; ++b) counts[b] += words[b];
  }
}

template <class Bin, class T>
void tbb_histogram([[maybe_unused]] const Bin bin, [[maybe_unused]] const T* x,
                   [[maybe_unused]] index_t n, [[maybe_unused]] std::int32_t* counts) {
#if PERF_HAS_TBB
  for (int b = 0; b < bin.bins; ++b) counts[b] = 0;
  tbb::combinable<counts_line> mine([=] { return counts_line(private_size(bin.bins)); });
  tbb_for(n,
          [&](index_t begin, index_t end) { count_part(bin, x, begin, end, mine.local().data()); });
  mine.combine_each([&](const counts_line& words) {
    for (int b = 0; b < bin.bins; ++b) counts[b] += words[static_cast<std::size_t>(b)];
  });
#endif
}

}  // namespace perf
