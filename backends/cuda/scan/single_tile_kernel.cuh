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

/// What the threads of a block that scans one tile tell each other.
template <class T>
struct scan_tile_board {
  scan_row_totals<T> row_total;
  scan_level_folds<T> before;
  raw_array<T, scan_nodes<T>::radix> node;
  scan_ticket ticket;
};

/// Everything before a tile, level by level: a warp folds the nodes before the tile at one level,
/// and publishes the node that the tile completes.
template <class Load, class T, class R>
__device__ scan_prefix<T> look_back_by_levels(const scan_problem<Load, T, R>& problem,
                                              const scan_nodes<T>& nodes,
                                              const scan_steps<Load, T, R>& steps,
                                              const scan_ticket& ticket,
                                              scan_tile_board<T>& board) {
  const auto [tile, mark] = ticket;
  const int level = warp_of_block();
  if (level < nodes.levels()) {
    if (nodes.completes(tile, level)) nodes.warp_complete(tile, level, mark, problem.reducer);
    typename scan_nodes<T>::glimpse seen;
    nodes.warp_look(tile, level, seen);
    const T folded = nodes.warp_fold_before(tile, level, mark, seen, problem.reducer);
    if (lane_of_warp() == 0) board.before[level] = folded;
  }
  __syncthreads();
  return steps.prefix(tile, board.before);
}

/// Everything before a tile where there are two levels: the warps fold all nodes of the upper level
/// that the tile needs from the tiles' totals, rather than wait for those that other blocks would
/// publish. It saves a round trip to L2, of which such a scan is made.
template <class Load, class T, class R>
__device__ scan_prefix<T> look_back_at_once(const scan_problem<Load, T, R>& problem,
                                            const scan_nodes<T>& nodes,
                                            const scan_steps<Load, T, R>& steps,
                                            const scan_ticket& ticket, scan_tile_board<T>& board) {
  const auto [tile, mark] = ticket;
  const int group = nodes.place(tile, 1);
  const int place = nodes.place(tile, 0);
  for (int g = warp_of_block(); g <= group; g += canonical::tile_rows) {
    const int count = g < group ? scan_nodes<T>::radix : place;
    const T folded = nodes.warp_fold_totals(g, count, mark, problem.reducer);
    if (lane_of_warp() == 0) board.node[g] = folded;
  }
  __syncthreads();
  scan_prefix<T> before{problem.init, false};
  if (group > 0) {
    const T own = board.node[lane_of_warp() < group ? lane_of_warp() : 0];
    before = {warp_from_lane(warp_prefixes(own, problem.reducer), group - 1), true};
  }
  return steps.behind_init(
      join(before, scan_prefix<T>{board.node[group], place > 0}, problem.reducer));
}

/// The canonical scan, a tile a block: the shortest way for as many tiles as run at once, and the
/// only one where a block has no shared memory to keep tiles in.
///
/// A block draws its tile and publishes its total before it waits, and waits only for smaller
/// tiles: those belong to blocks that run, and the smallest of them waits for nobody.
template <class Load, class T, class R>
__global__ void __launch_bounds__(scan_block, select_scan(sizeof(T)).tile_blocks)
    scan_tile_kernel(const __grid_constant__ scan_problem<Load, T, R> problem,
                     const __grid_constant__ scan_nodes<T> nodes,
                     const __grid_constant__ scan_tickets tickets,
                     const __grid_constant__ scan_mapping mapping) {
  ptx::wait_for_prior_work();
  extern __shared__ uint4 staging[];
  __shared__ scan_tile_board<T> board;
  const scan_rows<Load, T, R> rows(problem, mapping, staging);
  const scan_steps<Load, T, R> steps(problem, nodes);
  // The tile that this block draws is loaded by now or soon: by this block or another.
  rows.prefetch(static_cast<int>(blockIdx.x));
  scan_ticket ticket{0, 0};
  if (nodes.levels() > 0) {
    if (threadIdx.x == 0) board.ticket = tickets.ticket(tickets.draw());
    __syncthreads();
    ticket = board.ticket;
  }
  rows.prepare(0, ticket.number);
  rows.template wait<0>();
  values<T, canonical::segment> segment;
  rows.read(0, ticket.number, segment);
  const T through = steps.fold(segment, board.row_total);
  __syncthreads();
  const T in_tile = steps.publish(ticket, through, board.row_total);
  const scan_prefix<T> before = nodes.levels() <= 2
                                    ? look_back_at_once(problem, nodes, steps, ticket, board)
                                    : look_back_by_levels(problem, nodes, steps, ticket, board);
  steps.apply(before, in_tile, segment);
  rows.write(0, ticket.number, segment);
  if (nodes.levels() > 0 && ticket.number == 0 && threadIdx.x == 0) tickets.forget_one(ticket.mark);
}

}  // namespace tandem::cuda_impl
