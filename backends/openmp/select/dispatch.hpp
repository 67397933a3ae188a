// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/select/batch.hpp>
#include <tandem/backends/openmp/select/policy.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>

namespace tandem {

namespace openmp_impl {

/// Returns the elements of a batch: few enough to stay in a cache and to occupy all threads.
template <class T>
index_t select_batch_elements(index_t n, int threads) {
  const index_t cached = static_cast<index_t>(select_batch_bytes / sizeof(T)) + 1;
  const index_t each = n / (4 * index_t{threads}) + 1;
  return each < cached ? each : cached;
}

/// Selects batches until none is left or another thread has failed. The kept elements of a batch
/// wait at `kept_elements`.
template <class T, class Keep>
void select_batches(const select_problem<T, Keep>& problem, index_t size, T* kept_elements,
                    batch_order& order) {
  select_batch<T, Keep> batch(problem, kept_elements);
  for (;;) {
    const index_t ticket = order.take_ticket();
    const index_t begin = ticket * size;
    if (begin >= problem.size) return;
    const index_t end = problem.size - begin < size ? problem.size : begin + size;
    const index_t kept = batch.select(begin, end);
    const index_t at = order.place(ticket, kept);
    if (at < 0) return;
    batch.write(at, kept);
  }
}

}  // namespace openmp_impl

/// Selects in one pass: threads take batches of x in order, hold the kept elements in their caches,
/// and write them once earlier batches are counted. Each element is read and tested once.
template <class T, class Keep>
index_t dispatch_select(const openmp& space, const char*, const select_problem<T, Keep>& problem) {
  const int threads = problem.size < openmp_impl::select_fork_elements ? 1 : space.threads();
  const index_t size = openmp_impl::select_batch_elements<T>(problem.size, threads);
  const index_t room = size + openmp_impl::compress_slack;
  const openmp_impl::scratch<T> kept(threads * room);
  openmp_impl::batch_order order;
  openmp_impl::run_parallel(threads, [&](int part, int) {
    try {
      openmp_impl::select_batches(problem, size, kept.data() + part * room, order);
    } catch (...) {
      order.fail();
      throw;
    }
  });
  return order.kept();
}

/// Selects and stores the number of kept elements in `count`.
template <class T, class Keep>
void dispatch_select_into(const openmp& space, const char* label,
                          const select_problem<T, Keep>& problem, index_t* count) {
  *count = problem.size == 0 ? 0 : dispatch_select(space, label, problem);
}

}  // namespace tandem
