// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/backends/openmp/threads/policy.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>

namespace tandem::openmp_impl {

/// What a thread does for its share of the indices from `first` to n.
template <class Body>
struct shared_body {
  copy_if_small<Body> body;
  index_t first;
  index_t n;

  void operator()(int part, int parts) const {
    const share mine = line_share_of(first, n, part, parts);
    if (mine.begin < mine.end) body(mine.begin, mine.end);
  }
};

/// Runs body(begin, end) for each thread's contiguous share of [first, n).
template <class Body>
void run_static(int threads, index_t first, index_t n, const Body& body) {
  run_parallel(threads, shared_body<Body>{body, first, n});
}

/// What is left of a thread's share. A cache line of its own, since its thread writes it once a
/// piece.
struct alignas(64) work_queue {
  index_t next;
  index_t end;
};

/// What a thread does of a loop whose threads help each other.
template <class Body>
struct stealing_body {
  copy_if_small<Body> body;
  work_queue* queues;
  int threads;
  index_t piece;

  void operator()(int part, int) const {
    for (int k = 0; k < threads; ++k)
      work_on(queues[part + k < threads ? part + k : part + k - threads]);
  }

 private:
  void work_on(work_queue& share) const {
    while (__atomic_load_n(&share.next, __ATOMIC_RELAXED) < share.end) {
      const index_t begin = __atomic_fetch_add(&share.next, piece, __ATOMIC_RELAXED);
      if (begin >= share.end) return;
      body(begin, share.end - begin < piece ? share.end : begin + piece);
    }
  }
};

/// Runs body(begin, end) over disjoint pieces of [first, n), of `piece` indices at most, on
/// `threads` threads. Each works through its own contiguous share, the one that a parallel loop
/// would give it, and then helps the others, so that a thread that the system holds up does not
/// hold up all. Where a thread's function throws, others may still take the rest of its share.
template <class Body>
void run_stealing(int threads, index_t first, index_t n, index_t piece, const Body& body) {
  const small_scratch<work_queue> queues(threads);
  for (int t = 0; t < threads; ++t) {
    const share mine = line_share_of(first, n, t, threads);
    queues.data()[t] = {mine.begin, mine.end};
  }
  run_parallel(threads, stealing_body<Body>{body, queues.data(), threads, piece});
}

/// Indices of a piece of n, between `least` and `most`: what one thread still works on when all
/// others have finished is a small part of its share then.
inline index_t stealing_grain(index_t n, int threads, index_t least, index_t most) {
  const index_t wanted = n / (index_t{threads} * pieces_per_thread);
  return wanted < least ? least : wanted > most ? most : wanted;
}

}  // namespace tandem::openmp_impl
