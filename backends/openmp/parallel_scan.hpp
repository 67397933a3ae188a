// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/fork.hpp>
#include <tandem/backends/openmp/policy.hpp>
#include <tandem/backends/openmp/scan_prefix.hpp>
#include <tandem/backends/openmp/space.hpp>
#include <tandem/backends/openmp/workspace.hpp>
#include <tandem/core/math.hpp>

namespace tandem {

namespace openmp_impl {

/// Batches of tiles pass through two gates in order: threads take tickets, and take turns with the
/// prefix between scanning a batch into their own cache and writing it. Memory is read once and
/// written once.
class turnstile {
 public:
  index_t take_ticket() { return __atomic_fetch_add(&tickets_, 1, __ATOMIC_RELAXED); }

  /// Waits for the turn of `ticket`. Returns whether it has come; it never does once a thread has
  /// failed.
  bool wait(index_t ticket) const {
    for (int round = 0; __atomic_load_n(&turn_, __ATOMIC_ACQUIRE) != ticket; ++round) {
      if (__atomic_load_n(&failed_, __ATOMIC_RELAXED)) return false;
      relax(round);
    }
    return true;
  }
  void pass() { __atomic_store_n(&turn_, turn_ + 1, __ATOMIC_RELEASE); }
  void fail() { __atomic_store_n(&failed_, true, __ATOMIC_RELAXED); }

 private:
  alignas(64) index_t tickets_ = 0;
  alignas(64) index_t turn_ = 0;
  bool failed_ = false;
};

/// What one thread of a scan holds: the local scans of a batch of tiles.
template <class Load, class T, class R>
class scan_batch_worker {
 public:
  scan_batch_worker(const scan_problem<Load, T, R>& problem, index_t tiles)
      : problem_(problem),
        tiles_(tiles),
        local_((tiles < scan_batch ? tiles : scan_batch) * canonical::scan_tile),
        before_((tiles < scan_batch ? tiles : scan_batch) * tile_segments) {}

  /// Runs batches until none is left or another thread has failed.
  void run(turnstile& gates, scan_prefix<T, R>& prefix) {
    for (;;) {
      const index_t ticket = gates.take_ticket();
      const index_t first = ticket * scan_batch;
      if (first >= tiles_) return;
      const int count = tiles_ - first < scan_batch ? static_cast<int>(tiles_ - first) : scan_batch;
      for (int t = 0; t < count; ++t) scan(first + t, t);
      if (!gates.wait(ticket)) return;
      for (int t = 0; t < count; ++t) {
        prefix_[t] = prefix.before_next();
        prefix.push(total_[t]);
      }
      gates.pass();
      for (int t = 0; t < count; ++t) write(first + t, t);
    }
  }

 private:
  int size(index_t tile) const {
    const index_t left = problem_.size - tile * canonical::scan_tile;
    return left < canonical::scan_tile ? static_cast<int>(left) : canonical::scan_tile;
  }

  void scan(index_t tile, int t) {
    const tile_terms<Load> terms{problem_.load, tile * canonical::scan_tile};
    total_[t] = scan_segments(terms, size(tile), local_.data() + t * canonical::scan_tile,
                              before_.data() + t * tile_segments, problem_.reducer);
  }

  void write(index_t tile, int t) {
    if (problem_.exclusive) prefix_[t].prepend(problem_.init, problem_.reducer);
    write_tile(problem_.y + tile * canonical::scan_tile * problem_.y_stride, problem_.y_stride,
               local_.data() + t * canonical::scan_tile, before_.data() + t * tile_segments,
               size(tile), prefix_[t], problem_.exclusive, problem_.reducer);
  }

  const scan_problem<Load, T, R> problem_;
  index_t tiles_;
  workspace<T> local_;
  workspace<T> before_;
  T total_[scan_batch];
  maybe<T> prefix_[scan_batch];
};

}  // namespace openmp_impl

/// Scans in the canonical shape in one pass over memory.
template <class Load, class T, class R>
void dispatch_scan(const openmp& space, const char*, const scan_problem<Load, T, R>& problem) {
  const index_t tiles = ceil_div<index_t>(problem.size, canonical::scan_tile);
  const int threads = tiles < openmp_impl::scan_fork_tiles ? 1 : space.threads();
  openmp_impl::turnstile gates;
  openmp_impl::scan_prefix<T, R> prefix(problem.reducer);
  openmp_impl::fork(threads, [&](int, int) {
    try {
      openmp_impl::scan_batch_worker<Load, T, R>(problem, tiles).run(gates, prefix);
    } catch (...) {
      gates.fail();
      throw;
    }
  });
}

}  // namespace tandem
