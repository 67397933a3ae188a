// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/stopwatch.hpp>
#include <tandem/backends/openmp/loop/policy.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/threads/policy.hpp>
#include <tandem/backends/openmp/threads/work_stealing.hpp>
#include <tandem/core/math.hpp>

#include <cstdint>
#include <limits>

namespace tandem::openmp_impl {

/// From this time on a loop is done sooner by `threads` threads, their fork included.
inline double seconds_worth_sharing(int threads) {
  return fork_seconds_per_thread * threads * threads / (threads - 1);
}

/// Decides after each piece of a loop that runs alone whether threads would be done sooner, by the
/// time of that piece.
class fork_decision {
 public:
  fork_decision(index_t n, int threads)
      : n_(n),
        fork_(fork_seconds_per_thread * threads),
        worth_sharing_(seconds_worth_sharing(threads)),
        end_(n < 1 ? n : 1) {}

  /// The next piece is [begin(), end()). Pieces end at powers of prefix_growth, so that they begin
  /// where lines of the caches do and cost what the rest will.
  index_t begin() const { return begin_; }
  index_t end() const { return end_; }

  /// Whether to share out what is left, given the seconds since the loop began; else goes on to
  /// the next piece.
  bool should_fork(double taken) {
    const double last = taken - taken_;
    const double each = last / static_cast<double>(end_ - begin_);
    const bool is_worth_sharing = each * static_cast<double>(n_ - end_) > worth_sharing_;
    if (is_worth_sharing &&
        (end_ < cold_indices ? taken > fork_ : last > fork_ * trusted_piece_share))
      return true;
    taken_ = taken;
    begin_ = end_;
    end_ = next_end(is_worth_sharing ? fork_ * max_piece_share / each : static_cast<double>(n_));
    return false;
  }

 private:
  /// The end of the next piece, of about `most` indices at most.
  index_t next_end(double most) const {
    const index_t grown = begin_ * prefix_growth < n_ ? begin_ * prefix_growth : n_;
    if (static_cast<double>(grown - begin_) <= most) return grown;
    const index_t end = begin_ + 1 + static_cast<index_t>(most);
    const index_t whole = end < 4 * share_step ? end : round_up(end, share_step);
    return whole < n_ ? whole : n_;
  }

  index_t n_;
  double fork_;
  double worth_sharing_;
  index_t begin_ = 0;
  index_t end_;
  double taken_ = 0;
};

/// Runs body(begin, end) over [0, n) in growing pieces until it is done or would be done sooner by
/// `threads` threads. Returns how far it came.
template <class Body>
index_t run_serial_prefix(index_t n, int threads, const Body& body) {
  fork_decision probe(n, threads);
  const stopwatch watch;
  do {
    body(probe.begin(), probe.end());
    if (probe.end() == n) return n;
  } while (!probe.should_fork(watch.seconds()));
  return probe.end();
}

/// The fewest indices for which loops over this kind of body were worth a fork lately: such loops
/// need not be tried again.
template <class Body>
inline index_t learned_threshold = std::numeric_limits<index_t>::max();

/// A thread's share, and how long that of the calling thread took.
template <class Body>
struct timed_body {
  static_body<Body> all;
  double* seconds;

  void operator()(int part, int parts) const {
    if (part != 0) return all(part, parts);
    const stopwatch watch;
    all(part, parts);
    *seconds = watch.seconds();
  }
};

/// Forks at once, and forgets that this kind of body is worth it where it was not.
template <class Body>
void run_learned(int threads, index_t n, const Body& body) {
  double seconds = 0;
  run_parallel(threads, timed_body<Body>{{body, 0, n}, &seconds});
  if (seconds * threads < seconds_worth_sharing(threads))
    __atomic_store_n(&learned_threshold<Body>, std::numeric_limits<index_t>::max(),
                     __ATOMIC_RELAXED);
}

/// Runs body(begin, end) over disjoint pieces of [0, n) on the space's threads, if `is_adaptive`
/// only where that is seen to pay. Body copies what its loop needs into local variables: what is
/// too large to be carried to the workers is shared.
template <class Body>
void run_loop(const openmp& space, index_t n, bool is_adaptive, const Body& body) {
  const int threads = n == 1 ? 1 : space.threads();
  if (threads == 1) {
    if (n > 0) body(index_t{0}, n);
    return;
  }
  if (!is_adaptive) return run_balanced(threads, 0, n, body);
  if (n >= __atomic_load_n(&learned_threshold<Body>, __ATOMIC_RELAXED))
    return run_learned(threads, n, body);
  const index_t done = run_serial_prefix(n, threads, body);
  if (done == n) return;
  __atomic_store_n(&learned_threshold<Body>, n, __ATOMIC_RELAXED);
  run_balanced(threads, done, n, body);
}

}  // namespace tandem::openmp_impl
