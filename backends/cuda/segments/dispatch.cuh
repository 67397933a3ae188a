// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/backends/cuda/runtime/result_slot.hpp>
#include <tandem/backends/cuda/segments/reduce_kernels.cuh>
#include <tandem/backends/cuda/segments/scan_kernel.cuh>
#include <tandem/backends/cuda/select/dispatch.cuh>
#include <tandem/core/contract/segmented_problem.hpp>
#include <tandem/core/contract/segmented_scan.hpp>
#include <tandem/core/math.hpp>

namespace tandem {

namespace cuda_impl {

/// Launch shape for `items` items, one per warp.
inline launch_shape segments_shape(const cuda& space, const char* label, index_t items,
                                   int threads) {
  const index_t warps = threads / warp_threads;
  const index_t most =
      index_t{limits(space).multiprocessors} * segments_tuning.grid_warps_per_sm / warps;
  const index_t blocks = tandem::clamp(ceil_div(items, warps), index_t{1}, most);
  return {.grid = dim3(static_cast<unsigned>(blocks)),
          .block = dim3(static_cast<unsigned>(threads)),
          .label = label,
          .programmatic_launch = true};
}

/// Layout of scratch memory for the segments that are longer than a chunk.
struct long_segments_layout {
  std::size_t most;    ///< segments; 0 if all terms fit into one chunk
  std::size_t firsts;  ///< bytes before their first chunks
  std::size_t folded;  ///< bytes before the numbers of their chunks that have been folded
  std::size_t values;  ///< bytes before the chunks' values
  std::size_t bytes;
};
inline long_segments_layout lay_out_long_segments(index_t terms, index_t chunk_terms,
                                                  std::size_t value_bytes) {
  const auto most = static_cast<std::size_t>(terms <= chunk_terms ? 0 : terms / chunk_terms);
  const std::size_t firsts = most * sizeof(index_t);
  const std::size_t folded = firsts + most * sizeof(unsigned);
  const std::size_t values = round_up(folded + most * sizeof(unsigned), std::size_t{256});
  return {most, firsts, folded, values, values + 2 * most * value_bytes};
}

/// Grows the scratch memory for a reduction of segments with `terms` terms, so that the reduction
/// need not allocate.
template <class Load, class R>
void reserve_long_segments(const cuda& space, index_t terms) {
  const auto layout = lay_out_long_segments(terms, segment_fold<Load, R>::chunk_terms,
                                            sizeof(typename R::accumulator));
  if (layout.most > 0) scratch(space, layout.bytes);
}

/// Scratch for the segments that are longer than a chunk; none if all terms fit into one chunk.
template <class T>
long_segments<T> make_long_segments(const cuda& space, index_t terms, index_t chunk_terms) {
  const auto layout = lay_out_long_segments(terms, chunk_terms, sizeof(T));
  if (layout.most == 0) return {};
  auto* const memory = static_cast<unsigned char*>(scratch(space, layout.bytes));
  return {.count = reinterpret_cast<unsigned long long*>(counters(space)),
          .readers = counters(space) + 2,
          .most = static_cast<unsigned>(layout.most),
          .segment = reinterpret_cast<index_t*>(memory),
          .first = reinterpret_cast<unsigned*>(memory + layout.firsts),
          .folded = reinterpret_cast<unsigned*>(memory + layout.folded),
          .chunk = reinterpret_cast<T*>(memory + layout.values)};
}

/// Launches the kernels that reduce segments. If `counted` is not null, it points to the actual
/// number of segments, at most the problem's, which another kernel counts.
template <class Load, class Offset, class R>
void launch_segments(const cuda& space, const char* label,
                     const segmented_problem<Load, Offset, R>& problem, const index_t* counted) {
  using fold = segment_fold<Load, R>;
  constexpr int block = fold::block;
  const int multiprocessors = limits(space).multiprocessors;
  // If the segments are counted, there may be few, so a warp processes fewer at once.
  const int each = counted != nullptr
                       ? 1
                       : segments_at_once(problem.segments, multiprocessors,
                                          segments_per_stage(problem.segments, problem.terms,
                                                             stage_capacity<R>));
  auto longer =
      make_long_segments<typename R::accumulator>(space, problem.terms, fold::chunk_terms);
  // A warp that counts the chunks of its segment waits for L2 behind each; a launch costs more than
  // a few such waits.
  const index_t chunks = problem.terms / fold::chunk_terms;
  const bool joins =
      chunks > index_t{multiprocessors} * fold::blocks_per_sm * (block / warp_threads);
  if (joins) longer.folded = nullptr;
  launch(space, segments_shape(space, label, ceil_div(problem.segments, index_t{each}), block),
         segments_kernel<Load, Offset, R>, problem, each,
         counted_segments{counted, multiprocessors}, longer);
  if (longer.count == nullptr) return;
  launch(space, segments_shape(space, label, 2 * chunks, block), chunks_kernel<Load, Offset, R>,
         problem, longer);
  if (!joins) return;
  launch(space, segments_shape(space, label, chunks, segments_tuning.join_block),
         join_chunks_kernel<Load, Offset, R>, problem, longer);
}

}  // namespace cuda_impl

/// Reduces adjacent segments in stream order, each in its canonical shape. Launches one kernel, or
/// two or three if a segment may be longer than a chunk. Does not block. Errors: device_error,
/// out_of_memory_error.
template <class Load, class Offset, class R>
void dispatch_segmented_reduce(const cuda& space, const char* label,
                               const segmented_problem<Load, Offset, R>& problem) {
  cuda_impl::require_argument_size<segmented_problem<Load, Offset, R>>();
  cuda_impl::launch_segments(space, label, problem, nullptr);
}

/// Scans adjacent segments in stream order, each in its canonical shape; one warp scans a long
/// segment. Launches one kernel. Does not block. Errors: device_error.
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

/// Reduces runs of equal keys and returns the number of runs, for which the host polls. The first
/// pass selects the keys: it writes each run's key and the position where the run begins. The
/// second pass reduces the runs as segments of the values. The device counts the runs, so it does
/// not wait for the host between the passes. All memory is allocated before any output is written.
/// Errors: device_error, out_of_memory_error; recording_error while the stream is being recorded.
template <class Key, class Load, class R>
index_t dispatch_reduce_runs(const cuda& space, const char* label,
                             const runs_problem<Key, Load, R>& problem) {
  using segments = segmented_problem<Load, index_t, R>;
  cuda_impl::require_argument_size<segments>();
  cuda_impl::reserve_long_segments<Load, R>(space, problem.size);
  index_t* const count = problem.begins + problem.room + 1;
  const cuda_impl::result_call call = cuda_impl::open_result_slot(space);
  cuda_impl::launch_select(space, label,
                           select_problem<Key, keep_runs>{.size = problem.size,
                                                          .x = problem.keys,
                                                          .x_stride = problem.key_stride,
                                                          .out = problem.keys_out,
                                                          .out_stride = problem.keys_out_stride,
                                                          .room = problem.room,
                                                          .keep = {{}, problem.begins}},
                           {count, call.device, call.number});
  if (problem.room > 0) {
    cuda_impl::launch_segments(space, label,
                               segments{.load = problem.load,
                                        .reducer = problem.reducer,
                                        .terms = problem.size,
                                        .offsets = problem.begins,
                                        .offset_stride = 1,
                                        .segments = problem.room,
                                        .out = problem.out,
                                        .out_stride = problem.out_stride},
                               count);
  }
  cuda_impl::wait_for_results(space, label, call, cuda_impl::result_words<index_t>);
  return cuda_impl::received<index_t>(call, 0);
}

}  // namespace tandem
