// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <omp.h>

#include <exception>
#include <type_traits>

#include <tandem/backends/openmp/threads/core_placement.hpp>
#include <tandem/backends/openmp/threads/policy.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/tools/agreement/agreement.hpp>

namespace tandem::openmp_impl {

/// Whether this process is the child of a fork() in a process that had several threads.
extern bool is_forked_process;

/// Whether the calling thread is the one that such a fork() copied, in a forked process. The OpenMP
/// runtime may still count on the threads that its team had in the parent, and a region would wait
/// for them forever. Threads that the child starts have their own teams.
bool has_lost_team() noexcept;

/// Keeps the first exception that a thread of a team throws.
class first_exception {
 public:
  /// Keeps the current exception; to be called inside a catch block.
  void keep() noexcept {
    if (!__atomic_exchange_n(&caught_, true, __ATOMIC_ACQ_REL))
      exception_ = std::current_exception();
  }
  /// Rethrows the exception, if there was one, once the team has joined.
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  bool caught_ = false;
  std::exception_ptr exception_;
};

/// How a body keeps an object that all threads read: as a copy if that is cheap, since each
/// reference that a worker follows costs the transfer of a cache line from the caller's core.
template <class T>
using copy_if_small =
    std::conditional_t<std::is_trivially_copyable_v<T> && sizeof(T) <= 256, const T, const T&>;

/// What the workers of a region read of the caller's memory: a copy of a small body, on separate
/// cache lines, since a body in the middle of the caller's frame costs each worker one more.
template <class Body>
struct alignas(64) shared_region {
  copy_if_small<Body> body;
  first_exception& failure;
};

/// Runs body(part, parts) on a team of the runtime. Keeps exceptions in `failure`, among them
/// agreement_error: a thread keeps the floating-point mode of the thread that started it, whatever
/// the caller has set since. The check follows the body, since other threads may wait for this one
/// in theirs.
template <class Body>
void run_region(int threads, const Body& body, first_exception& failure) {
  const shared_region<Body> region{body, failure};
#pragma omp parallel num_threads(threads)
  try {
    region.body(omp_get_thread_num(), omp_get_num_threads());
    detail::require_ieee_mode();
  } catch (...) {
    region.failure.keep();
  }
}

/// Runs body(part, parts) on `threads` threads, or as many as OpenMP provides. No exception may
/// leave a parallel region, so the first one is rethrown after its end.
template <class Body>
void run_parallel(int threads, const Body& body) {
  if (threads == 1) {
    body(0, 1);
    return;
  }
  first_exception failure;
  const region_plan plan = plan_region(threads);
  if (!plan.is_placed && plan.threads == threads) {
    run_region(threads, body, failure);
  } else {
    core_placement placement;
    const auto guarded = [&](int part, int parts) {
      const region_guard guard(plan.is_placed ? &placement : nullptr, parts);
      if (part < threads) body(part, parts < threads ? parts : threads);
    };
    run_region(plan.threads, guarded, failure);
  }
  failure.rethrow();
}

/// The indices begin <= i < end.
struct share {
  index_t begin;
  index_t end;
};

/// Returns partition number `part` of n indices in `parts` contiguous partitions whose sizes differ
/// by at most one, as schedule(static) has it, for every loop and for the first touch of memory
/// alike.
inline share share_of(index_t n, int part, int parts) {
  const index_t each = n / parts;
  const index_t larger = n % parts;
  const index_t begin = part * each + (part < larger ? part : larger);
  return {begin, begin + each + (part < larger ? 1 : 0)};
}

/// Returns what the partitions of a loop begin at multiples of, given their mean length: whole
/// cache lines, so that the vectors of every partition are aligned like those of the first, and
/// whole tiles of reductions if partitions are long.
constexpr index_t step_of_shares(index_t length) {
  if (length < least_stepped_share) return 1;
  if (length < least_tiled_share) return share_step;
  index_t step = tile_share_step;
  while (step * 64 <= length) step *= 2;
  return step;
}

/// Returns partition number `part` of first <= i < n.
inline share line_share_of(index_t first, index_t n, int part, int parts) {
  const share mine = share_of(n - first, part, parts);
  const index_t step = step_of_shares((n - first) / parts);
  const auto nearest = [step](index_t i) { return (i + step / 2) / step * step; };
  return {part == 0 ? first : nearest(first + mine.begin),
          part == parts - 1 ? n : nearest(first + mine.end)};
}

/// Calls body(block, share) for each of `blocks` contiguous partitions of n indices, one per thread
/// if OpenMP provides as many.
template <class Body>
void for_static_blocks(int blocks, index_t n, const Body& body) {
  run_parallel(blocks, [&](int part, int parts) {
    for (int block = part; block < blocks; block += parts) body(block, share_of(n, block, blocks));
  });
}

/// Whether the environment tells OpenMP's threads to wait without using the processor:
/// OMP_WAIT_POLICY=passive, for which OpenMP has no query.
bool waits_passively() noexcept;

/// Pauses, yields or sleeps. A loop that waits for another thread calls it with the number of the
/// round.
void relax(int round);

}  // namespace tandem::openmp_impl
