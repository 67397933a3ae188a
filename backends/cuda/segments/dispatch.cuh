// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/backends/cuda/segments/reduce_kernels.cuh>
#include <tandem/backends/cuda/segments/scan_kernel.cuh>
#include <tandem/core/contract/segmented_problem.hpp>
#include <tandem/core/contract/segmented_scan.hpp>
#include <tandem/core/math.hpp>

namespace tandem {

namespace cuda_impl {

/// The blocks that take `items` items, one per warp, at most as many as are resident.
inline launch_shape segments_shape(const cuda& space, const char* label, index_t items,
                                   int threads) {
  const index_t warps = threads / warp_threads;
  const index_t most =
      index_t{limits(space).multiprocessors} * segments_tuning.warps_per_sm / warps;
  const index_t blocks = tandem::clamp(ceil_div(items, warps), index_t{1}, most);
  return {.grid = dim3(static_cast<unsigned>(blocks)),
          .block = dim3(static_cast<unsigned>(threads)),
          .label = label,
          .programmatic_launch = true};
}

/// Scratch for the segments that are longer than a chunk, with their count cleared; none where all
/// terms are a chunk at most.
template <class T>
long_segments<T> make_long_segments(const cuda& space, const char* label, index_t terms,
                                    index_t chunk_terms) {
  if (terms <= chunk_terms) return {};
  const auto most = static_cast<std::size_t>(terms / chunk_terms);
  const std::size_t numbers = 256 + round_up(most * sizeof(index_t), std::size_t{256});
  auto* const memory =
      static_cast<unsigned char*>(scratch(space, numbers + (2 * most + 2) * sizeof(T)));
  set_bytes(space, label, memory, 0, sizeof(unsigned));
  return {reinterpret_cast<unsigned*>(memory), static_cast<unsigned>(most),
          reinterpret_cast<index_t*>(memory + 256), reinterpret_cast<T*>(memory + numbers)};
}

}  // namespace cuda_impl

/// Reduces neighbouring segments in the stream's order, each in its canonical shape. One kernel, or
/// three where a segment may be longer than a chunk; does not block. Errors: device_error,
/// out_of_memory_error.
template <class Load, class Offset, class R>
void dispatch_segmented_reduce(const cuda& space, const char* label,
                               const segmented_problem<Load, Offset, R>& problem) {
  using namespace cuda_impl;
  using fold = segment_fold<Load, R>;
  using problem_type = segmented_problem<Load, Offset, R>;
  require_argument_size<problem_type>();
  constexpr int block = fold::block;
  const int each = segments_at_once(problem.segments, limits(space).multiprocessors);
  const auto longer =
      make_long_segments<typename R::accumulator>(space, label, problem.terms, fold::chunk_terms);
  launch(space, segments_shape(space, label, ceil_div(problem.segments, index_t{each}), block),
         segments_kernel<Load, Offset, R>, problem, each, longer);
  if (longer.count == nullptr) return;
  const index_t chunks = ceil_div(problem.terms, fold::chunk_terms) + problem.segments;
  launch(space, segments_shape(space, label, chunks, block), chunks_kernel<Load, Offset, R>,
         problem, longer);
  launch(
      space,
      segments_shape(space, label, problem.terms / fold::chunk_terms, segments_tuning.join_block),
      join_chunks_kernel<Load, Offset, R>, problem, longer);
}

/// Scans neighbouring segments in the stream's order, each in its canonical shape, a long one by
/// one warp. One kernel; does not block. Errors: device_error.
template <class Load, class Offset, class R>
void dispatch_segmented_scan(const cuda& space, const char* label,
                             const segmented_scan_problem<Load, Offset, R>& problem) {
  using namespace cuda_impl;
  require_argument_size<segmented_scan_problem<Load, Offset, R>>();
  const index_t count = problem.of.segments;
  const int each = segments_at_once(count, limits(space).multiprocessors);
  launch(space,
         segments_shape(space, label, ceil_div(count, index_t{each}), segments_tuning.scan_block),
         segmented_scan_kernel<Load, Offset, R>, problem, each);
}

}  // namespace tandem
