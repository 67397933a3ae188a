// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/scan/policy.hpp>
#include <tandem/backends/cuda/scan/prefix_tree.cuh>
#include <tandem/backends/cuda/scan/tile_rows.cuh>
#include <tandem/backends/cuda/scan/tile_steps.cuh>
#include <tandem/backends/cuda/scan/tile_tickets.cuh>
#include <tandem/core/contract/scan_problem.hpp>

namespace tandem::cuda_impl {

/// Shared memory through which the threads of a block that scans one tile communicate.
template <class T>
struct scan_tile_storage {
  scan_row_totals<T> row_total;
  scan_level_folds<T> before;
  raw_array<T, prefix_tree<T>::radix> node;
  tile_ticket ticket;
};

/// Folds everything before a tile level by level. One warp per level folds the nodes before the
/// tile and publishes the node that the tile completes.
template <class Load, class T, class R>
__device__ scan_prefix<T> look_back_by_levels(const scan_problem<Load, T, R>& problem,
                                              const prefix_tree<T>& nodes,
                                              const scan_steps<Load, T, R>& steps,
                                              const tile_ticket& ticket,
                                              scan_tile_storage<T>& storage) {
  const auto [tile, epoch] = ticket;
  const int level = warp_of_block();
  if (level < nodes.levels()) {
    if (nodes.completes(tile, level)) nodes.warp_complete(tile, level, epoch, problem.reducer);
    typename prefix_tree<T>::snapshot seen;
    nodes.warp_take_snapshot(tile, level, seen);
    const T folded = nodes.warp_fold_before(tile, level, epoch, seen, problem.reducer);
    if (lane_of_warp() == 0) storage.before[level] = folded;
  }
  __syncthreads();
  return steps.prefix(tile, storage.before);
}

/// Folds everything before a tile if there are at most two levels and all of their tiles are
/// scanned. The warps compute the nodes of the upper level from the totals of tiles, not waiting
/// for other blocks to publish them. This saves a round trip to L2, which takes most of the time of
/// such a scan.
template <class Load, class T, class R>
__device__ scan_prefix<T> look_back_at_once(const scan_problem<Load, T, R>& problem,
                                            const prefix_tree<T>& nodes,
                                            const scan_steps<Load, T, R>& steps,
                                            const tile_ticket& ticket,
                                            scan_tile_storage<T>& storage) {
  const auto [tile, epoch] = ticket;
  const int group = nodes.place(tile, 1);
  const int place = nodes.place(tile, 0);
  for (int g = warp_of_block(); g <= group; g += canonical::tile_rows) {
    const int count = g < group ? prefix_tree<T>::radix : place;
    const T folded = nodes.warp_fold_totals(g, count, epoch, problem.reducer);
    if (lane_of_warp() == 0) storage.node[g] = folded;
  }
  __syncthreads();
  scan_prefix<T> before{problem.init, false};
  if (group > 0) {
    const T own = storage.node[lane_of_warp() < group ? lane_of_warp() : 0];
    before = {warp_shuffle(warp_inclusive_scan(own, problem.reducer), group - 1), true};
  }
  return steps.behind_init(
      join(before, scan_prefix<T>{storage.node[group], place > 0}, problem.reducer));
}

/// The canonical scan with one tile per block. It is the fastest if all tiles can be resident, and
/// the only one for tiles that are not staged in shared memory.
///
/// There is no deadlock. A block draws its tile and publishes its total before it waits, and it
/// waits only for smaller tiles, whose blocks are resident. The smallest tile waits for none.
template <class Load, class T, class R>
__global__ void __launch_bounds__(scan_block, select_scan(sizeof(T)).tile_blocks_per_sm)
    scan_tile_kernel(const __grid_constant__ scan_problem<Load, T, R> problem,
                     const __grid_constant__ prefix_tree<T> nodes,
                     const __grid_constant__ tile_tickets tickets,
                     const __grid_constant__ scan_mapping mapping) {
  ptx::grid_dependency_wait();
  extern __shared__ uint4 staging[];
  __shared__ scan_tile_storage<T> storage;
  const scan_rows<Load, T, R> rows(problem, mapping, staging);
  const scan_steps<Load, T, R> steps(problem, nodes);
  // Some block of the grid will draw this tile, and drawing takes a round trip to L2.
  rows.prefetch(mapping.first_tile + static_cast<int>(blockIdx.x));
  tile_ticket ticket{0, 0};
  if (nodes.levels() > 0) {
    if (threadIdx.x == 0) storage.ticket = tickets.ticket(tickets.draw());
    __syncthreads();
    ticket = storage.ticket;
  }
  rows.prepare(0, ticket.number);
  rows.template wait<0>();
  values<T, canonical::segment> segment;
  rows.read(0, ticket.number, segment);
  const T through = steps.fold(segment, storage.row_total);
  __syncthreads();
  const T in_tile = steps.publish(ticket, through, storage.row_total);
  const scan_prefix<T> before = mapping.looks_back_at_once
                                    ? look_back_at_once(problem, nodes, steps, ticket, storage)
                                    : look_back_by_levels(problem, nodes, steps, ticket, storage);
  steps.apply(before, in_tile, segment);
  rows.write(0, ticket.number, segment);
  if (nodes.levels() > 0 && ticket.number == 0 && threadIdx.x == 0)
    tickets.clear_stale_cell(ticket.epoch);
}

}  // namespace tandem::cuda_impl
