// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/space.hpp>

#include <vector>

struct CUgraphExec_st;

namespace tandem {

namespace cuda_impl {
struct recording_memory;
}

/// Work of a GPU, recorded once and launched as a whole. Move-only. Owns the stream on which it was
/// recorded and all memory that its kernels use besides their operands.
class cuda_graph {
 public:
  cuda_graph(cuda_graph&& other) noexcept;
  cuda_graph& operator=(cuda_graph&& other) noexcept;
  /// Does not block: memory is returned in stream order, after the last replay.
  ~cuda_graph();

  /// Enqueues the recorded work on any stream of the device for which it was recorded. Replays of
  /// one graph run one after another in call order, regardless of their streams.
  /// Errors: argument_error for another device; recording_error while `space` is being recorded;
  /// device_error if the launch fails.
  void replay(const cuda& space);

 private:
  friend class cuda_recording;
  cuda_graph(cuda&& home, CUgraphExec_st* work, std::vector<void*>&& deferred_frees) noexcept;
  void end();

  cuda home_;  // the recorded kernels use its scratch and counters
  CUgraphExec_st* work_;
  std::vector<void*> deferred_frees_;        // freed during the recording
  cuda_impl::stream_state* last_ = nullptr;  // stream of the latest replay; states are never freed
};

/// A recording in progress on a separate stream: work enqueued on space() is recorded and does not
/// run. Ends when it goes out of scope.
class cuda_recording {
 public:
  /// Errors: no_device_error, out_of_memory_error, device_error.
  explicit cuda_recording(int device);
  cuda_recording(const cuda_recording&) = delete;
  cuda_recording& operator=(const cuda_recording&) = delete;
  ~cuda_recording();

  const cuda& space() const { return home_; }

  /// Returns the work enqueued so far, ready to be launched. Call it once. Errors: device_error.
  cuda_graph finish();

 private:
  cuda home_;
  cuda_impl::recording_memory* memory_;  // owned; null once the recording is finished
};

/// Starts a recording on the device of `space`.
inline cuda_recording dispatch_record(const cuda& space) { return cuda_recording(space.device()); }

}  // namespace tandem
