// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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
    // Each thread drew one ticket past the end: the next phase starts behind them, and nothing is
    // ever reset.
    first_ += count + size_;
#pragma omp barrier
  }

 private:
  index_t take() const { return __atomic_fetch_add(next_, 1, __ATOMIC_RELAXED) - first_; }

  int rank_ = 0;
  int size_ = 1;
  index_t* next_ = nullptr;
  index_t first_ = 0;
};

}  // namespace tandem::openmp_impl
