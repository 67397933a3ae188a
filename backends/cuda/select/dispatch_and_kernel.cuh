// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/primitives/mailbox_send.cuh>
#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/backends/cuda/runtime/result_mailbox.hpp>
#include <tandem/backends/cuda/select/count_tree.cuh>
#include <tandem/backends/cuda/select/warp_compaction.cuh>
#include <tandem/core/contract/select_problem.hpp>
#include <tandem/core/math.hpp>

namespace tandem {

namespace cuda_impl {

/// Numbers that blocks draw, so that tiles are given out in their order to blocks that run.
struct select_tickets {
  unsigned* next;  ///< zero between kernels: the last draw of all sets it back
  unsigned last;   ///< the last number that is drawn

  __device__ int take() const { return static_cast<int>(atomicInc(next, last)); }
};

/// Where the number of kept elements goes: memory of the device, or the stream's mailbox.
struct select_count {
  index_t* count;          ///< null for the mailbox
  std::uint64_t* mailbox;  ///< null for memory of the device
  std::uint32_t call;

  __device__ void store(index_t kept) const {
    if (count != nullptr) {
      *count = kept;
    } else {
      send_result(kept, mailbox, call, 0);
    }
  }
};

/// What the warps of a block tell each other. Counts of three tiles: one is being written while
/// another is packed, and a slow warp may still read those of the one before.
struct select_board {
  static constexpr int warps = select_block / warp_threads;
  int drawn;
  int kept[3][warps];
  index_t before[count_tree::most_levels];

  /// Elements that a tile keeps, by one warp.
  __device__ int warp_total(int tile_slot) const {
    int total = lane_of_warp() < warps ? kept[tile_slot][lane_of_warp()] : 0;
#pragma unroll
    for (int distance = warps / 2; distance > 0; distance /= 2)
      total += __shfl_xor_sync(whole_warp, total, distance);
    return total;
  }

  /// Elements kept before this warp's part of the tile that is written.
  __device__ index_t start(int levels, int tile_slot) const {
    index_t sum = 0;
    for (int level = 0; level < levels; ++level) sum += before[level];
#pragma unroll
    for (int w = 0; w < warps; ++w) sum += w < warp_of_block() ? kept[tile_slot][w] : 0;
    return sum;
  }
};

/// Selects in one pass, many tiles a block, in a pipeline: while one tile is packed in shared
/// memory, the next is on its way to registers, and the one before, whose count was published a
/// step ago, is written. A tile's place in the output needs the counts of all tiles before it; by
/// then they are there. (Where a block waited for its place right after publishing its count, 2^27
/// floats took 1.7 times as long.)
///
/// Why nobody waits for ever: a block draws its tiles in ascending order and publishes a count
/// before it waits. It waits in warp_sum_before for tiles smaller than one that it has published,
/// and in warp_complete for tiles and nodes not larger than that. Take the smallest tile drawn
/// whose count or nodes are missing: its block waits for nothing but smaller ones, and the node one
/// level below, which another of its warps publishes between the same barriers.
template <class T, class Keep>
__global__ void __launch_bounds__(select_block, select_selection(sizeof(T)).resident_blocks)
    select_kernel(const __grid_constant__ select_problem<T, Keep> problem,
                  const __grid_constant__ count_tree tree, int tiles, select_tickets tickets,
                  bool wide_loads, select_count output) {
  using part = select_rows<T, Keep>;
  constexpr int warps = select_board::warps;
  constexpr int drawer = select_block - 1;
  extern __shared__ uint4 staging[];
  __shared__ select_board board;
  typename part::staged* const stages =
      reinterpret_cast<typename part::staged*>(staging) + warp_of_block() * part::size;
  const auto stage_of = [=](int slot) { return stages + slot * warps * part::size; };
  const auto first_of = [](int tile) {
    return (index_t{tile} * warps + warp_of_block()) * part::size;
  };

  if (threadIdx.x == drawer) board.drawn = tickets.take();
  __syncthreads();
  int packing = board.drawn;
  __syncthreads();
  if (threadIdx.x == drawer && packing < tiles) board.drawn = tickets.take();
  part own(problem, wide_loads);
  if (packing < tiles) own.load(first_of(packing));
  int writing = tiles;
  for (int step = 0; packing < tiles || writing < tiles; ++step) {
    const int slot = step % 3;
    const int written_slot = (step + 2) % 3;
    if (packing < tiles) {
      const int kept = own.pack(stage_of(step % 2), first_of(packing), problem.keep);
      if (lane_of_warp() == 0) board.kept[slot][warp_of_block()] = kept;
    }
    __syncthreads();

    const int loading = packing < tiles ? board.drawn : tiles;
    if (packing < tiles && warp_of_block() == warps - 1) {
      const int total = board.warp_total(slot);
      if (lane_of_warp() == 0) tree.publish(packing, total);
    }
    if (loading < tiles) own.load(first_of(loading));
    if (writing < tiles && warp_of_block() < tree.levels()) {
      const index_t before = tree.warp_sum_before(writing, warp_of_block());
      if (lane_of_warp() == 0) board.before[warp_of_block()] = before;
    }
    int drawn = tiles;
    if (threadIdx.x == drawer && loading < tiles) drawn = tickets.take();
    __syncthreads();

    if (threadIdx.x == drawer) board.drawn = drawn;
    if (writing < tiles) {
      const index_t start = board.start(tree.levels(), written_slot);
      const int kept = board.kept[written_slot][warp_of_block()];
      if (writing == tiles - 1 && threadIdx.x == drawer) output.store(start + kept);
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

/// Scratch for the counts of `tiles` tiles, all missing.
inline count_tree make_count_tree(const cuda& space, index_t tiles) {
  const std::size_t bytes = count_tree::bytes(tiles);
  if (bytes == 0) return {nullptr, tiles};
  void* const memory = scratch(space, bytes);
  set_bytes(space, memory, 0, bytes);
  return {memory, tiles};
}

/// Selects from at least one element.
template <class T, class Keep>
void launch_select(const cuda& space, const char* label, const select_problem<T, Keep>& problem,
                   const select_count& output) {
  using part = select_rows<T, Keep>;
  constexpr index_t tile = index_t{select_tile_size(sizeof(T))};
  constexpr std::size_t stage_bytes =
      static_cast<std::size_t>(tile) * sizeof(typename part::staged);
  const index_t tiles = ceil_div(problem.size, tile);
  const int blocks = select_grid(tiles, limits(space).multiprocessors, part::policy.resident_blocks,
                                 stage_bytes, limits(space).block_shared);
  const launch_shape grid{.grid = dim3(static_cast<unsigned>(blocks)),
                          .block = dim3(select_block),
                          .shared_bytes = 2 * stage_bytes,
                          .label = label};
  // Each block draws one number beyond the end.
  const select_tickets tickets{counters(space), static_cast<unsigned>(tiles + blocks - 1)};
  const bool wide_loads = problem.x_stride == 1 && is_vector_aligned(problem.x) &&
                          part::items * sizeof(T) == sizeof(uint4);
  launch(space, grid, select_kernel<T, Keep>, problem, make_count_tree(space, tiles),
         static_cast<int>(tiles), tickets, wide_loads, output);
}

}  // namespace cuda_impl

/// Selects in one pass and returns how many elements were kept, which the host polls for; `out` is
/// written in the stream's order. One kernel, and a clear of 8 bytes a tile if there are several.
/// Errors: device_error, recording_error while the stream is recorded.
template <class T, class Keep>
index_t dispatch_select(const cuda& space, const char* label,
                        const select_problem<T, Keep>& problem) {
  const cuda_impl::result_call call = cuda_impl::open_mailbox(space);
  cuda_impl::launch_select(space, label, problem, {nullptr, call.device, call.number});
  cuda_impl::wait_for_results(space, label, call, cuda_impl::result_words<index_t>);
  return cuda_impl::received<index_t>(call, 0);
}

/// Selects in one pass and writes how many elements were kept to `count`, memory of the device.
/// Does not block.
template <class T, class Keep>
void dispatch_select_into(const cuda& space, const char* label,
                          const select_problem<T, Keep>& problem, index_t* count) {
  if (problem.size == 0) {
    cuda_impl::set_bytes(space, count, 0, sizeof(index_t));
    return;
  }
  cuda_impl::launch_select(space, label, problem, {count, nullptr, 0});
}

}  // namespace tandem
