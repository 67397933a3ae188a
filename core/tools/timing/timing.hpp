// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <optional>

namespace tandem {

/// The effort that timeit spends on a measurement.
struct timeit_options {
  double seconds = 0.2;  ///< approximate total of all samples
  int samples = 21;      ///< number of measurements; the result is their median
};

/// Time of one call, as timeit measured it.
struct timing {
  double seconds = 0;  ///< median of the samples: host time from the call to the end of its work
  double spread = 0;   ///< distance in seconds between the quarters of the samples
  /// Median device time between the beginning and the end of the work, from its events; empty for
  /// host spaces.
  std::optional<double> device_seconds = std::nullopt;
  int samples = 0;
  index_t calls = 0;  ///< calls whose mean is one sample
};

namespace detail {

/// Seconds of the machine's steady clock.
double steady_seconds();

/// The timed calls, type-erased.
struct timed_calls {
  const void* object;
  /// Returns the seconds of `calls` calls including the wait for their work, and the device's time
  /// for them if it measures one.
  double (*run)(const void* object, index_t calls, double& device_seconds);
};

/// Measures what timeit returns, including the device's time if requested.
/// Errors: argument_error without samples or for negative seconds; exceptions of the calls.
timing time_calls(const timed_calls& timed, const timeit_options& options, bool has_device_time);

}  // namespace detail

}  // namespace tandem
