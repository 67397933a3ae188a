// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

#include <cstdint>
#include <type_traits>

namespace perf {

/// Floats around [-4, 4]: nearly normal with tails beyond, uniform, or all equal.
struct float_values {
  std::uint64_t seed;
  spread kind;

  TANDEM_FUNCTION float operator()(index_t i) const {
    if (kind == spread::normal) return normal_values{seed}(i);
    return kind == spread::uniform ? 4 * uniform_values<float>{seed}(i) : 0.7f;
  }
};

/// bin_values converted to T.
template <class T>
struct narrow_bin_values {
  bin_values values;

  TANDEM_FUNCTION T operator()(index_t i) const { return static_cast<T>(values(i)); }
};

/// A histogram of floats in equal bins over [-4, 4]; tails beyond are not counted.
struct float_samples {
  using value_type = float;
  static constexpr int usual_bins = 150;
  static constexpr float lo = -4.0f;
  static constexpr float hi = 4.0f;

  index_t n;
  spread kind = spread::normal;
  int bins = usual_bins;

  float_values values() const { return {5, kind}; }
};

/// A histogram of integers of [0, bins), one bin per value.
template <class T>
struct integer_samples {
  using value_type = T;
  static constexpr int usual_bins = 256;

  index_t n;
  spread kind;
  int bins = usual_bins;

  narrow_bin_values<T> values() const { return {{6, bins, kind}}; }
};

inline constexpr spread spreads[] = {spread::uniform, spread::normal, spread::all_equal};

std::vector<float_samples> float_cases(const settings& chosen);
std::vector<integer_samples<std::int32_t>> integer_cases(const settings& chosen);

/// The problem of counting samples. The serial backend computes the reference, or OpenMP for the
/// tables of targets, which have many.
problem histogram_problem(const float_samples& samples, bool for_targets = false);
problem histogram_problem(const integer_samples<std::int32_t>& samples, bool for_targets = false);
problem histogram_problem(const integer_samples<std::uint8_t>& samples, bool for_targets = false);

/// Uniform floats in bins between uneven explicit edges.
problem edges_problem(index_t n, int bins);
/// Sums of weights in 256 equal bins of uniform floats.
problem weighted_problem(index_t n);

/// tandem's histogram of samples.
template <class Samples>
struct count_by_tandem {
  Samples samples;

  template <class Data>
  void operator()(Data& data, index_t round) const {
    const typename Data::input x = data.x.set(round);
    count(*data.space, x, data.counts.view());
  }
  template <class Space, class View, class Counts>
  void count(const Space& space, const View& x, const Counts& counts) const {
    if constexpr (std::is_same_v<Samples, float_samples>) {
      tandem::histogram(space, x, {.lo = samples.lo, .hi = samples.hi}, counts);
    } else {
      tandem::histogram(space, x, counts);
    }
  }
};

/// The data of a candidate.
template <class Space, class Samples>
struct histogram_data {
  using T = typename Samples::value_type;
  using input = tandem::view<const T, 1, tandem::layout_right, typename Space::memory_type>;

  explicit histogram_data(const Samples& samples)
      : x(*space, samples.n), counts(extents<1>(samples.bins), *space) {
    x.fill(*space, samples.values());
  }

  std::shared_ptr<Space> space = std::make_shared<Space>();
  rotating_array<T, Space> x;
  array<std::int32_t, 1, Space> counts;
};

/// Outcome of counts. Its number weights counts by their bins, since the plain sum is always n.
inline outcome histogram_outcome(const std::int32_t* counts, index_t bins) {
  double moment = 0;
  for (index_t b = 0; b < bins; ++b) moment += static_cast<double>(b + 1) * counts[b];
  return {fingerprint(counts, static_cast<std::size_t>(bins) * sizeof(counts[0])), moment};
}

/// Outcome of counts in a space's memory, copied to the host.
template <class Space, class View>
outcome histogram_result(const Space& space, const View& counts) {
  const auto bins = on_the_host(space, counts);
  return histogram_outcome(bins.data(), counts.size());
}

/// Makes a candidate that calls count(data, round).
template <class Data, class Count>
candidate on_histogram_data(const std::shared_ptr<Data>& data, const Count& count) {
  return resident(
      data->space, [=](std::int64_t round) { count(*data, round); },
      [=] { return histogram_result(*data->space, data->counts.view()); });
}

template <class Space, class Samples>
candidate resident_histogram(const Samples& samples) {
  return on_histogram_data(std::make_shared<histogram_data<Space, Samples>>(samples),
                           count_by_tandem<Samples>{samples});
}

/// Edge i of uneven bins over [-4, 4].
inline float uneven_edge(int i, int bins) {
  const double part = static_cast<double>(i) / bins;
  return static_cast<float>(-4 + 8 * (0.75 * part + 0.25 * part * part));
}

/// Samples and their edges.
template <class Space>
struct edges_data : histogram_data<Space, float_samples> {
  edges_data(index_t n, int bins)
      : histogram_data<Space, float_samples>({n, spread::uniform, bins}),
        edges(extents<1>(bins + 1), *this->space) {
    std::vector<float> values;
    for (int i = 0; i <= bins; ++i) values.push_back(uneven_edge(i, bins));
    tandem::copy(*this->space, values, edges);
    this->space->fence();
  }

  array<float, 1, Space> edges;
};

template <class Space>
candidate resident_edges(index_t n, int bins) {
  using data_type = edges_data<Space>;
  return on_histogram_data(
      std::make_shared<data_type>(n, bins), [](data_type& data, index_t round) {
        const typename data_type::input x = data.x.set(round);
        tandem::histogram(*data.space, x, data.edges.const_view(), data.counts.view());
      });
}

template <class Space>
candidate resident_weighted(index_t n) {
  constexpr int bins = 256;
  using input = tandem::view<const float, 1, tandem::layout_right, typename Space::memory_type>;
  auto space = std::make_shared<Space>();
  auto x = std::make_shared<rotating_array<float, Space>>(*space, n, 2);
  auto weights = std::make_shared<rotating_array<float, Space>>(*space, n, 2);
  auto sums = std::make_shared<array<float, 1, Space>>(extents<1>(bins), *space);
  x->fill(*space, float_samples{n, spread::uniform, bins}.values());
  weights->fill(*space, normal_values{7});
  return resident(
      space,
      [=](std::int64_t round) {
        const input values = x->set(round);
        const input w = weights->set(round);
        tandem::histogram(*space, values, {.lo = float_samples::lo, .hi = float_samples::hi}, w,
                          sums->view());
      },
      [=] { return summary(*space, sums->view()); });
}

}  // namespace perf
