// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <omp.h>

#include <exception>
#include <type_traits>

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
  bool caught() const { return __atomic_load_n(&caught_, __ATOMIC_ACQUIRE); }
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

/// Runs body(part, parts) on `threads` threads, or as many as OpenMP gives. No exception may leave
/// a parallel region, so the first is carried across its end.
template <class Body>
void fork(int threads, const Body& body) {
  if (threads == 1) {
    body(0, 1);
    return;
  }
  first_exception failure;
#pragma omp parallel num_threads(threads)
  {
    try {
      body(omp_get_thread_num(), omp_get_num_threads());
    } catch (...) {
      failure.keep();
    }
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

/// Called in a loop that waits for another thread, with the number of its round.
void relax(int round);

}  // namespace tandem::openmp_impl
