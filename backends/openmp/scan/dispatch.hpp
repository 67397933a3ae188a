// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/runtime/space.hpp>
#include <tandem/backends/openmp/scan/kernel_blocks.hpp>
#include <tandem/backends/openmp/scan/plan.hpp>
#include <tandem/backends/openmp/scan/policy.hpp>
#include <tandem/backends/openmp/scan/prefix_tree.hpp>
#include <tandem/backends/openmp/scan/worker.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/core/math.hpp>

namespace tandem {

namespace openmp_impl {

template <class T, class R>
void run_kernel_scan(const scan_problem<contiguous_load<T, R>, T, R>& problem, int threads) {
  kernel_scan<T, R> scan(problem, threads);
  run_parallel(scan.blocks(), [&scan](int part, int parts) { scan.run(part, parts); });
}

}  // namespace openmp_impl

/// Scans a part in the canonical shape, or in any order if the result does not depend on it.
template <class Load, class T, class R>
void dispatch_scan_part(const openmp& space, const char*, const scan_problem<Load, T, R>& problem,
                        const scan_part<T>& part) {
  using namespace openmp_impl;
  using worker = tile_scan_worker<Load, T, R>;
  const range tiles = scan_tiles_of(problem, part);
  const int threads = tiles.size() < scan_fork_tiles ? 1 : space.threads();
  const scan_plan plan = plan_scan(problem, part, threads);
  if (threads == 1) {
    const scan_room<Load, T, R> room(problem, plan, 1, 1);
    return worker(problem, part, plan, room, 0).run_serial();
  }
  if constexpr (has_kernel_scan<Load, T, R>) {
    if (plan.by_kernels) return run_kernel_scan(problem, threads);
  }
  const index_t batches = scan_batches{tiles, plan.batch}.count();
  const index_t places = (plan.by_share ? ceil_div<index_t>(batches, threads) : 1) * plan.batch;
  const scan_room<Load, T, R> room(problem, plan, threads, places);
  scan_tree<T, R> nodes(tiles, plan.batch, problem.reducer, part);
  run_parallel(
      threads, [&nodes, &room, problem, part, plan, batches, threads](int number, int parts) {
        try {
          if (plan.by_share) {
            // Computes every partition even if OpenMP provides fewer threads: a partition only
            // waits for earlier ones.
            for (int s = number; s < threads; s += parts)
              worker(problem, part, plan, room, s).run_share(nodes, share_of(batches, s, threads));
          } else {
            worker(problem, part, plan, room, number).run_batches(nodes);
          }
        } catch (...) {
          nodes.fail();
          throw;
        }
      });
}

/// Scans in the canonical shape, or in any order if the result does not depend on it.
template <class Load, class T, class R>
void dispatch_scan(const openmp& space, const char* label,
                   const scan_problem<Load, T, R>& problem) {
  dispatch_scan_part(space, label, problem, scan_part<T>{});
}

/// Computes the totals of whole tiles: each thread reads a contiguous partition of them once.
template <class Load, class T, class R>
void dispatch_scan_totals(const openmp& space, const char*, const scan_problem<Load, T, R>& problem,
                          const range& tiles, T* totals) {
  using namespace openmp_impl;
  const int threads = tiles.size() < scan_fork_tiles ? 1 : space.threads();
  const scan_plan plan{.batch = 1, .by_kernels = false, .by_share = false, .nontemporal = true};
  const scan_room<Load, T, R> room(problem, plan, threads, 1);
  run_parallel(threads, [&room, problem, plan, tiles, totals](int number, int parts) {
    const share mine = share_of(tiles.size(), number, parts);
    tile_scan_worker<Load, T, R> worker(problem, scan_part<T>{}, plan, room, number);
    for (index_t t = mine.begin; t < mine.end; ++t) totals[t] = worker.total_of(tiles.begin + t);
  });
}

}  // namespace tandem
