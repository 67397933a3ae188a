// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms on the CPU: tandem against private bins by hand and by TBB.
#include <perf/benchmarks/histogram/bench.hpp>
#include <perf/support/host_peers.hpp>

#if PERF_HAS_TBB
#include <tbb/combinable.h>
#endif

namespace perf {

namespace {

using counts_line = std::vector<std::int32_t>;

/// The bin of a float as hand-written code finds it: off by one if the product rounds across an
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
auto bin_of(const float_samples& samples) { return usual_bin{samples.bins}; }
template <class T>
auto bin_of(const integer_samples<T>& samples) {
  return own_bin{samples.bins};
}

/// Spare bins per thread: one for samples outside, and a cache line between threads.
constexpr std::size_t spare_bins = 32;
std::size_t private_size(int bins) { return static_cast<std::size_t>(bins) + spare_bins; }

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

/// A hand-written histogram that cycles through four copies of the bins, since increments of one
/// address wait for each other.
template <class Bin, class T>
void interleaved_histogram(const Bin bin, const T* x, index_t n, std::int32_t* counts) {
  for (int b = 0; b < bin.bins; ++b) counts[b] = 0;
#pragma omp parallel
  {
    const std::size_t size = private_size(bin.bins);
    counts_line mine(4 * size);
    std::int32_t* const words[] = {mine.data(), mine.data() + size, mine.data() + 2 * size,
                                   mine.data() + 3 * size};
#pragma omp for schedule(static) nowait
    for (index_t quad = 0; quad < n / 4; ++quad) {
      for (int k = 0; k < 4; ++k) ++words[k][bin(x[4 * quad + k])];
    }
#pragma omp critical
    for (const std::int32_t* copy : words)
      for (int b = 0; b < bin.bins; ++b) counts[b] += copy[b];
  }
  std::int32_t none = 0;
  for (index_t i = n - n % 4; i < n; ++i) {
    const int b = bin(x[i]);
    ++(b < bin.bins ? counts[b] : none);
  }
}

/// The tolerance allows for peers whose rounding moves a few samples in a million to a neighbouring
/// bin.
template <class Samples>
reference histogram_reference(const Samples& samples, bool for_targets) {
  const double tolerance = std::is_floating_point_v<typename Samples::value_type>
                               ? 1e-4 * static_cast<double>(samples.n)
                               : 0;
  if (for_targets) return {resident_histogram<openmp>(samples).check(), tolerance, "openmp"};
  return {resident_histogram<serial>(samples).check(), tolerance, "serial"};
}

/// Adds tandem and its peers on data that they share.
template <class Samples>
void list_samples(lineup& add, const settings& chosen, const Samples& samples) {
  using data_type = histogram_data<openmp, Samples>;
  const problem solved = histogram_problem(samples, chosen.targets);
  const auto shared = std::make_shared<shared_while_used<data_type, Samples>>(samples);
  const auto by = [=](auto count_bins) {
    return [=] {
      return on_histogram_data(shared->get(), [=](data_type& data, index_t round) {
        count_bins(bin_of(samples), data.x.set(round).data_handle(), samples.n,
                   data.counts.data_handle());
      });
    };
  };
  const auto raw = [](auto... arguments) { raw_histogram(arguments...); };
  const auto interleaved = [](auto... arguments) { interleaved_histogram(arguments...); };
  const auto tbb = [](auto... arguments) { tbb_histogram(arguments...); };
  if (!chosen.targets)
    add(tandem_on_cpu(solved, "serial", [=] { return resident_histogram<serial>(samples); }));
  add(tandem_on_cpu(solved, "openmp", [=] {
    return on_histogram_data(shared->get(), count_by_tandem<Samples>{samples});
  }));
  add(peer(solved, "openmp", "raw", by(raw)));
  if (chosen.targets) add(peer(solved, "openmp", "interleaved", by(interleaved)));
  if (tbb_present) add(peer(solved, "openmp", "tbb", by(tbb)));
}

void list_cpu(const settings& chosen, lineup& add) {
  if (!chosen.targets) {
    for (const auto& samples : float_cases(chosen)) list_samples(add, chosen, samples);
    for (const auto& samples : integer_cases(chosen)) list_samples(add, chosen, samples);
    return;
  }
  for (const spread kind : spreads) {
    list_samples(add, chosen, float_samples{index_t{1} << 26, kind});
    list_samples(add, chosen, float_samples{index_t{1} << 26, kind, 65536});
    for (const int bins : {256, 4096, 65536})
      list_samples(add, chosen, integer_samples<std::int32_t>{index_t{1} << 25, kind, bins});
    list_samples(add, chosen, integer_samples<std::uint8_t>{index_t{1} << 25, kind});
  }
}

const registration cpu(list_cpu);

const char* name_of(spread kind) {
  return kind == spread::uniform ? "uniform" : kind == spread::normal ? "normal" : "all_equal";
}

template <class Samples>
problem make_problem(const Samples& samples, const char* type, bool for_targets) {
  const std::string name = std::string(name_of(samples.kind)) + "_" + std::to_string(samples.bins);
  // Each input is read once.
  return problem_of("histogram", name, type, samples.n, sizeof(typename Samples::value_type),
                    [=] { return histogram_reference(samples, for_targets); });
}

}  // namespace

std::vector<float_samples> float_cases(const settings& chosen) {
  std::vector<float_samples> cases{{1'000'000}};
  for (const index_t n : curve_sizes(chosen)) cases.push_back({n});
  return cases;
}

std::vector<integer_samples<std::int32_t>> integer_cases(const settings& chosen) {
  const index_t n = index_t{1} << (chosen.quick ? 20 : 25);
  std::vector<integer_samples<std::int32_t>> cases;
  for (const spread kind : spreads) {
    cases.push_back({n, kind});
    for (const index_t size : curve_sizes(chosen)) {
      if (size < n || (size > n && kind == spread::uniform)) cases.push_back({size, kind});
    }
  }
  return cases;
}

problem histogram_problem(const float_samples& samples, bool for_targets) {
  return make_problem(samples, "f32", for_targets);
}
problem histogram_problem(const integer_samples<std::int32_t>& samples, bool for_targets) {
  return make_problem(samples, "i32", for_targets);
}
problem histogram_problem(const integer_samples<std::uint8_t>& samples, bool for_targets) {
  return make_problem(samples, "u8", for_targets);
}

problem edges_problem(index_t n, int bins) {
  const std::string name = "edges_" + std::to_string(bins);
  return problem_of("histogram", name, "f32", n, sizeof(float), [=] {
    return reference{resident_edges<openmp>(n, bins).check(), 1e-4 * static_cast<double>(n),
                     "openmp"};
  });
}

problem weighted_problem(index_t n) {
  return problem_of("histogram", "weighted_256", "f32", n, 2 * sizeof(float), [=] {
    return reference{resident_weighted<openmp>(n).check(), 0, "openmp"};
  });
}

}  // namespace perf
