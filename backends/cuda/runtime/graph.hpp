// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/space.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

struct CUgraphExec_st;

namespace tandem {

namespace cuda_impl {
struct recording_memory;
}

/// Work of one or several GPUs, recorded once and launched as a whole. Move-only. Owns the streams
/// on which it was recorded and all memory that its kernels use besides their operands.
class cuda_graph {
 public:
  cuda_graph(cuda_graph&& other) noexcept;
  cuda_graph& operator=(cuda_graph&& other) noexcept;
  /// Does not block: memory is returned in stream order, after the last replay.
  ~cuda_graph();

  /// Enqueues the recorded work on streams of the devices for which it was recorded: behind the
  /// earlier work of all of them, and before the later work of each. Replays of one graph run one
  /// after another in call order, regardless of their streams.
  /// Errors: argument_error for other devices; recording_error while one of the spaces is being
  /// recorded; device_error if the launch fails.
  void replay(std::span<const cuda> spaces);

 private:
  friend class cuda_recording;
  struct recorded_stream {
    cuda space;                         // the recorded kernels use its scratch and counters
    std::vector<void*> deferred_frees;  // freed during the recording
  };
  explicit cuda_graph(std::size_t spaces) : spaces_(spaces) {}
  void end();

  std::size_t spaces_;                    // for which it was recorded
  std::vector<recorded_stream> streams_;  // of each space, then those beside them
  CUgraphExec_st* work_ = nullptr;
  cuda_impl::stream_state* last_ = nullptr;  // stream of the latest replay; states are never freed
};

/// A recording in progress on separate streams: work enqueued on space(p) is recorded and does not
/// run. Events order these streams. Ends when it goes out of scope.
class cuda_recording {
 public:
  /// Begins a recording with a stream for each of these spaces, on the space's device.
  /// Errors: no_device_error, out_of_memory_error, device_error.
  explicit cuda_recording(std::span<const cuda> spaces);
  cuda_recording(const cuda_recording&) = delete;
  cuda_recording& operator=(const cuda_recording&) = delete;
  ~cuda_recording();

  const cuda& space(std::size_t p) const { return homes_[p]; }

  /// Returns the work enqueued so far, ready to be launched. Call it once. Errors: device_error,
  /// out_of_memory_error.
  cuda_graph finish();

 private:
  cuda_recording();
  void begin();
  void join() const;

  std::vector<cuda> homes_;
  std::vector<std::unique_ptr<cuda_impl::recording_memory>> memory_;  // empty once it is finished
};

/// Starts a recording of work for these spaces.
inline cuda_recording dispatch_record(std::span<const cuda> spaces) {
  return cuda_recording(spaces);
}

}  // namespace tandem
