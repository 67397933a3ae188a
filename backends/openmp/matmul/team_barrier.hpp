// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/core/extents.hpp>

namespace tandem::openmp_impl {

/// The team of threads that computes one matmul, as one of them sees it. Threads take work items
/// dynamically, so that a thread which the system delays takes fewer. Which thread computes an item
/// never changes its bits.
class matmul_team {
 public:
  /// A team of one thread, which needs neither tickets nor barriers.
  matmul_team() = default;

  /// Thread `rank` of `size` in the enclosing parallel region; all share `next`, which starts at 0.
  matmul_team(int rank, int size, index_t* next) : rank_(rank), size_(size), next_(next) {}

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Calls f(item) for items 0 .. count - 1, each on one thread, and returns when all are done.
  /// Every thread of the team calls this with the same count.
  template <class Function>
  void for_each(index_t count, const Function& f) {
    if (size_ == 1) {
      for (index_t item = 0; item < count; ++item) f(item);
      return;
    }
    for (index_t item = take(); item < count; item = take()) f(item);
    wait(count);
  }

  /// Calls f(begin, end) for ranges that cover 0 .. count - 1, with guided scheduling: long ranges
  /// first, for warm caches, then shorter and shorter ones, so that all threads finish together.
  template <class Function>
  void for_each_range(index_t count, const Function& f) {
    if (size_ == 1) return f(index_t{0}, count);
    guided_schedule ranges{0, 0, 0, count, size_};
    for (index_t ticket = take(); ranges.advance_to(ticket); ticket = take()) {
      const index_t begin = ranges.begin + (ticket - ranges.ticket) * ranges.length;
      const index_t left = count - begin;
      if (left > 0) f(begin, begin + (left < ranges.length ? left : ranges.length));
    }
    wait(ranges.ticket);
  }

 private:
  /// Rounds of one range per thread; each round covers half of what is left.
  struct guided_schedule {
    index_t ticket;  ///< first ticket of the round
    index_t begin;   ///< its first item
    index_t length;  ///< length of its ranges; 0 before the first round
    index_t count;
    int size;

    /// Advances to the round of a ticket. Returns false if the items end before it; `ticket` is
    /// then the number of tickets that had items.
    bool advance_to(index_t wanted) {
      while (length == 0 || wanted >= ticket + size) {
        if (length > 0) {
          ticket += size;
          begin += length * size;
        }
        if (begin >= count) return false;
        length = (count - begin + 2 * size - 1) / (2 * size);
      }
      return true;
    }
  };

  index_t take() const { return __atomic_fetch_add(next_, 1, __ATOMIC_ACQ_REL) - first_; }

  /// Ends a phase of `count` tickets. Each thread draws one ticket past the end after its last
  /// item, so all items are done once all of these are drawn; the next phase starts after them.
  /// Nothing is ever reset.
  void wait(index_t count) {
    first_ += count + size_;
    for (int round = 0; __atomic_load_n(next_, __ATOMIC_ACQUIRE) < first_; ++round) relax(round);
  }

  int rank_ = 0;
  int size_ = 1;
  index_t* next_ = nullptr;
  index_t first_ = 0;
};

/// Calls f(team) on `threads` threads, or fewer if the runtime provides no more. f must not throw:
/// the other threads would wait forever for the one that left.
template <class Function>
void run_team(int threads, const Function& f) {
  index_t next = 0;
  run_parallel(threads, [&](int rank, int size) {
    matmul_team team(rank, size, &next);
    f(team);
  });
}

}  // namespace tandem::openmp_impl
