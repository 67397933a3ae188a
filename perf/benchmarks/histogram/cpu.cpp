// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/benchmarks/histogram/peers.hpp>

namespace perf {

namespace {

/// Makes a candidate of a peer's count_bins(bin, x, n, counts).
template <class Samples, class Count>
std::function<candidate()> peer_histogram(const Samples& samples, const Count& count_bins) {
  return [=] {
    auto data = std::make_shared<histogram_data<openmp, Samples>>(samples);
    return resident(
        data->space,
        [=](std::int64_t round) {
          count_bins(bin_of(samples), data->x.set(round).data_handle(), samples.n,
                     data->counts.data_handle());
        },
        [=] { return histogram_result(*data->space, data->counts.view()); });
  };
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

template <class Samples>
void list_samples(const std::vector<Samples>& cases, lineup& add) {
  for (const Samples& samples : cases) {
    const problem solved = histogram_problem(samples);
    add(tandem_on_cpu(solved, "serial", [=] { return resident_histogram<serial>(samples); }));
    add(tandem_on_cpu(solved, "openmp", [=] { return resident_histogram<openmp>(samples); }));
    const auto raw = [](auto... arguments) { raw_histogram(arguments...); };
    const auto tbb = [](auto... arguments) { tbb_histogram(arguments...); };
    add(peer(solved, "openmp", "raw", peer_histogram(samples, raw)));
    if (tbb_present) add(peer(solved, "openmp", "tbb", peer_histogram(samples, tbb)));
  }
}

void list_cpu(const settings& chosen, lineup& add) {
  if (chosen.targets) return;
  list_samples(float_cases(chosen), add);
  list_samples(integer_cases(chosen), add);
}

const registration cpu(list_cpu);

const char* name_of(spread kind) {
  return kind == spread::uniform ? "uniform" : kind == spread::normal ? "normal" : "all_equal";
}

problem make_problem(const std::string& name, const char* type, index_t n, double bytes) {
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
  problem solved = make_problem("edges_" + std::to_string(bins), "f32", n, sizeof(float));
  solved.expected = [=] {
    return reference{resident_edges<openmp>(n, bins).check(), 1e-4 * static_cast<double>(n),
                     "openmp"};
  };
  return solved;
}

problem weighted_problem(index_t n) {
  problem solved = make_problem("weighted_256", "f32", n, 2 * sizeof(float));
  solved.expected = [=] { return reference{resident_weighted<openmp>(n).check(), 0, "openmp"}; };
  return solved;
}

}  // namespace perf
