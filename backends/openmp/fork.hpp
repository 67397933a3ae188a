// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <omp.h>

#include <cstddef>
#include <exception>
#include <new>
#include <type_traits>

#include <tandem/backends/openmp/policy.hpp>
#include <tandem/backends/openmp/spread.hpp>
#include <tandem/core/extents.hpp>

namespace tandem::openmp_impl {

/// Keeps the first exception of a team of threads.
class first_exception {
 public:
  /// Call it inside a catch block.
  void keep() noexcept {
    if (!__atomic_exchange_n(&caught_, true, __ATOMIC_ACQ_REL))
      exception_ = std::current_exception();
  }
  /// Call it when the team has joined.
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  bool caught_ = false;
  std::exception_ptr exception_;
};

/// How an object that all threads read is kept in another: as a copy where that is cheap. Each
/// reference that a worker follows is a line fetched from the caller's core, one after the other:
/// 40 to 100 ns each.
template <class T>
using held =
    std::conditional_t<std::is_trivially_copyable_v<T> && sizeof(T) <= 256, const T, const T&>;

/// Calls body(part, parts) on a thread of a team, out of which no exception may go.
template <class Body>
void run_part(const Body& body, first_exception& failure) {
  try {
    body(omp_get_thread_num(), omp_get_num_threads());
  } catch (...) {
    failure.keep();
  }
}

/// A line of a body's bytes. Of what a parallel region copies, g++ leaves vectors and numbers
/// where workers look first, and everything else at an address that they find there: one line more
/// to fetch from the caller's core, 0.1 us of 14 threads' 4 us.
using carried_line = long long __attribute__((vector_size(64)));

template <class Body>
inline constexpr bool is_carried =
    std::is_trivially_copyable_v<Body> && sizeof(Body) <= 2 * sizeof(carried_line);

/// A parallel region whose workers get the body by value. g++ does not see that a vector may hold
/// pointers: what the body points to of the caller's own variables would look as if no worker read
/// it, and would not be stored. So it is told that someone may look, on both sides.
template <class Body>
  requires(is_carried<Body>)
void fork_region(int threads, const Body& body, first_exception& failure) {
  constexpr std::size_t size = sizeof(Body);
  constexpr std::size_t head = size < sizeof(carried_line) ? size : sizeof(carried_line);
  carried_line first{};
  carried_line second{};
  asm volatile("" : : "m"(body) : "memory");
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&body);
  __builtin_memcpy(&first, bytes, head);
  __builtin_memcpy(&second, bytes + head, size - head);
#pragma omp parallel num_threads(threads) firstprivate(first, second)
  {
    alignas(Body) unsigned char copy[size];
    __builtin_memcpy(copy, &first, head);
    __builtin_memcpy(copy + head, &second, size - head);
    const auto* carried = std::launder(reinterpret_cast<const Body*>(copy));
    asm volatile("" : "+r"(carried) : : "memory");
    const Body mine = *carried;
    run_part(mine, failure);
  }
}

template <class Body>
void fork_region(int threads, const Body& body, first_exception& failure) {
#pragma omp parallel num_threads(threads)
  run_part(body, failure);
}

/// A body on a team of which the first `threads` have a part.
template <class Body>
struct planned_body {
  held<Body> body;
  core_spread* spread;  ///< null where threads need not be kept apart
  int threads;

  void operator()(int part, int parts) const {
    const attendance present(spread, parts);
    if (part < threads) body(part, parts < threads ? parts : threads);
  }

 private:
  /// A thread's time in the region, however its part ends.
  class attendance {
   public:
    attendance(core_spread* spread, int parts) : spread_(spread), parts_(parts) {
      if (spread_ != nullptr) spread_->enter();
    }
    ~attendance() {
      if (spread_ != nullptr) spread_->leave(parts_);
    }
    attendance(const attendance&) = delete;
    attendance& operator=(const attendance&) = delete;

   private:
    core_spread* spread_;
    int parts_;
  };
};

/// Runs body(part, parts) on `threads` threads, or as many as OpenMP gives. No exception may leave
/// a parallel region, so the first is carried across its end. Body may be copied.
template <class Body>
void fork(int threads, const Body& body) {
  if (threads == 1) {
    body(0, 1);
    return;
  }
  first_exception failure;
  const region_plan plan = plan_region(threads);
  if (!plan.is_spread && plan.threads == threads) {
    fork_region(threads, body, failure);  // workers fetch nothing but the body
  } else {
    core_spread spread;
    const planned_body<Body> all{body, plan.is_spread ? &spread : nullptr, threads};
    fork_region(plan.threads, all, failure);
  }
  failure.rethrow();
}

/// The indices begin <= i < end.
struct share {
  index_t begin;
  index_t end;
};

/// Part number `part` of n indices in `parts` contiguous shares that differ by one at most: what
/// schedule(static) gives, for every loop and for the first touch of memory alike.
inline share share_of(index_t n, int part, int parts) {
  const index_t each = n / parts;
  const index_t larger = n % parts;
  const index_t begin = part * each + (part < larger ? part : larger);
  return {begin, begin + each + (part < larger ? 1 : 0)};
}

/// Part number `part` of first <= i < n. Where shares are long, they begin at multiples of
/// share_step indices: vectors of one share then lie in whole lines as those of the first one do.
inline share line_share_of(index_t first, index_t n, int part, int parts) {
  const share mine = share_of(n - first, part, parts);
  const index_t begin = first + mine.begin;
  const index_t end = first + mine.end;
  if (n - first < least_stepped_share * parts) return {begin, end};
  return {part == 0 ? first : begin / share_step * share_step,
          part == parts - 1 ? n : end / share_step * share_step};
}

/// Called in a loop that waits for another thread, with the number of its round.
void relax(int round);

}  // namespace tandem::openmp_impl
