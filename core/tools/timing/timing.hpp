// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <optional>

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

/// Seconds of the machine's steady clock.
double steady_seconds();

/// What is timed, without its type.
struct timed_calls {
  const void* object;
  /// Seconds of `calls` calls and of the wait for their work; with the device's own time for them
  /// where there is one.
  double (*run)(const void* object, index_t calls, double& device_seconds);
};

/// What timeit returns, with the device's time where it is asked for.
/// Errors: argument_error without samples or for negative seconds; what the calls throw.
timing time_calls(const timed_calls& timed, const timeit_options& options, bool has_device_time);

}  // namespace detail

}  // namespace tandem
