// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/backends/cuda/scan/part_kernels.cuh>
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

/// Makes the exchange of a scan of some tiles by `blocks` blocks. Each block draws `beyond` tickets
/// past the last tile.
template <class T>
scan_exchange<T> make_scan_exchange(const cuda& space, const range& tiles, int blocks, int beyond) {
  constexpr std::size_t head = 32;  // cells, so that the tickets have 256 bytes to themselves
  const std::size_t needed = head + prefix_tree<T>::cells(tiles);
  const persistent_buffer memory = persistent_memory(space, needed * sizeof(published_cell));
  published_cell* const cells = static_cast<published_cell*>(memory.data);
  const tile_tickets tickets{
      .next = cells,
      .last = static_cast<unsigned>(tiles.end + index_t{blocks} * beyond - 1),
      .cells = cells + head,
      .cell_count = static_cast<unsigned>(memory.bytes / sizeof(published_cell) - head)};
  return {prefix_tree<T>(tickets.cells, tiles), tickets};
}

/// Publishes what is known before a part, in the name of the scan that follows, and makes its
/// tickets begin with the part's first tile.
template <class T>
void launch_scan_start(const cuda& space, const char* label, const scan_part<T>& part,
                       const scan_exchange<T>& exchange) {
  if (part.first_tile == 0) return;
  launch(space,
         {.grid = dim3(1),
          .block = dim3(scan_start_block),
          .label = label,
          .programmatic_launch = true},
         scan_start_kernel<T>, part.left, static_cast<int>(part.first_tile), exchange.nodes,
         exchange.tickets);
}

template <class Load, class T, class R>
scan_mapping make_scan_mapping(const scan_problem<Load, T, R>& problem, int stages) {
  scan_mapping mapping{.stages = stages,
                       .vectorized_loads = false,
                       .vectorized_stores = problem.y_stride == 1 && is_vector_aligned(problem.y),
                       .first_tile = 0,
                       .looks_back_at_once = false};
  if constexpr (scan_rows<Load, T, R>::asynchronous)
    mapping.vectorized_loads = is_vector_aligned(problem.load.data);
  return mapping;
}

/// Launches a scan over at least one element.
template <class Load, class T, class R>
void launch_scan(const cuda& space, const char* label, const scan_problem<Load, T, R>& problem,
                 const scan_part<T>& part) {
  using rows = scan_rows<Load, T, R>;
  const range tiles(part.first_tile, ceil_div(problem.size, index_t{canonical::scan_tile}));
  const device_limits& device = limits(space);
  const scan_shape shape =
      select_scan_shape(tiles.size(), device.multiprocessors, sizeof(T), device.block_shared);
  scan_mapping mapping = make_scan_mapping(problem, shape.stages);
  mapping.first_tile = static_cast<int>(tiles.begin);
  mapping.looks_back_at_once =
      tiles.begin == 0 && tiles.end <= canonical::scan_radix * canonical::scan_radix;
  launch_shape grid{.grid = dim3(static_cast<unsigned>(shape.blocks)),
                    .block = dim3(scan_block),
                    .shared_bytes = static_cast<std::size_t>(shape.stages) * rows::stage_bytes,
                    .label = label,
                    .programmatic_launch = true};
  if constexpr (rows::stage_bytes > 0) {
    if (shape.stages > 1) {
      const auto exchange = make_scan_exchange<T>(space, tiles, shape.blocks, 1);
      launch_scan_start(space, label, part, exchange);
      grid.shared_bytes += scan_pipeline_bytes<T>(shape.stages);
      launch(space, grid, scan_pipeline_kernel<Load, T, R>, problem, exchange.nodes,
             static_cast<int>(tiles.end), exchange.tickets, mapping);
      return;
    }
  }
  const auto exchange = make_scan_exchange<T>(space, tiles, shape.blocks, 0);
  launch_scan_start(space, label, part, exchange);
  launch(space, grid, scan_tile_kernel<Load, T, R>, problem, exchange.nodes, exchange.tickets,
         mapping);
}

/// Launches the kernel of the totals of at least one tile.
template <class Load, class T, class R>
void launch_scan_totals(const cuda& space, const char* label,
                        const scan_problem<Load, T, R>& problem, const range& tiles, T* totals) {
  scan_shape shape{.blocks = static_cast<int>(tiles.size()), .stages = 1};
  if constexpr (!loads_segments<Load, T>) {
    shape = select_totals_shape(tiles.size(), limits(space).multiprocessors, sizeof(T),
                                limits(space).block_shared);
  }
  const launch_shape grid{
      .grid = dim3(static_cast<unsigned>(shape.blocks)),
      .block = dim3(scan_block),
      .shared_bytes = static_cast<std::size_t>(shape.stages) * scan_rows<Load, T, R>::stage_bytes,
      .label = label,
      .programmatic_launch = true};
  const scan_mapping mapping = make_scan_mapping(problem, shape.stages);
  const int first = static_cast<int>(tiles.begin);
  if constexpr (loads_segments<Load, T>) {
    launch(space, grid, scan_totals_kernel<Load, T, R>, problem, first, totals, mapping);
  } else {
    launch(space, grid, scan_totals_pipeline_kernel<Load, T, R>, problem, first,
           static_cast<int>(tiles.end), totals, mapping);
  }
}

/// Prefix sums of contiguous elements.
template <class T>
using scan_sum_problem = scan_problem<contiguous_load<T, sum<T>>, T, sum<T>>;

// instances/sum.cu instantiates the common types once.
extern template void launch_scan(const cuda&, const char*, const scan_sum_problem<float>&,
                                 const scan_part<float>&);
extern template void launch_scan(const cuda&, const char*, const scan_sum_problem<double>&,
                                 const scan_part<double>&);
extern template void launch_scan(const cuda&, const char*, const scan_sum_problem<int>&,
                                 const scan_part<int>&);
extern template void launch_scan(const cuda&, const char*, const scan_sum_problem<unsigned>&,
                                 const scan_part<unsigned>&);
extern template void launch_scan(const cuda&, const char*, const scan_sum_problem<long>&,
                                 const scan_part<long>&);
extern template void launch_scan(const cuda&, const char*, const scan_sum_problem<unsigned long>&,
                                 const scan_part<unsigned long>&);
extern template void launch_scan_totals(const cuda&, const char*, const scan_sum_problem<float>&,
                                        const range&, float*);
extern template void launch_scan_totals(const cuda&, const char*, const scan_sum_problem<double>&,
                                        const range&, double*);
extern template void launch_scan_totals(const cuda&, const char*, const scan_sum_problem<int>&,
                                        const range&, int*);
extern template void launch_scan_totals(const cuda&, const char*, const scan_sum_problem<unsigned>&,
                                        const range&, unsigned*);
extern template void launch_scan_totals(const cuda&, const char*, const scan_sum_problem<long>&,
                                        const range&, long*);
extern template void launch_scan_totals(const cuda&, const char*,
                                        const scan_sum_problem<unsigned long>&, const range&,
                                        unsigned long*);

}  // namespace cuda_impl

/// Scans a problem of any size in the canonical shape, in stream order. Launches one kernel, which
/// reads and writes each element once. Does not block. Errors: device_error, out_of_memory_error.
template <class Load, class T, class R>
void dispatch_scan(const cuda& space, const char* label, const scan_problem<Load, T, R>& problem) {
  if (problem.size > 0) cuda_impl::launch_scan(space, label, problem, scan_part<T>{});
}

/// Computes the totals of whole tiles in stream order: one kernel, which reads each element once.
/// Does not block. Errors: device_error.
template <class Load, class T, class R>
void dispatch_scan_totals(const cuda& space, const char* label,
                          const scan_problem<Load, T, R>& problem, const range& tiles, T* totals) {
  if (tiles.size() > 0) cuda_impl::launch_scan_totals(space, label, problem, tiles, totals);
}

/// Scans a part of at least one element, in stream order, by the kernel of dispatch_scan() behind
/// one that publishes the nodes on the left. Does not block. Errors: as dispatch_scan().
template <class Load, class T, class R>
void dispatch_scan_part(const cuda& space, const char* label,
                        const scan_problem<Load, T, R>& problem, const scan_part<T>& part) {
  cuda_impl::launch_scan(space, label, problem, part);
}

}  // namespace tandem
