// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/loop.hpp>
#include <tandem/backends/openmp/workspace.hpp>

namespace tandem::openmp_impl {

/// What is left of a thread's share. A cache line of its own, since its thread writes it once a
/// piece.
struct alignas(64) claim {
  index_t next;
  index_t end;
};

/// Runs body(i) for 0 <= i < n on the space's threads. Each works through its own contiguous share,
/// as a parallel loop would have it, and then helps the others, so that a thread that the system
/// holds up does not hold up all.
template <class Body>
void run_balanced(const openmp& space, index_t n, const Body& body) {
  const int threads = space.threads();
  const workspace<claim> claims(threads);
  for (int t = 0; t < threads; ++t) {
    const share mine = share_of(n, t, threads);
    claims[t] = {mine.begin, mine.end};
  }
  fork(threads, [&](int part, int) {
    for (int k = 0; k < threads; ++k) {
      claim& from = claims[part + k < threads ? part + k : part + k - threads];
      for (;;) {
        const index_t i = __atomic_fetch_add(&from.next, 1, __ATOMIC_RELAXED);
        if (i >= from.end) break;
        body(i);
      }
    }
  });
}

/// Runs body(begin, end) over [0, head) in growing pieces, unless n indices of the cost of the last
/// piece would be done sooner by `threads` threads. Returns how far it came.
template <class Body>
index_t run_probed(index_t head, index_t n, int threads, const Body& body) {
  constexpr index_t growth = 16;
  const double fork = fork_seconds_per_thread * threads;
  const double worth_sharing = fork * threads / (threads - 1);
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
