// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/run.hpp>
#include <tandem/core/contract/backend_concept.hpp>
#include <tandem/core/tools/timing/timing.hpp>
#include <tandem/default_space.hpp>

#include <type_traits>

namespace tandem {

namespace detail {

template <class Space, class Function>
void call_timed(const Space& space, const Function& f) {
  if constexpr (std::is_invocable_v<const Function&, const Space&>) {
    f(space);
  } else {
    f();
  }
}

/// Calls of f on a space, and what they take on the host and on the device.
template <class Space, class Function>
struct timed_function {
  const Space& space;
  const Function& f;

  static double run(const void* object, index_t calls, double& device_seconds) {
    const auto& [space, f] = *static_cast<const timed_function*>(object);
    const auto start = space.record();
    const double before = steady_seconds();
    for (index_t i = 0; i < calls; ++i) call_timed(space, f);
    const auto stop = space.record();
    space.fence();
    const double after = steady_seconds();
    device_seconds = elapsed_ms(start, stop) * 1e-3;
    return after - before;
  }
};

}  // namespace detail

/// Measures the duration of a call, including all work that it starts on `space`:
///
///   const auto t = tandem::timeit(space, [&] { tandem::sort(space, x); });
///   std::printf("%.1f us +- %.1f\n", t.seconds * 1e6, t.spread * 1e6);
///
/// options     {.seconds, .samples}: about how long all of it may take, and in how many
///             measurements
/// f           called without arguments or with the space; it enqueues on the space and may wait
/// Returns     the median of `samples` measurements after two calls that are not counted, their
///             spread, and the device's own time. Calls that are too short for the clock are
///             measured several at a time, so that later ones start while earlier ones run, as in a
///             loop
/// Errors      argument_error without samples or for negative seconds; what f throws
/// Complexity  2 calls of f, then options.samples times as many as take options.seconds /
///             options.samples, 1 to 10^7
/// Waits for the space.
template <execution_space Space, class Function>
timing timeit(const Space& space, const Function& f, const timeit_options& options = {}) {
  static_assert(
      std::is_invocable_v<const Function&> || std::is_invocable_v<const Function&, const Space&>,
      "tandem: timeit: f is called without arguments or with the space");
  using timed = detail::timed_function<Space, Function>;
  const timed calls{space, f};
  return detail::time_calls({&calls, &timed::run}, options, !Space::memory_type::host_accessible);
}

/// Calls timeit(space, f, options) on the default space.
template <class Function>
  requires(!execution_space<Function>)
timing timeit(const Function& f, const timeit_options& options = {}) {
  return timeit(detail::here(), f, options);
}

}  // namespace tandem
