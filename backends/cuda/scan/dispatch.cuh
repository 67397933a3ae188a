// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/backends/cuda/scan/pipeline_kernel.cuh>
#include <tandem/backends/cuda/scan/prefix_tree.cuh>
#include <tandem/backends/cuda/scan/single_tile_kernel.cuh>
#include <tandem/backends/cuda/scan/tile_rows.cuh>
#include <tandem/backends/cuda/scan/tile_tickets.cuh>
#include <tandem/core/contract/scan_problem.hpp>
#include <tandem/core/math.hpp>

namespace tandem {

namespace cuda_impl {

/// The memory through which the blocks of a scan communicate.
template <class T>
struct scan_exchange {
  prefix_tree<T> nodes;
  tile_tickets tickets;
};

/// Makes the exchange of a scan of `tiles` tiles by `blocks` blocks. Each block draws `beyond`
/// tickets past the last tile.
template <class T>
scan_exchange<T> make_scan_exchange(const cuda& space, index_t tiles, int blocks, int beyond) {
  constexpr std::size_t head = 32;  // cells, so that the tickets have 256 bytes to themselves
  const std::size_t needed = head + prefix_tree<T>::cells(tiles);
  const persistent_buffer memory = persistent_memory(space, needed * sizeof(published_cell));
  published_cell* const cells = static_cast<published_cell*>(memory.data);
  const tile_tickets tickets{
      .next = cells,
      .last = static_cast<unsigned>(tiles + index_t{blocks} * beyond - 1),
      .cells = cells + head,
      .cell_count = static_cast<unsigned>(memory.bytes / sizeof(published_cell) - head)};
  return {prefix_tree<T>(tickets.cells, tiles), tickets};
}

/// Launches a scan over at least one element.
template <class Load, class T, class R>
void launch_scan(const cuda& space, const char* label, const scan_problem<Load, T, R>& problem) {
  using rows = scan_rows<Load, T, R>;
  const index_t tiles = ceil_div(problem.size, index_t{canonical::scan_tile});
  const device_limits& device = limits(space);
  const scan_shape shape =
      select_scan_shape(tiles, device.multiprocessors, sizeof(T), device.block_shared);
  scan_mapping mapping{.stages = shape.stages,
                       .vectorized_loads = false,
                       .vectorized_stores = problem.y_stride == 1 && is_vector_aligned(problem.y)};
  if constexpr (rows::asynchronous) mapping.vectorized_loads = is_vector_aligned(problem.load.data);
  launch_shape grid{.grid = dim3(static_cast<unsigned>(shape.blocks)),
                    .block = dim3(scan_block),
                    .shared_bytes = static_cast<std::size_t>(shape.stages) * rows::stage_bytes,
                    .label = label,
                    .programmatic_launch = true};
  if constexpr (rows::stage_bytes > 0) {
    if (shape.stages > 1) {
      const auto [nodes, tickets] = make_scan_exchange<T>(space, tiles, shape.blocks, 1);
      grid.shared_bytes += scan_pipeline_bytes<T>(shape.stages);
      launch(space, grid, scan_pipeline_kernel<Load, T, R>, problem, nodes, static_cast<int>(tiles),
             tickets, mapping);
      return;
    }
  }
  const auto [nodes, tickets] = make_scan_exchange<T>(space, tiles, shape.blocks, 0);
  launch(space, grid, scan_tile_kernel<Load, T, R>, problem, nodes, tickets, mapping);
}

/// Prefix sums of contiguous elements.
template <class T>
using scan_sum_problem = scan_problem<contiguous_load<T, sum<T>>, T, sum<T>>;

// instances/sum.cu instantiates the common types once.
extern template void launch_scan(const cuda&, const char*, const scan_sum_problem<float>&);
extern template void launch_scan(const cuda&, const char*, const scan_sum_problem<double>&);
extern template void launch_scan(const cuda&, const char*, const scan_sum_problem<int>&);
extern template void launch_scan(const cuda&, const char*, const scan_sum_problem<unsigned>&);
extern template void launch_scan(const cuda&, const char*, const scan_sum_problem<long>&);
extern template void launch_scan(const cuda&, const char*, const scan_sum_problem<unsigned long>&);

}  // namespace cuda_impl

/// Scans a problem of any size in the canonical shape, in stream order. Launches one kernel, which
/// reads and writes each element once. Does not block. Errors: device_error, out_of_memory_error.
template <class Load, class T, class R>
void dispatch_scan(const cuda& space, const char* label, const scan_problem<Load, T, R>& problem) {
  if (problem.size > 0) cuda_impl::launch_scan(space, label, problem);
}

}  // namespace tandem
