// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/support/timeit.hpp>
#include <tandem/distributed/group/group.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace tandem {

/// Returns the milliseconds between two events on the member that took longest.
///
/// @param start, stop  events of one group, in this order; the call waits for `stop`
/// Errors              those of elapsed_ms of the members' events
/// Complexity          asks each member's device once
template <class Space>
double elapsed_ms(const group_event<Space>& start, const group_event<Space>& stop) {
  double longest = 0;
  for (std::size_t p = 0; p < start.of_members().size(); ++p)
    longest = std::max(longest, elapsed_ms(start.of_members()[p], stop.of_members()[p]));
  return longest;
}

/// Measures the duration of a call, including all work that it starts on the members:
///
///   const auto t = tandem::timeit(gpus, [&] { tandem::parallel_for(gpus, n, f, x); });
///
/// @param f        called without arguments or with the group
/// @param options  as for timeit on one space
/// Returns         as on one space; the devices' own time is that of the member that took longest
/// Errors          those of timeit on one space
/// Complexity      that of timeit on one space
/// Waits for the members.
template <class Space, class Function>
timing timeit(const group<Space>& members, const Function& f, const timeit_options& options = {}) {
  static_assert(std::is_invocable_v<const Function&> ||
                    std::is_invocable_v<const Function&, const group<Space>&>,
                "tandem: timeit: f is called without arguments or with the group");
  using timed = detail::timed_function<group<Space>, Function>;
  const timed calls{members, f};
  return detail::time_calls({&calls, &timed::run}, options, !Space::memory_type::host_accessible);
}

}  // namespace tandem
