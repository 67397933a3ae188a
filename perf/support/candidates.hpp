// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/benchmark.hpp>
#include <perf/support/fingerprint.hpp>
#include <perf/support/rotating_array.hpp>

#include <cmath>
#include <memory>
#include <vector>

namespace perf {

/// Makes a candidate on data in the space's own memory, timed by the space's clock: events on a
/// device, the host's clock on the host.
///
/// @param enqueue  enqueue(round) starts one run on `space`
/// @param result   result() returns the outcome of the run on set 0
template <class Space, class Enqueue, class Result>
candidate resident(const std::shared_ptr<Space>& space, const Enqueue& enqueue,
                   const Result& result) {
  candidate made;
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

/// Makes a candidate each of whose runs ends with its result on the host, timed by the host's
/// clock.
template <class Run, class Result>
candidate on_host(const Run& run, const Result& result) {
  candidate made;
  made.run = run;
  made.check = [=] {
    run(0);
    return result();
  };
  return made;
}

/// Outcome of n elements on the host: their hash and their sum.
template <class T>
outcome summary_of(const T* data, index_t n) {
  double total = 0;
  for (index_t i = 0; i < n; ++i) total += static_cast<double>(data[i]);
  return {fingerprint(data, static_cast<std::size_t>(n) * sizeof(T)), total};
}

/// Copies a space's contiguous elements to the host.
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

/// Outcome of an array in a space's memory: the hash of all bits, and the sum of the elements.
template <class Space, class View>
outcome summary(const Space& space, const View& x) {
  const auto elements = on_the_host(space, x);
  return summary_of(elements.data(), x.size());
}

/// The outcome of a result whose bits may differ: a weighted sum of magnitudes, which swapped
/// neighbours and wrong values change.
template <class Space, class View>
outcome weighted_summary(const Space& space, const View& x) {
  const auto elements = on_the_host(space, x);
  double total = 0;
  int weight = 1;
  for (const auto value : elements) {
    total += weight * std::abs(static_cast<double>(value));
    weight = weight % 61 + 1;
  }
  return {fingerprint(elements.data(), elements.size() * sizeof(elements[0])), total};
}

/// Outcome of a result of one number.
template <class T>
outcome summary_of(T number) {
  return {fingerprint(&number, sizeof number), static_cast<double>(number)};
}

/// Data that candidates share: constructed from `of` for the first user, destroyed with the last.
template <class Data, class Of>
class shared_while_used {
 public:
  explicit shared_while_used(const Of& of) : of_(of) {}

  std::shared_ptr<Data> get() {
    std::shared_ptr<Data> data = held_.lock();
    if (!data) held_ = data = std::make_shared<Data>(of_);
    return data;
  }

 private:
  Of of_;
  std::weak_ptr<Data> held_;
};

}  // namespace perf
