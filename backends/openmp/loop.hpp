// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/fork.hpp>
#include <tandem/backends/openmp/policy.hpp>
#include <tandem/backends/openmp/space.hpp>

namespace tandem::openmp_impl {

/// Runs body(begin, end) over [0, n) in growing pieces until it is done or would be done sooner by
/// several threads.
/// Returns how far it came.
template <class Body>
index_t run_alone(index_t n, index_t piece, const Body& body) {
  const double start = omp_get_wtime();
  index_t done = 0;
  for (; done < n; piece *= probe_growth) {
    const index_t end = piece < n - done ? done + piece : n;
    body(done, end);
    done = end;
    if (done == n) break;
    const double taken = omp_get_wtime() - start;
    const double left = taken / static_cast<double>(done) * static_cast<double>(n - done);
    if (taken > fork_seconds && left > fork_seconds) break;
  }
  return done;
}

/// Runs body(begin, end) over disjoint pieces of [0, n) on the space's threads, if `is_probed` only
/// where that is seen to pay. Body copies what its loop needs into local variables: the object
/// itself is shared.
template <class Body>
void run_shared(const openmp& space, index_t n, bool is_probed, const Body& body) {
  const int threads = space.threads();
  index_t done = 0;
  if (threads == 1 || is_probed) done = run_alone(n, threads == 1 ? n : 1, body);
  if (done == n) return;
  fork(threads, [&](int part, int parts) {
    const share mine = share_of(n - done, part, parts);
    if (mine.begin < mine.end) body(done + mine.begin, done + mine.end);
  });
}

}  // namespace tandem::openmp_impl
