// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

#include <vector>

namespace perf {

/// One shared counter to which each of n threads adds one: the worst case of an atomic, since all
/// threads contend for one address.
problem counter_problem(index_t n);

/// Numbers of threads, up to those that take a CPU a tenth of a second.
std::vector<index_t> counter_threads(const settings& chosen);

template <class Space, class Counter>
void count_threads(const Space& space, index_t n, const Counter& counter) {
  tandem::fill(space, counter, std::int32_t{0});
  tandem::parallel_for(
      space, static_cast<int>(n), TANDEM_LAMBDA(int) { tandem::atomic_add(counter(), 1); });
}

/// Makes a candidate whose counter stays in the space's memory.
template <class Space>
candidate resident_counter(index_t n) {
  auto space = std::make_shared<Space>();
  auto counter = std::make_shared<array<std::int32_t, 0, Space>>(extents<0>(), *space);
  return resident(
      space, [=](std::int64_t) { count_threads(*space, n, counter->view()); },
      [=] { return summary(*space, counter->view()); });
}

}  // namespace perf
