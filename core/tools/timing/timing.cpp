// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/timing/timing.hpp>

#include <algorithm>
#include <ctime>
#include <vector>

#include <tandem/core/errors.hpp>

namespace tandem::detail {

namespace {

/// Returns the value below which `share` of the values are, 0 <= share <= 1.
double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
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
  constexpr double shortest = 1e-8;  // shorter than any call, so that the quotient is finite
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
    host_times.push_back(seconds / calls);
    device_times.push_back(device / calls);
  }
  result.seconds = quantile(host_times, 0.5);
  result.spread = quantile(host_times, 0.75) - quantile(host_times, 0.25);
  if (has_device_time) result.device_seconds = quantile(device_times, 0.5);
  return result;
}

}  // namespace tandem::detail
