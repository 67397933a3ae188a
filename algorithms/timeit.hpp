// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/backend_concept.hpp>
#include <tandem/core/errors.hpp>
#include <tandem/default_space.hpp>

#include <ctime>
#include <optional>
#include <type_traits>
#include <vector>

namespace tandem {

/// How long timeit measures.
struct timeit_options {
  double seconds = 0.2;  ///< of all samples together, about
  int samples = 21;      ///< measurements, of which the median is taken
};

/// Time of one call, as timeit found it.
struct timing {
  double seconds = 0;  ///< median of the samples: host time from the call to the end of its work
  double spread = 0;   ///< distance in seconds between the quarters of the samples
  /// Median time on the device between the beginning and the end of the work, by its own events;
  /// nothing on spaces of the host.
  std::optional<double> device_seconds = std::nullopt;
  int samples = 0;
  index_t calls = 0;  ///< that a sample is the mean of
};

namespace detail {

/// Seconds of the machine's steady clock; <chrono> would cost every user of a header 0.15 s.
inline double steady_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The value below which `share` of the ascending values lie, 0 <= share <= 1.
inline double quantile(const std::vector<double>& ascending, double share) {
  const double at = share * static_cast<double>(ascending.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = low + 1 < ascending.size() ? low + 1 : low;
  return ascending[low] + (at - static_cast<double>(low)) * (ascending[high] - ascending[low]);
}

/// Adds a value where it keeps the values ascending.
inline void insert_ascending(std::vector<double>& values, double value) {
  values.push_back(value);
  for (std::size_t i = values.size() - 1; i > 0 && values[i - 1] > value; --i) {
    values[i] = values[i - 1];
    values[i - 1] = value;
  }
}

template <class Space, class Function>
void call_timed(const Space& space, const Function& f) {
  if constexpr (std::is_invocable_v<const Function&, const Space&>) {
    f(space);
  } else {
    f();
  }
}

/// Seconds of `calls` calls and of the wait for their work; with the device's own time for them
/// where there is one.
template <class Space, class Function>
double time_calls(const Space& space, const Function& f, index_t calls, double& device_seconds) {
  const auto start = space.record();
  const double before = steady_seconds();
  for (index_t i = 0; i < calls; ++i) call_timed(space, f);
  const auto stop = space.record();
  space.fence();
  const double after = steady_seconds();
  device_seconds = elapsed_ms(start, stop) * 1e-3;
  return after - before;
}

}  // namespace detail

/// Measures how long a call takes with everything that it starts on `space`:
///
///   const auto t = tandem::timeit(space, [&] { tandem::sort(space, x); });
///   std::printf("%.1f us +- %.1f\n", t.seconds * 1e6, t.spread * 1e6);
///
/// f         called without arguments or with the space; it enqueues on the space and may wait
/// Returns   the median of `samples` measurements after one that is not counted, their spread, and
///           the device's own time. Calls that are too short for the clock are measured several at
///           a time, so that later ones start while earlier ones run, as in a loop
/// Errors    argument_error without samples or for negative seconds; what f throws
/// Waits for the space.
template <execution_space Space, class Function>
timing timeit(const Space& space, const Function& f, const timeit_options& options = {}) {
  static_assert(
      std::is_invocable_v<const Function&> || std::is_invocable_v<const Function&, const Space&>,
      "tandem: timeit: f is called without arguments or with the space");
  detail::require(options.samples > 0 && options.seconds >= 0, "timeit",
                  "samples must be positive and seconds not negative");
  double device = 0;
  detail::time_calls(space, f, 1, device);
  const double once = detail::time_calls(space, f, 1, device);
  constexpr double shortest = 1e-8;  // less than a call can take, so that the quotient is finite
  constexpr double most_calls = 1e7;
  const double sample = options.seconds / options.samples;
  const double wanted = sample / (once > shortest ? once : shortest);
  timing result;
  result.samples = options.samples;
  result.calls = static_cast<index_t>(wanted < 1 ? 1 : wanted < most_calls ? wanted : most_calls);
  const auto calls = static_cast<double>(result.calls);
  std::vector<double> host_times;
  std::vector<double> device_times;
  for (int i = 0; i < options.samples; ++i) {
    const double seconds = detail::time_calls(space, f, result.calls, device);
    detail::insert_ascending(host_times, seconds / calls);
    detail::insert_ascending(device_times, device / calls);
  }
  result.seconds = detail::quantile(host_times, 0.5);
  result.spread = detail::quantile(host_times, 0.75) - detail::quantile(host_times, 0.25);
  if constexpr (!Space::memory_type::host_accessible)
    result.device_seconds = detail::quantile(device_times, 0.5);
  return result;
}

/// Calls timeit(space, f, options) on the default space.
template <class Function>
  requires(!execution_space<Function>)
timing timeit(const Function& f, const timeit_options& options = {}) {
  return timeit(default_instance<default_space>(), f, options);
}

}  // namespace tandem
