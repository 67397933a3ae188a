// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/stopwatch.hpp>
#include <tandem/backends/openmp/threads/loop_history.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/backends/openmp/threads/policy.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {

/// Returns a thread's contiguous partition of the loop over [first, n): the body's own choice for a
/// whole loop, if it has one.
template <class Body>
share share_for(const Body& body, index_t first, index_t n, int part, int parts) {
  if constexpr (requires { body.share_of(part, parts); }) {
    if (first == 0) return body.share_of(part, parts);
  }
  return line_share_of(first, n, part, parts);
}

/// The body of a parallel region that runs body(begin, end) for each thread's contiguous partition
/// of [first, n).
template <class Body>
struct static_body {
  copy_if_small<Body> body;
  index_t first;
  index_t n;

  void operator()(int part, int parts) const {
    const share mine = share_for(body, first, n, part, parts);
    if (mine.begin < mine.end) body(mine.begin, mine.end);
  }
};

/// Runs body(begin, end) for each thread's contiguous partition of [first, n).
template <class Body>
void run_static(int threads, index_t first, index_t n, const Body& body) {
  run_parallel(threads, static_body<Body>{body, first, n});
}

/// The rest of a thread's partition, in pieces of `grain` indices. Each queue has its own cache
/// line, since its thread writes it once per piece.
struct alignas(64) work_queue {
  index_t next;
  index_t end;
  index_t grain;
  bool is_done = false;  ///< no more will be in it
};

/// Runs body(begin, end) over pieces that it takes from the queue until none is left.
template <class Body>
void drain(work_queue& queue, const Body& body) {
  const index_t end = __atomic_load_n(&queue.end, __ATOMIC_ACQUIRE);
  while (__atomic_load_n(&queue.next, __ATOMIC_RELAXED) < end) {
    const index_t begin = __atomic_fetch_add(&queue.next, queue.grain, __ATOMIC_RELAXED);
    if (begin >= end) return;
    body(begin, end - begin < queue.grain ? end : begin + queue.grain);
  }
}

/// Returns the queue that is `k` places behind that of thread `part` of `threads`, in a ring.
inline work_queue& queue_behind(work_queue* queues, int part, int k, int threads) {
  // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): there is a queue for each thread.
  return queues[part + k < threads ? part + k : part + k - threads];
}

/// Drains the thread's queue, number `part` of `threads`, and then the others.
template <class Body>
void drain_all(work_queue* queues, int part, int threads, const Body& body) {
  for (int k = 0; k < threads; ++k) drain(queue_behind(queues, part, k, threads), body);
}

/// The queues of a loop's threads. If the stack has no room for them, they come from the heap; if
/// that has none either, fewer threads run the loop, so it cannot fail after it has begun.
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
  static constexpr int fits = 64;  // 4 KiB

  int threads_;
  work_queue local_[fits];
  work_queue* data_ = local_;
};

/// Gives each of `threads` queues its thread's contiguous partition of [first, n).
inline void fill_queues(work_queue* queues, int threads, index_t first, index_t n, index_t grain) {
  for (int t = 0; t < threads; ++t) {
    const share mine = line_share_of(first, n, t, threads);
    queues[t] = {mine.begin, mine.end, grain};
  }
}

/// The body of a parallel region that runs body(begin, end) over pieces of the thread's queue and
/// then of the others.
template <class Body>
struct stealing_body {
  copy_if_small<Body> body;
  work_queue* queues;
  int threads;

  void operator()(int part, int) const { drain_all(queues, part, threads, body); }
};

/// Runs body(begin, end) over disjoint pieces of [first, n), of at most `grain` indices, on
/// `threads` threads. Each works through its contiguous partition, as in run_static, and then
/// steals from the others, so that a thread which the system delays does not delay all. If a
/// thread's body throws, others may still take the rest of its partition.
template <class Body>
void run_stealing(int threads, index_t first, index_t n, index_t grain, const Body& body) {
  const work_queues queues(threads);
  fill_queues(queues.data(), queues.threads(), first, n, grain);
  run_parallel(queues.threads(), stealing_body<Body>{body, queues.data(), queues.threads()});
}

/// Returns the grain for n indices, between `least` and `most`: the piece that one thread still
/// works on when all others have finished is then a small part of its partition.
inline index_t stealing_grain(index_t n, int threads, index_t least, index_t most) {
  const index_t wanted = n / (index_t{threads} * pieces_per_thread);
  return wanted < least ? least : wanted > most ? most : wanted;
}

/// The body of a parallel region in which a thread works through its contiguous partition alone: a
/// small piece, whose time determines the size of the next, and so on. If a piece takes so long
/// that another thread may well do the next, the thread offers the rest to all. A thread that has
/// been busy for as long stays to steal until nobody will offer any more, unless OpenMP is to wait
/// passively: then it takes what has been offered, and leaves. The threads of a short loop touch no
/// memory of others, and each keeps the data in its cache.
template <class Body>
struct lazily_stealing_body {
  copy_if_small<Body> body;
  index_t first;
  index_t n;
  work_queue* queues;  ///< empty until a thread offers its rest

  void operator()(int part, int parts) const {
    const stopwatch watch;
    do_share(queues[part], share_for(body, first, n, part, parts));
    if (watch.seconds() < seconds_worth_stealing) return;
    bool is_any_left = parts > 1;
    for (int round = 0; is_any_left; ++round) {
      is_any_left = false;
      for (int k = 1; k < parts; ++k) {
        work_queue& other = queue_behind(queues, part, k, parts);
        is_any_left |= !__atomic_load_n(&other.is_done, __ATOMIC_ACQUIRE);
        drain(other, body);
      }
      if (waits_passively()) return;
      // Yields only when a piece would have been finished: whoever gets the core may keep it for
      // longer than the loop takes.
      constexpr int rounds = rounds_before_yield / spins_before_yield;
      relax(round % rounds == rounds - 1 ? round / rounds : 0);
    }
  }

 private:
  /// Tells the others when a thread leaves its partition, even by an exception.
  struct done_mark {
    work_queue& queue;
    ~done_mark() { __atomic_store_n(&queue.is_done, true, __ATOMIC_RELEASE); }
  };

  void do_share(work_queue& queue, const share& mine) const {
    const done_mark mark{queue};
    index_t next = mine.begin;
    index_t grain = whole_lines((mine.end - mine.begin) / pieces_per_thread);
    while (next < mine.end) {
      const index_t begin = next;
      next = mine.end - begin < grain ? mine.end : begin + grain;
      const stopwatch watch;
      body(begin, next);
      if (next == mine.end) return;
      const double seconds = watch.seconds();
      const double grain_worth_stealing =
          static_cast<double>(grain) * (seconds_worth_stealing / seconds);
      if (seconds >= seconds_worth_stealing) {
        offer(queue, next, mine.end, whole_lines(static_cast<index_t>(grain_worth_stealing)));
        return drain(queue, body);
      }
      if (grain_worth_stealing / 2 > static_cast<double>(grain)) {
        const auto rest = static_cast<double>(mine.end - next);
        grain = whole_lines(static_cast<index_t>(tandem::min(grain_worth_stealing / 2, rest)));
      }
    }
  }

  /// Returns a grain of at least one index, and of whole cache lines if there are several.
  static index_t whole_lines(index_t grain) {
    return grain < 1 ? 1 : grain < share_step ? grain : round_up(grain, share_step);
  }

  static void offer(work_queue& queue, index_t next, index_t end, index_t grain) {
    queue.grain = grain;
    __atomic_store_n(&queue.next, next, __ATOMIC_RELAXED);
    __atomic_store_n(&queue.end, end, __ATOMIC_RELEASE);
  }
};

/// Calls run(threads, body of a region) with a region that shares [first, n): lazily, or statically
/// if such a loop lately took too little time to look at other threads.
template <class Body, class Run>
void with_shared_region(int threads, index_t first, index_t n, const Body& body, const Run& run) {
  const auto indices = static_cast<double>(n - first);
  const double each = loop_history<Body>::seconds_per_index();
  const stopwatch watch;
  if (each * indices < seconds_worth_stealing) {
    run(threads, static_body<Body>{body, first, n});
  } else {
    const work_queues queues(threads);
    fill_queues(queues.data(), queues.threads(), 0, 0, 1);  // empty
    run(queues.threads(), lazily_stealing_body<Body>{body, first, n, queues.data()});
  }
  loop_history<Body>::set_seconds_per_index(watch.seconds() / indices);
}

/// Runs body(begin, end) over disjoint pieces of [first, n) on `threads` threads, by work stealing:
/// from the start if the loop is long, otherwise only if its pieces take long.
template <class Body>
void run_balanced(int threads, index_t first, index_t n, const Body& body) {
  if (n - first < stealing_indices) {
    return with_shared_region(threads, first, n, body,
                              [](int parts, const auto& region) { run_parallel(parts, region); });
  }
  const index_t grain = stealing_grain(n - first, threads, min_grain, max_grain);
  run_stealing(threads, first, n, round_up(grain, share_step), body);
}

}  // namespace tandem::openmp_impl
