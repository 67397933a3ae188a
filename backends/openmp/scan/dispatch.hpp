// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/nontemporal_stores.hpp>
#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/scan/kernel_blocks.hpp>
#include <tandem/backends/openmp/scan/policy.hpp>
#include <tandem/backends/openmp/scan/prefix_tree.hpp>
#include <tandem/backends/openmp/scan/worker.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/core/math.hpp>

#include <type_traits>

namespace tandem {

namespace openmp_impl {

/// Whether y is x itself.
template <class Load, class T, class R>
bool is_in_place(const scan_problem<Load, T, R>& problem) {
  if constexpr (std::is_same_v<Load, contiguous_load<T, R>>) {
    return problem.load.data == problem.y;
  } else {
    return false;
  }
}

/// Whether the library has kernels that scan such terms block by block.
template <class Load, class T, class R>
inline constexpr bool has_kernel_scan =
    scan_tiles<T, R>::has_kernels && std::is_same_v<Load, contiguous_load<T, R>>;

/// Decides how a scan is divided. One that fits the threads' own caches gives each thread the
/// contiguous share that every loop gives it, whose data is in that core's caches. In a longer one
/// a thread would read its share from memory twice, so threads take batches that stay in a cache.
template <class Load, class T, class R>
scan_plan plan_scan(const scan_problem<Load, T, R>& problem, int threads) {
  const index_t tiles = ceil_div<index_t>(problem.size, canonical::scan_tile);
  const std::size_t bytes = static_cast<std::size_t>(problem.size) * sizeof(T);
  scan_plan plan{};
  plan.nontemporal = scan_tiles<T, R>::has_kernels && problem.y_stride == 1 &&
                     !is_in_place(problem) && prefers_nontemporal_stores(2 * bytes);
  plan.by_share = problem.y_stride == 1 && !plan.nontemporal &&
                  bytes <= scan_share_bytes * static_cast<std::size_t>(threads);
  if constexpr (has_kernel_scan<Load, T, R>)
    plan.by_kernels = threads > 1 && plan.by_share && kernel_scan<T, R>::suits(problem, threads);
  const index_t most =
      plan.by_share ? canonical::scan_radix
                    : static_cast<index_t>(scan_batch_bytes / sizeof(T)) / canonical::scan_tile;
  plan.batch = 1;
  while (plan.batch * 2 <= most && plan.batch * threads * scan_batches_per_thread < tiles)
    plan.batch *= 2;
  return plan;
}

template <class T, class R>
void run_kernel_scan(const scan_problem<contiguous_load<T, R>, T, R>& problem, int threads) {
  kernel_scan<T, R> scan(problem, threads);
  run_parallel(scan.blocks(), [&scan](int part, int parts) { scan.run(part, parts); });
}

}  // namespace openmp_impl

/// Scans in the canonical shape, or in any order where the result does not depend on it.
template <class Load, class T, class R>
void dispatch_scan(const openmp& space, const char*, const scan_problem<Load, T, R>& problem) {
  using namespace openmp_impl;
  using worker = tile_scan_worker<Load, T, R>;
  const index_t tiles = ceil_div<index_t>(problem.size, canonical::scan_tile);
  const int threads = tiles < scan_fork_tiles ? 1 : space.threads();
  const scan_plan plan = plan_scan(problem, threads);
  if (threads == 1) {
    const scan_room<Load, T, R> room(problem, plan, 1, 1);
    return worker(problem, plan, room, 0).run_serial();
  }
  if constexpr (has_kernel_scan<Load, T, R>) {
    if (plan.by_kernels) return run_kernel_scan(problem, threads);
  }
  const index_t batches = ceil_div<index_t>(tiles, plan.batch);
  const index_t slots = (plan.by_share ? ceil_div<index_t>(batches, threads) : 1) * plan.batch;
  const scan_room<Load, T, R> room(problem, plan, threads, slots);
  scan_tree<T, R> nodes(tiles, plan.batch, problem.reducer);
  run_parallel(threads, [&nodes, &room, problem, plan, batches, threads](int part, int parts) {
    try {
      if (plan.by_share) {
        // Every share even where OpenMP gives fewer threads: a share waits for earlier ones alone.
        for (int s = part; s < threads; s += parts)
          worker(problem, plan, room, s).run_share(nodes, share_of(batches, s, threads));
      } else {
        worker(problem, plan, room, part).run_batches(nodes);
      }
    } catch (...) {
      nodes.fail();
      throw;
    }
  });
}

}  // namespace tandem
