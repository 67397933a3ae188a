// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/contenders.hpp>

#include <cstdint>

namespace perf {

/// Nearly normal floats in 150 bins over [-4, 4]. The tails beyond are not counted.
struct float_samples {
  using value_type = float;
  static constexpr int bins = 150;
  static constexpr float lo = -4.0f;
  static constexpr float hi = 4.0f;

  tandem::index_t n;

  normal_values values() const { return {5}; }
};

/// Integers of [0, 256), each in a bin of its own.
struct integer_samples {
  using value_type = std::int32_t;
  static constexpr int bins = 256;

  tandem::index_t n;
  spread kind;

  bin_values values() const { return {6, bins, kind}; }
};

std::vector<float_samples> float_cases(const settings& chosen);
std::vector<integer_samples> integer_cases(const settings& chosen);

problem histogram_problem(const float_samples& samples);
problem histogram_problem(const integer_samples& samples);

template <class Space, class View, class Counts>
void count(const Space& space, const float_samples&, const View& x, const Counts& counts) {
  tandem::histogram(space, x, {.lo = float_samples::lo, .hi = float_samples::hi}, counts);
}
template <class Space, class View, class Counts>
void count(const Space& space, const integer_samples&, const View& x, const Counts& counts) {
  tandem::histogram(space, x, counts);
}

/// What a contender of this file works on.
template <class Space, class Samples>
struct histogram_data {
  using T = typename Samples::value_type;
  using input = tandem::view<const T, 1, tandem::layout_right, typename Space::memory_type>;

  explicit histogram_data(const Samples& samples)
      : x(*space, samples.n), counts(tandem::extents<1>(Samples::bins), *space) {
    x.fill(*space, samples.values());
  }

  std::shared_ptr<Space> space = std::make_shared<Space>();
  rotating_array<T, Space> x;
  tandem::array<std::int32_t, 1, Space> counts;
};

/// Counts alone would all agree with each other's sum; weighted by their bins they tell where
/// samples went.
inline outcome histogram_outcome(const std::int32_t* counts, tandem::index_t bins) {
  double moment = 0;
  for (tandem::index_t b = 0; b < bins; ++b) moment += static_cast<double>(b + 1) * counts[b];
  return {fingerprint(counts, static_cast<std::size_t>(bins) * sizeof(counts[0])), moment};
}

/// Outcome of counts in a space's memory.
template <class Space, class View>
outcome histogram_result(const Space& space, const View& counts) {
  const auto bins = on_the_host(space, counts);
  return histogram_outcome(bins.data(), counts.size());
}

/// Data where the space works.
template <class Space, class Samples>
contender resident_histogram(const Samples& samples) {
  auto data = std::make_shared<histogram_data<Space, Samples>>(samples);
  return resident(
      data->space,
      [=](std::int64_t round) {
        const typename histogram_data<Space, Samples>::input x = data->x.set(round);
        count(*data->space, samples, x, data->counts.view());
      },
      [=] { return histogram_result(*data->space, data->counts.view()); });
}

}  // namespace perf
