// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/stopwatch.hpp>
#include <tandem/backends/openmp/loop/policy.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/threads/loop_history.hpp>
#include <tandem/backends/openmp/threads/policy.hpp>
#include <tandem/backends/openmp/threads/work_stealing.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {

/// Returns the break-even time for forking: the time on one thread above which `threads` threads
/// finish a loop sooner, fork included.
inline double seconds_worth_sharing(int threads) {
  return fork_seconds_per_thread * threads * threads / (threads - 1);
}

/// Decides after each piece of a loop's serial prefix whether a team would finish the rest sooner,
/// given the time of that piece.
class fork_decision {
 public:
  /// For a loop that costs n indices; the serial prefix runs at most `limit` of them.
  fork_decision(index_t n, int threads, index_t limit)
      : n_(n),
        limit_(limit),
        fork_(fork_seconds_per_thread * threads),
        worth_sharing_(seconds_worth_sharing(threads)),
        end_(limit < 1 ? limit : 1) {}
  fork_decision(index_t n, int threads) : fork_decision(n, threads, n) {}

  /// The next piece is [begin(), end()). Pieces end at powers of prefix_growth, so that they begin
  /// on cache-line boundaries and an index costs the same in a piece as in the rest.
  index_t begin() const { return begin_; }
  index_t end() const { return end_; }

  /// Whether to fork for the rest, given the seconds since the loop began; otherwise advances to
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
    end_ =
        next_end(is_worth_sharing ? fork_ * max_piece_share / each : static_cast<double>(limit_));
    return false;
  }

 private:
  /// Returns the end of the next piece, which has about `most` indices at most.
  index_t next_end(double most) const {
    const index_t grown = begin_ * prefix_growth < limit_ ? begin_ * prefix_growth : limit_;
    if (static_cast<double>(grown - begin_) <= most) return grown;
    const index_t end = begin_ + 1 + static_cast<index_t>(most);
    const index_t whole = end < 4 * share_step ? end : round_up(end, share_step);
    return whole < limit_ ? whole : limit_;
  }

  index_t n_;
  index_t limit_;
  double fork_;
  double worth_sharing_;
  index_t begin_ = 0;
  index_t end_;
  double taken_ = 0;
};

/// Runs body(begin, end) over [0, limit) in growing pieces until these indices are done, or until
/// `threads` threads would finish a loop that costs n indices sooner. Returns how many indices are
/// done.
template <class Body>
index_t run_serial_prefix(index_t n, int threads, const Body& body, index_t limit) {
  fork_decision decision(n, threads, limit);
  const stopwatch watch;
  do {
    body(decision.begin(), decision.end());
    if (decision.end() == limit) return limit;
  } while (!decision.should_fork(watch.seconds()));
  return decision.end();
}

/// The body of a parallel region that measures the calling thread's part.
template <class Region>
struct timed_region {
  Region all;
  double* seconds;

  void operator()(int part, int parts) const {
    if (part != 0) return all(part, parts);
    const stopwatch watch;
    all(part, parts);
    *seconds = watch.seconds();
  }
};

/// Forks at once, and forgets the threshold if that was not worth it.
template <class Body>
void run_learned(int threads, index_t n, const Body& body) {
  double seconds = 0;
  with_shared_region(threads, 0, n, body, [&]<class Region>(int parts, const Region& region) {
    run_parallel(parts, timed_region<Region>{region, &seconds});
  });
  if (seconds * threads < seconds_worth_sharing(threads))
    loop_history<Body>::forget_fork_threshold();
}

/// Runs body(begin, end) over disjoint pieces of [0, n) on the space's threads; if `is_adaptive`,
/// only if a fork pays. Body copies what its loop needs into local variables.
template <class Body>
void run_loop(const openmp& space, index_t n, bool is_adaptive, const Body& body) {
  const int threads = n == 1 ? 1 : space.threads();
  if (threads == 1) {
    if (n > 0) body(index_t{0}, n);
    return;
  }
  if (!is_adaptive) return run_balanced(threads, 0, n, body);
  if (n >= loop_history<Body>::fork_threshold()) return run_learned(threads, n, body);
  const index_t done = run_serial_prefix(n, threads, body, n);
  if (done == n) return;
  loop_history<Body>::set_fork_threshold(n);
  run_balanced(threads, done, n, body);
}

}  // namespace tandem::openmp_impl
