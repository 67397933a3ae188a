// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/timing.hpp>

#include <ctime>
#include <vector>

#include <tandem/core/errors.hpp>

namespace tandem::detail {

namespace {

/// The value below which `share` of the ascending values lie, 0 <= share <= 1.
double quantile(const std::vector<double>& ascending, double share) {
  const double at = share * static_cast<double>(ascending.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = low + 1 < ascending.size() ? low + 1 : low;
  return ascending[low] + (at - static_cast<double>(low)) * (ascending[high] - ascending[low]);
}

/// Adds a value where it keeps the values ascending.
void insert_ascending(std::vector<double>& values, double value) {
  values.push_back(value);
  for (std::size_t i = values.size() - 1; i > 0 && values[i - 1] > value; --i) {
    values[i] = values[i - 1];
    values[i - 1] = value;
  }
}

}  // namespace

double steady_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

timing time_calls(const timed_calls& timed, const timeit_options& options, bool has_device_time) {
  require(options.samples > 0 && options.seconds >= 0, "timeit",
          "samples must be positive and seconds not negative");
  double device = 0;
  timed.run(timed.object, 1, device);
  const double once = timed.run(timed.object, 1, device);
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
    const double seconds = timed.run(timed.object, result.calls, device);
    insert_ascending(host_times, seconds / calls);
    insert_ascending(device_times, device / calls);
  }
  result.seconds = quantile(host_times, 0.5);
  result.spread = quantile(host_times, 0.75) - quantile(host_times, 0.25);
  if (has_device_time) result.device_seconds = quantile(device_times, 0.5);
  return result;
}

}  // namespace tandem::detail
