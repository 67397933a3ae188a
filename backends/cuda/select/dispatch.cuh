// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/backends/cuda/runtime/result_slot.hpp>
#include <tandem/backends/cuda/select/kernel.cuh>
#include <tandem/core/contract/select_problem.hpp>
#include <tandem/core/math.hpp>

namespace tandem {

namespace cuda_impl {

/// Makes the tree for `tiles` tiles in scratch memory, with all counts missing.
inline count_tree make_count_tree(const cuda& space, const char* label, index_t tiles) {
  const std::size_t bytes = count_tree::bytes(tiles);
  if (bytes == 0) return {nullptr, tiles};
  void* const memory = scratch(space, bytes);
  set_bytes(space, label, memory, 0, bytes);
  return {memory, tiles};
}

/// Launches a selection over at least one element.
template <class T, class Keep>
void launch_select(const cuda& space, const char* label, const select_problem<T, Keep>& problem,
                   const select_count& output) {
  using part = warp_compaction<T, Keep>;
  constexpr index_t warps = select_block / warp_threads;
  constexpr index_t tile = warps * part::size;
  constexpr std::size_t stage_bytes = warps * sizeof(typename part::stage_type);
  const index_t tiles = ceil_div(problem.size, tile);
  const int blocks =
      select_grid(tiles, limits(space).multiprocessors, part::policy.min_blocks_per_sm, stage_bytes,
                  limits(space).block_shared);
  const launch_shape grid{.grid = dim3(static_cast<unsigned>(blocks)),
                          .block = dim3(select_block),
                          .shared_bytes = 2 * stage_bytes,
                          .label = label};
  // Each block draws one ticket past the last tile.
  const select_tickets tickets{counters(space), static_cast<unsigned>(tiles + blocks - 1)};
  const bool vectorized_loads = !selects_indices<Keep> && problem.x_stride == 1 &&
                                is_vector_aligned(problem.x) &&
                                part::items * sizeof(T) == sizeof(uint4);
  launch(space, grid, select_kernel<T, Keep>, problem, make_count_tree(space, label, tiles),
         static_cast<int>(tiles), tickets, vectorized_loads, output);
}

}  // namespace cuda_impl

/// Selects in one pass and returns the number of kept elements, for which the host polls; `out` is
/// written in stream order. Launches one kernel and, if there are several tiles, clears 8 bytes per
/// tile. Errors: device_error; recording_error while the stream is being recorded.
template <class T, class Keep>
index_t dispatch_select(const cuda& space, const char* label,
                        const select_problem<T, Keep>& problem) {
  const cuda_impl::result_call call = cuda_impl::open_result_slot(space);
  cuda_impl::launch_select(space, label, problem, {nullptr, call.device, call.number});
  cuda_impl::wait_for_results(space, label, call, cuda_impl::result_words<index_t>);
  return cuda_impl::received<index_t>(call, 0);
}

/// Selects in one pass and stores the number of kept elements to `count` in device memory. Does not
/// block.
template <class T, class Keep>
void dispatch_select_into(const cuda& space, const char* label,
                          const select_problem<T, Keep>& problem, index_t* count) {
  if (problem.size == 0) {
    cuda_impl::set_bytes(space, label, count, 0, sizeof(index_t));
    return;
  }
  cuda_impl::launch_select(space, label, problem, {count, nullptr, 0});
}

}  // namespace tandem
