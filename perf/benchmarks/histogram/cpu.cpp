// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/histogram/bench.hpp>

#include <array>

namespace perf {

namespace {

/// The bin of a float as hand-written code finds it: off by one where the product rounds across an
/// edge.
struct usual_bin {
  const float* x;

  int operator()(tandem::index_t i) const {
    constexpr int bins = float_samples::usual_bins;
    constexpr float scale = bins / (float_samples::hi - float_samples::lo);
    if (!(x[i] >= float_samples::lo && x[i] <= float_samples::hi)) return -1;
    const int bin = static_cast<int>((x[i] - float_samples::lo) * scale);
    return bin < bins ? bin : bins - 1;
  }
};
struct own_bin {
  const std::int32_t* x;

  int operator()(tandem::index_t i) const { return x[i]; }
};

usual_bin bin_of(const float* x) { return {x}; }
own_bin bin_of(const std::int32_t* x) { return {x}; }

/// A hand-written histogram with private bins per thread, summed at the end, since shared atomics
/// are slower.
template <int Bins, class Bin>
void raw_privatised(const Bin bin, tandem::index_t n, std::int32_t* counts) {
  for (int b = 0; b < Bins; ++b) counts[b] = 0;
#pragma omp parallel
  {
    // The last one counts samples outside.
    std::array<std::int32_t, static_cast<std::size_t>(Bins) + 1> mine{};
#pragma omp for nowait
    for (tandem::index_t i = 0; i < n; ++i) {
      const int b = bin(i);
      ++mine[static_cast<std::size_t>(b < 0 ? Bins : b)];
    }
#pragma omp critical
    for (int b = 0; b < Bins; ++b) counts[b] += mine[static_cast<std::size_t>(b)];
  }
}

template <class Samples>
candidate raw_openmp(const Samples& samples) {
  auto data = std::make_shared<histogram_data<tandem::openmp, Samples>>(samples);
  return resident(
      data->space,
      [=](std::int64_t round) {
        raw_privatised<Samples::usual_bins>(bin_of(data->x.set(round).data_handle()), samples.n,
                                            data->counts.data_handle());
      },
      [=] { return histogram_result(*data->space, data->counts.view()); });
}

/// The tolerance allows for peers whose rounding moves a few samples in a million to a neighbouring
/// bin.
template <class Samples>
reference histogram_reference(const Samples& samples, bool for_targets) {
  const double tolerance = std::is_floating_point_v<typename Samples::value_type>
                               ? 1e-4 * static_cast<double>(samples.n)
                               : 0;
  if (for_targets)
    return {resident_histogram<tandem::openmp>(samples).check(), tolerance, "openmp"};
  return {resident_histogram<tandem::serial>(samples).check(), tolerance, "serial"};
}

template <class Samples>
void list_samples(const std::vector<Samples>& cases, std::vector<benchmark>& benchmarks) {
  for (const Samples& samples : cases) {
    const problem solved = histogram_problem(samples);
    benchmarks.push_back(tandem_on_cpu(
        solved, "serial", [=] { return resident_histogram<tandem::serial>(samples); }));
    benchmarks.push_back(tandem_on_cpu(
        solved, "openmp", [=] { return resident_histogram<tandem::openmp>(samples); }));
    benchmarks.push_back(peer(solved, "openmp", "raw", [=] { return raw_openmp(samples); }));
  }
}

void list_cpu(const settings& chosen, std::vector<benchmark>& benchmarks) {
  if (chosen.targets) return;
  list_samples(float_cases(chosen), benchmarks);
  list_samples(integer_cases(chosen), benchmarks);
}

const registration cpu(list_cpu);

const char* name_of(spread kind) {
  return kind == spread::uniform ? "uniform" : kind == spread::normal ? "normal" : "all_equal";
}

problem make_problem(const std::string& name, const char* type, tandem::index_t n, double bytes) {
  problem solved{"histogram", name, type, std::to_string(n)};
  solved.elements = static_cast<double>(n);
  solved.bytes = bytes * solved.elements;  // each input is read once
  return solved;
}

template <class Samples>
problem make_problem(const Samples& samples, const char* type, bool for_targets) {
  const std::string name = std::string(name_of(samples.kind)) + "_" + std::to_string(samples.bins);
  problem solved = make_problem(name, type, samples.n, sizeof(typename Samples::value_type));
  solved.expected = [=] { return histogram_reference(samples, for_targets); };
  return solved;
}

}  // namespace

std::vector<float_samples> float_cases(const settings& chosen) {
  std::vector<float_samples> cases{{1'000'000}};
  for (const tandem::index_t n : curve_sizes(chosen)) cases.push_back({n});
  return cases;
}

std::vector<integer_samples<std::int32_t>> integer_cases(const settings& chosen) {
  const tandem::index_t n = tandem::index_t{1} << (chosen.quick ? 20 : 25);
  std::vector<integer_samples<std::int32_t>> cases;
  for (const spread kind : spreads) cases.push_back({n, kind});
  for (const tandem::index_t size : curve_sizes(chosen)) {
    if (size != n) cases.push_back({size, spread::uniform});
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

problem edges_problem(tandem::index_t n, int bins) {
  problem solved = make_problem("edges_" + std::to_string(bins), "f32", n, sizeof(float));
  solved.expected = [=] {
    return reference{resident_edges<tandem::openmp>(n, bins).check(), 1e-4 * static_cast<double>(n),
                     "openmp"};
  };
  return solved;
}

problem weighted_problem(tandem::index_t n) {
  problem solved = make_problem("weighted_256", "f32", n, 2 * sizeof(float));
  solved.expected = [=] {
    return reference{resident_weighted<tandem::openmp>(n).check(), 0, "openmp"};
  };
  return solved;
}

}  // namespace perf
