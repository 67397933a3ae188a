// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/result_mailbox.hpp>
#include <tandem/backends/cuda/segments/dispatch.cuh>
#include <tandem/backends/cuda/select/dispatch.cuh>
#include <tandem/core/contract/segmented_problem.hpp>

namespace tandem {

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
  const cuda_impl::result_call call = cuda_impl::open_mailbox(space);
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
