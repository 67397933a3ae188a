// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/loop/adaptive_fork.hpp>
#include <tandem/backends/openmp/loop/policy.hpp>
#include <tandem/backends/openmp/threads/policy.hpp>

namespace tandem::openmp_impl {

/// Runs body(begin, end) over [0, head) in growing pieces, unless n indices of the cost of the last
/// piece would be done sooner by `threads` threads. Returns how far it came.
template <class Body>
index_t run_serial_head(index_t head, index_t n, int threads, const Body& body) {
  constexpr index_t growth = 16;
  const double fork = fork_seconds_per_thread * threads;
  const double worth_sharing = seconds_worth_sharing(threads);
  const stopwatch watch;
  double looked = 0;
  index_t done = 0;
  for (index_t piece = 1;; piece *= growth) {
    if (piece > head - done) piece = head - done;
    body(done, done + piece);
    done += piece;
    if (done == head) return head;
    const double taken = watch.seconds();
    const double left =
        (taken - looked) / static_cast<double>(piece) * static_cast<double>(n - done);
    if (left <= worth_sharing) break;
    if (taken > fork || (done >= cold_indices && left > 2 * worth_sharing)) return done;
    looked = taken;
  }
  body(done, head);
  return head;
}

}  // namespace tandem::openmp_impl
