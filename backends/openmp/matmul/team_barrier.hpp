// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/core/extents.hpp>

namespace tandem::openmp_impl {

/// The threads that work on one matmul, as one of them sees it. They take items of work one by one,
/// so that a thread which the system slows down takes fewer; who computes an item never changes its
/// bits.
class matmul_team {
 public:
  /// A team of one, which needs neither tickets nor barriers.
  matmul_team() = default;

  /// Thread `rank` of `size` in the enclosing parallel region; `next` is theirs together and starts
  /// at 0.
  matmul_team(int rank, int size, index_t* next) : rank_(rank), size_(size), next_(next) {}

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Calls f(item) for items 0 .. count - 1, each by one thread, and returns when all are done.
  /// Every thread of the team calls it with the same count.
  template <class Function>
  void share(index_t count, const Function& f) {
    if (size_ == 1) {
      for (index_t item = 0; item < count; ++item) f(item);
      return;
    }
    for (index_t item = take(); item < count; item = take()) f(item);
    wait(count);
  }

  /// Calls f(begin, end) for ranges that cover 0 .. count - 1: long ones at first, so that a thread
  /// stays where its caches are warm, and shorter and shorter ones, so that all end together.
  template <class Function>
  void share_ranges(index_t count, const Function& f) {
    if (size_ == 1) return f(index_t{0}, count);
    range_cut cut{0, 0, 0, count, size_};
    for (index_t ticket = take(); cut.advance_to(ticket); ticket = take()) {
      const index_t begin = cut.begin + (ticket - cut.ticket) * cut.length;
      const index_t left = count - begin;
      if (left > 0) f(begin, begin + (left < cut.length ? left : cut.length));
    }
    wait(cut.ticket);
  }

 private:
  /// Rounds of one range for each thread, each round half of what is left.
  struct range_cut {
    index_t ticket;  ///< first of the round
    index_t begin;   ///< its first item
    index_t length;  ///< of its ranges; 0 before the first round
    index_t count;
    int size;

    /// Moves to the round of a ticket; false where the items end before it, with `ticket` being how
    /// many there were, whoever drew them.
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

  /// Ends a phase of `count` tickets. Each thread drew one ticket past the end when it had done its
  /// items: all are done when all of those are drawn, and the next phase starts behind them.
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

}  // namespace tandem::openmp_impl
