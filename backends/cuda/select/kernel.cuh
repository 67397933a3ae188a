// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include <tandem/backends/cuda/primitives/warp.cuh>
#include <tandem/backends/cuda/runtime/result_slot.cuh>
#include <tandem/backends/cuda/select/count_tree.cuh>
#include <tandem/backends/cuda/select/policy.hpp>
#include <tandem/backends/cuda/select/warp_compaction.cuh>
#include <tandem/core/contract/select_problem.hpp>

namespace tandem::cuda_impl {

/// Tickets that blocks draw, so that tiles are assigned in ascending order to resident blocks.
struct select_tickets {
  unsigned* next;  ///< zero between kernels, because the last draw resets it
  unsigned last;   ///< the last ticket that any block draws

  __device__ int take() const { return static_cast<int>(atomicInc(next, last)); }
};

/// Destinations of the number of kept elements: device memory, the stream's mapped result slot, or
/// both.
struct select_count {
  index_t* count;              ///< may be null
  std::uint64_t* result_slot;  ///< may be null
  std::uint32_t call;

  __device__ void store(index_t kept) const {
    if (count != nullptr) *count = kept;
    if (result_slot != nullptr) send_result(kept, result_slot, call, 0);
  }
};

/// Shared memory through which the warps of a block communicate. It holds the counts of three
/// tiles: one being written, one being packed, and the one before, which a slow warp may still be
/// reading.
struct select_storage {
  static constexpr int warps = select_block / warp_threads;
  int drawn;
  int kept[3][warps];
  index_t before[count_tree::max_levels];

  /// The number of elements that a tile keeps; called by one warp.
  __device__ int warp_total(int tile_slot) const {
    int total = lane_of_warp() < warps ? kept[tile_slot][lane_of_warp()] : 0;
#pragma unroll
    for (int distance = warps / 2; distance > 0; distance /= 2)
      total += __shfl_xor_sync(whole_warp, total, distance);
    return total;
  }

  /// The number of elements kept before this warp's part of the tile being written.
  __device__ index_t start(int levels, int tile_slot) const {
    index_t sum = 0;
    for (int level = 0; level < levels; ++level) sum += before[level];
#pragma unroll
    for (int w = 0; w < warps; ++w) sum += w < warp_of_block() ? kept[tile_slot][w] : 0;
    return sum;
  }
};

/// Selects in one pass. Each block pipelines many tiles: while it packs one tile in shared memory,
/// it loads the next into registers and writes the previous one, whose count it published one step
/// ago. A tile's position in the output depends on the counts of all tiles before it, which have
/// usually arrived by then. A block that waited for its position right after publishing its count
/// would be much slower.
///
/// There is no deadlock. A block draws its tiles in ascending order and publishes a count before it
/// waits. In warp_sum_before it waits for tiles smaller than one that it has published, and in
/// warp_complete for tiles and nodes no larger than that. Consider the smallest drawn tile whose
/// count or nodes are missing: its block waits only for smaller tiles and for the node one level
/// below, which another of its warps publishes between the same barriers.
template <class T, class Keep>
__global__ void __launch_bounds__(select_block, select_selection(sizeof(T)).min_blocks_per_sm)
    select_kernel(const __grid_constant__ select_problem<T, Keep> problem,
                  const __grid_constant__ count_tree tree, int tiles, select_tickets tickets,
                  bool vectorized_loads, select_count output) {
  using part = warp_compaction<T, Keep>;
  constexpr int warps = select_storage::warps;
  constexpr int drawer = select_block - 1;
  extern __shared__ uint4 staging[];
  __shared__ select_storage storage;
  auto* const stages = reinterpret_cast<typename part::stage_type*>(staging) + warp_of_block();
  const auto stage_of = [=](int slot) -> auto& { return stages[slot * warps]; };
  const auto first_of = [](int tile) {
    return (index_t{tile} * warps + warp_of_block()) * part::size;
  };

  if (threadIdx.x == drawer) storage.drawn = tickets.take();
  __syncthreads();
  int packing = storage.drawn;
  __syncthreads();
  if (threadIdx.x == drawer && packing < tiles) storage.drawn = tickets.take();
  part own(problem, vectorized_loads);
  if (packing < tiles) own.load(first_of(packing));
  int writing = tiles;
  for (int step = 0; packing < tiles || writing < tiles; ++step) {
    const int slot = step % 3;
    const int written_slot = (step + 2) % 3;
    if (packing < tiles) {
      const int kept = own.pack(stage_of(step % 2), first_of(packing), problem.keep);
      if (lane_of_warp() == 0) storage.kept[slot][warp_of_block()] = kept;
    }
    __syncthreads();

    const int loading = packing < tiles ? storage.drawn : tiles;
    if (packing < tiles && warp_of_block() == warps - 1) {
      const int total = storage.warp_total(slot);
      if (lane_of_warp() == 0) tree.publish(packing, total);
    }
    if (loading < tiles) own.load(first_of(loading));
    if (writing < tiles && warp_of_block() < tree.levels()) {
      const index_t before = tree.warp_sum_before(writing, warp_of_block());
      if (lane_of_warp() == 0) storage.before[warp_of_block()] = before;
    }
    int drawn = tiles;
    if (threadIdx.x == drawer && loading < tiles) drawn = tickets.take();
    __syncthreads();

    if (threadIdx.x == drawer) storage.drawn = drawn;
    if (writing < tiles) {
      const index_t start = storage.start(tree.levels(), written_slot);
      const int kept = storage.kept[written_slot][warp_of_block()];
      if (writing == tiles - 1 && threadIdx.x == drawer) {
        if constexpr (part::writes_runs) own.end_runs(start + kept);
        output.store(start + kept);
      }
      own.write(stage_of((step + 1) % 2), first_of(writing), start, kept);
    }
    if (packing < tiles && warp_of_block() < tree.levels() &&
        tree.completes(packing, warp_of_block()))
      tree.warp_complete(packing, warp_of_block());
    __syncwarp();
    writing = packing;
    packing = loading;
  }
}

}  // namespace tandem::cuda_impl
