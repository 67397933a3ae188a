// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/entry.hpp>
#include <perf/support/fingerprint.hpp>
#include <perf/support/rotating_array.hpp>

#include <memory>
#include <vector>

namespace perf {

/// A contender on data that lies in the space's own memory.
///
/// enqueue(round)  starts one run on `space`
/// result()        the outcome of the run on set 0
/// The space's clock counts: events on a device, the host's clock where the loop runs on the host.
template <class Space, class Enqueue, class Result>
contender resident(const std::shared_ptr<Space>& space, const Enqueue& enqueue,
                   const Result& result) {
  contender made;
  made.run = [=](std::int64_t round) {
    enqueue(round);
    space->fence();
  };
  made.check = [=] {
    enqueue(0);
    space->fence();
    return result();
  };
  if constexpr (!Space::memory_type::host_accessible) {
    made.device_seconds = [=](std::int64_t first, int rounds) {
      const auto start = space->record();
      for (int r = 0; r < rounds; ++r) enqueue(first + r);
      const auto stop = space->record();
      return elapsed_ms(start, stop) * 1e-3;
    };
  }
  return made;
}

/// A contender whose every run ends with its result on the host; the host's clock counts.
template <class Run, class Result>
contender on_host(const Run& run, const Result& result) {
  contender made;
  made.run = run;
  made.check = [=] {
    run(0);
    return result();
  };
  return made;
}

/// The hash of some elements on the host, and their sum.
template <class T>
outcome summary_of(const T* data, tandem::index_t n) {
  double total = 0;
  for (tandem::index_t i = 0; i < n; ++i) total += static_cast<double>(data[i]);
  return {fingerprint(data, static_cast<std::size_t>(n) * sizeof(T)), total};
}

/// A copy on the host of a space's contiguous elements.
template <class Space, class View>
std::vector<typename View::value_type> on_the_host(const Space& space, const View& x) {
  using T = typename View::value_type;
  std::vector<T> elements(static_cast<std::size_t>(x.size()));
  tandem::copy(space, x,
               tandem::view<T, View::rank(), tandem::layout_right, tandem::host_memory>(
                   elements.data(), x.extents()));
  space.fence();
  return elements;
}

/// Outcome of a result that is an array: all bits, and the sum of the elements.
template <class Space, class View>
outcome summary(const Space& space, const View& x) {
  const auto elements = on_the_host(space, x);
  return summary_of(elements.data(), x.size());
}

/// Outcome of a result that is one number.
template <class T>
outcome summary_of(T number) {
  return {fingerprint(&number, sizeof number), static_cast<double>(number)};
}

}  // namespace perf
