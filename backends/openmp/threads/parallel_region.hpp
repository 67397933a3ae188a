// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <omp.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>

#include <tandem/backends/openmp/threads/core_placement.hpp>
#include <tandem/backends/openmp/threads/policy.hpp>
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
using copy_if_small =
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

/// What a worker needs of a region.
template <class Body>
struct carried_part {
  Body body;
  first_exception* failure;
};

/// Its bytes as numbers. Of what a parallel region copies, g++ leaves those where workers look
/// first, and everything else at an address that they find there: one line more to fetch from the
/// caller's core, 0.1 us of 14 threads' 4 us. Vectors are left there too, but are loaded as a whole
/// before the stores that fill them have reached the cache, and waited for: another 0.05 us.
inline constexpr int carried_words = 16;
using carried_line = std::uint64_t[carried_words / 2];

template <class Body>
inline constexpr bool is_carried =
    std::is_trivially_copyable_v<Body> &&
    sizeof(carried_part<Body>) <= carried_words * sizeof(std::uint64_t);

/// Runs a part whose bytes begin with those of `first` and go on with those of `second`.
template <class Body>
void run_carried(const carried_line& first, const carried_line& second = {}) {
  constexpr std::size_t size = sizeof(carried_part<Body>);
  constexpr std::size_t head = size < sizeof first ? size : sizeof first;
  alignas(carried_part<Body>) unsigned char copy[size];
  __builtin_memcpy(copy, first, head);
  __builtin_memcpy(copy + head, second, size - head);
  const auto* const carried = std::launder(reinterpret_cast<const carried_part<Body>*>(copy));
  asm volatile("" : : : "memory");
  const Body mine = carried->body;
  run_part(mine, *carried->failure);
}

/// A parallel region whose workers get the body by value. g++ does not see that numbers may hold
/// pointers: what the body points to of the caller's own variables would look as if no worker read
/// it, and would not be stored. So it is told that someone may look, on both sides.
template <class Body>
  requires(is_carried<Body>)
void fork_region(int threads, const Body& body, first_exception& failure) {
  const carried_part<Body> all{body, &failure};
  std::uint64_t word[carried_words] = {};
  __builtin_memcpy(word, &all, sizeof all);
  asm volatile("" : : "m"(all) : "memory");
  alignas(64) const std::uint64_t a = word[0];  // aligns all that is copied
  const std::uint64_t b = word[1], c = word[2], d = word[3];
  const std::uint64_t e = word[4], f = word[5], g = word[6], h = word[7];
  if constexpr (sizeof all <= sizeof(carried_line)) {
#pragma omp parallel num_threads(threads) firstprivate(a, b, c, d, e, f, g, h)
    run_carried<Body>({a, b, c, d, e, f, g, h});
  } else {
    const std::uint64_t i = word[8], j = word[9], k = word[10], l = word[11];
    const std::uint64_t m = word[12], n = word[13], o = word[14], p = word[15];
#pragma omp parallel num_threads(threads) firstprivate(a, b, c, d, e, f, g, h) \
    firstprivate(i, j, k, l, m, n, o, p)
    run_carried<Body>({a, b, c, d, e, f, g, h}, {i, j, k, l, m, n, o, p});
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
  copy_if_small<Body> body;
  core_placement* spread;  ///< null where threads need not be kept apart
  int threads;

  void operator()(int part, int parts) const {
    const region_guard present(spread, parts);
    if (part < threads) body(part, parts < threads ? parts : threads);
  }

 private:
  /// A thread's time in the region, however its part ends.
  class region_guard {
   public:
    region_guard(core_placement* spread, int parts) : spread_(spread), parts_(parts) {
      if (spread_ != nullptr) spread_->enter();
    }
    ~region_guard() {
      if (spread_ != nullptr) spread_->leave(parts_);
    }
    region_guard(const region_guard&) = delete;
    region_guard& operator=(const region_guard&) = delete;

   private:
    core_placement* spread_;
    int parts_;
  };
};

/// Runs body(part, parts) on `threads` threads, or as many as OpenMP gives. No exception may leave
/// a parallel region, so the first is carried across its end. Body may be copied.
template <class Body>
void run_parallel(int threads, const Body& body) {
  if (threads == 1) {
    body(0, 1);
    return;
  }
  first_exception failure;
  const region_plan plan = plan_region(threads);
  if (!plan.is_placed && plan.threads == threads) {
    fork_region(threads, body, failure);  // workers fetch nothing but the body
  } else {
    core_placement spread;
    const planned_body<Body> all{body, plan.is_placed ? &spread : nullptr, threads};
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

/// Calls body(block, share) for each of `blocks` contiguous shares of n indices, one per thread
/// where OpenMP gives as many.
template <class Body>
void for_static_blocks(int blocks, index_t n, const Body& body) {
  run_parallel(blocks, [&](int part, int parts) {
    for (int block = part; block < blocks; block += parts) body(block, share_of(n, block, blocks));
  });
}

/// Called in a loop that waits for another thread, with the number of its round.
void relax(int round);

}  // namespace tandem::openmp_impl
