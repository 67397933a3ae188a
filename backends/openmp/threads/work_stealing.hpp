// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/backends/openmp/threads/policy.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {

/// The body of a parallel region that runs body(begin, end) for each thread's contiguous share of
/// [first, n).
template <class Body>
struct static_body {
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
  run_parallel(threads, static_body<Body>{body, first, n});
}

/// What is left of a thread's share. Each has a cache line of its own, since its thread writes it
/// once per piece.
struct alignas(64) work_queue {
  index_t next;
  index_t end;
};

/// The queues of a loop's threads. Those of more threads than the stack has room for come from the
/// heap; where that has none, fewer threads take the loop, which so cannot fail after it has begun.
class work_queues {
 public:
  explicit work_queues(int threads) : threads_(threads) {
    if (threads <= fits) return;
    const auto bytes = detail::size_in_bytes<work_queue>(threads);
    try {
      data_ = static_cast<work_queue*>(detail::allocate_host("openmp", bytes, alignof(work_queue)));
    } catch (const out_of_memory_error&) {
      threads_ = fits;
    }
  }
  work_queues(const work_queues&) = delete;
  work_queues& operator=(const work_queues&) = delete;
  ~work_queues() {
    if (data_ != local_) detail::free_host(data_, alignof(work_queue));
  }

  int threads() const { return threads_; }
  work_queue* data() const { return data_; }

 private:
  static constexpr int fits = 256;

  int threads_;
  work_queue local_[fits];
  work_queue* data_ = local_;
};

/// Gives each of `threads` queues its thread's contiguous share of [first, n).
inline void fill_queues(work_queue* queues, int threads, index_t first, index_t n) {
  for (int t = 0; t < threads; ++t) {
    const share mine = line_share_of(first, n, t, threads);
    queues[t] = {mine.begin, mine.end};
  }
}

/// The body of a parallel region that runs body(begin, end) over pieces of `grain` indices, first
/// those of the thread's own queue, then those of the other queues.
template <class Body>
struct stealing_body {
  copy_if_small<Body> body;
  work_queue* queues;
  int threads;
  index_t grain;

  void operator()(int part, int) const {
    for (int k = 0; k < threads; ++k)
      // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): there is a queue for each thread.
      drain(queues[part + k < threads ? part + k : part + k - threads]);
  }

 private:
  void drain(work_queue& queue) const {
    while (__atomic_load_n(&queue.next, __ATOMIC_RELAXED) < queue.end) {
      const index_t begin = __atomic_fetch_add(&queue.next, grain, __ATOMIC_RELAXED);
      if (begin >= queue.end) return;
      body(begin, queue.end - begin < grain ? queue.end : begin + grain);
    }
  }
};

/// Runs body(begin, end) over disjoint pieces of [first, n), of at most `grain` indices, on
/// `threads` threads. Each works through its own contiguous share, as in run_static, and then
/// steals from the others, so that a thread that the system holds up does not hold up all. Where a
/// thread's body throws, others may still take the rest of its share.
template <class Body>
void run_stealing(int threads, index_t first, index_t n, index_t grain, const Body& body) {
  const work_queues queues(threads);
  fill_queues(queues.data(), queues.threads(), first, n);
  run_parallel(queues.threads(), stealing_body<Body>{body, queues.data(), queues.threads(), grain});
}

/// The grain for n indices, between `least` and `most`: the piece that one thread still works on
/// when all others have finished is then a small part of its share.
inline index_t stealing_grain(index_t n, int threads, index_t least, index_t most) {
  const index_t wanted = n / (index_t{threads} * pieces_per_thread);
  return wanted < least ? least : wanted > most ? most : wanted;
}

/// Runs body(begin, end) over disjoint pieces of [first, n) on `threads` threads, by work stealing
/// where the loop is long and else by static shares.
template <class Body>
void run_balanced(int threads, index_t first, index_t n, const Body& body) {
  if (n - first < stealing_indices) return run_static(threads, first, n, body);
  const index_t grain = stealing_grain(n - first, threads, min_grain, max_grain);
  run_stealing(threads, first, n, round_up(grain, share_step), body);
}

}  // namespace tandem::openmp_impl
