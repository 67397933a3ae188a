// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/device_list.hpp>
#include <tandem/core/contract/hooks.hpp>
#include <tandem/core/errors.hpp>
#include <tandem/core/memory.hpp>
#include <tandem/core/space.hpp>

#include <cstddef>
#include <vector>

struct CUstream_st;
struct CUevent_st;

namespace tandem {

class cuda_pinned;

namespace cuda_impl {
struct stream_state;
}

/// A point in the order of a stream. Move-only; an event outlives its space.
class cuda_event {
 public:
  explicit cuda_event(int device);
  cuda_event(cuda_event&& other) noexcept
      : event_(other.event_), device_(other.device_), recording_(other.recording_) {
    other.event_ = nullptr;
  }
  cuda_event& operator=(cuda_event&& other) noexcept;
  ~cuda_event();

  /// Blocks until the work before the event has completed. Errors: device_error; recording_error
  /// for an event of work that is recorded.
  ///
  /// Complexity  one call of the driver, and the wait
  void wait() const;
  CUevent_st* native() const { return event_; }

 private:
  friend class cuda;

  CUevent_st* event_ = nullptr;
  int device_ = 0;
  const void* recording_ = nullptr;  ///< of the work before it; null if that runs
};

/// Returns the milliseconds on the device between two recorded events, with a resolution of about
/// 0.5 us.
///
/// @param start, stop  events recorded on one device, in this order; the call waits for `stop`
/// Errors              device_error
double elapsed_ms(const cuda_event& start, const cuda_event& stop);

/// Allocates device memory from the device's pool in the order of one stream. Copyable; outlives
/// its space.
class cuda_resource {
 public:
  explicit cuda_resource(cuda_impl::stream_state* state) : state_(state) {}

  /// Allocates at least `bytes` bytes, 256-byte aligned; returns nullptr for 0. Errors:
  /// out_of_memory_error.
  void* allocate(std::size_t bytes) const;
  /// Returns memory in stream order; never throws.
  void deallocate(void* pointer, std::size_t bytes) const noexcept;

 private:
  cuda_impl::stream_state* state_;
};

/// A stream of one CUDA device. Operations on one object run in order. Different objects are
/// independent of each other; events order them. Only one host thread at a time may use an object.
///
/// Files of any compiler can create and use the object; loops over lambdas require nvcc.
class cuda {
 public:
  using memory_type = device_memory;
  using resource_type = cuda_resource;
  using event_type = cuda_event;
  using mirror_space = cuda_pinned;
  static constexpr const char* name = "cuda";
  static constexpr hook_set hooks{hook::transform,
                                  hook::scan,
                                  hook::scan_part,
                                  hook::reduce_axis,
                                  hook::segmented_reduce,
                                  hook::segmented_scan,
                                  hook::reduce_runs,
                                  hook::histogram,
                                  hook::matmul,
                                  hook::matmul_16bit,
                                  hook::matmul_int8,
                                  hook::matmul_chunks,
                                  hook::sort,
                                  hook::merge,
                                  hook::select,
                                  hook::random,
                                  hook::check_pointer,
                                  hook::record};

  /// Makes a stream of device number `device`. Errors: no_device_error if there is no such device
  /// or none at all; device_error in a process that was forked from one that has used CUDA;
  /// agreement_error.
  ///
  /// Complexity  reuses a stream that an earlier object released, or makes one; the first one of a
  ///             device makes its context and its memory pool
  explicit cuda(int device = 0);
  /// Returns a stream of device number `device`, like cuda(device). Errors: those of the
  /// constructor.
  static cuda on_device(int device) { return cuda(device); }
  /// Runs on the caller's stream, a cudaStream_t, so that tandem, PyTorch, Thrust, cuBLAS and your
  /// kernels share one order. Null is CUDA's default stream.
  ///
  /// The stream is borrowed: it must outlive the object and is never destroyed. Memory of arrays
  /// that outlive the object is returned on a separate stream, after the work that the stream had
  /// been given.
  /// @param device  the device of the stream; by default the calling thread's current one
  /// Errors: those of the constructor; device_error if `stream` is not a stream of the device.
  static cuda on_stream(CUstream_st* stream, int device = current_device());
  cuda(cuda&& other) noexcept
      : state_(other.state_), label_(other.label_), is_borrowed_(other.is_borrowed_) {
    other.state_ = nullptr;
  }
  cuda& operator=(cuda&& other) noexcept;
  ~cuda();

  /// Returns the devices of this machine; empty if there are none or there is no driver.
  static std::vector<cuda_device> devices();
  /// Returns the devices, for any_space::processors().
  static std::vector<processor> processors();

  /// Blocks until all work of this stream has completed. Errors: device_error that says what
  /// failed; recording_error while this stream is being recorded.
  ///
  /// Complexity  one call of the driver, and the wait
  void fence() const;
  /// Records an event after all work enqueued so far.
  ///
  /// Complexity  makes an event; two calls of the driver
  cuda_event record() const;
  /// Makes later work of this stream start after `event`. Does not block the host. Errors:
  /// device_error; recording_error if the event and this stream are not of one recording.
  ///
  /// Complexity  one call of the driver
  void wait(const cuda_event& event) const;
  /// Returns another stream of this device, whose work starts behind what this one has been given
  /// so far. While this stream is being recorded, the other one is recorded into the same graph:
  /// one for all calls, which the graph keeps.
  ///
  /// Complexity  that of the constructor, of record() and of wait()
  cuda beside() const;

  /// Lets work of another space's device access the memory of this one's directly, if the two
  /// devices are linked. If not, copies between them pass through the host. Errors: device_error.
  ///
  /// Complexity  two calls of the driver; none for two spaces of one device
  void share_memory_with(const cuda& peer) const;

  /// This space with a label for the operations called on it:
  ///
  ///   tandem::parallel_for(space.named("advect"), n, f);
  ///
  /// Profilers, traces, comparisons and reports of checked kernels call the operations by the
  /// label, and errors begin with "label (operation): ". Pass a string literal, or a string that
  /// outlives the space and what profilers record. The result runs on this
  /// space's stream, which it must not outlive.
  cuda named(const char* label) const { return cuda(state_, label); }
  /// The label, or null.
  const char* label() const { return label_; }

  int device() const;
  /// Returns the device that is current in the calling thread. Errors: no_device_error.
  static int current_device();
  /// Returns the cudaStream_t.
  CUstream_st* native_stream() const;
  cuda_resource resource() const { return cuda_resource(state_); }
  /// For tandem's kernels: scratch, counters and limits of this stream.
  cuda_impl::stream_state& state() const { return *state_; }

 private:
  cuda(cuda_impl::stream_state* state, const char* label)
      : state_(state), label_(label), is_borrowed_(true) {}

  cuda_impl::stream_state* state_ = nullptr;
  const char* label_ = nullptr;
  bool is_borrowed_ = false;  ///< the stream belongs to the space that named() was called on
};

/// Throws argument_error unless device code of `space` may access `pointer` (null passes).
void dispatch_check_pointer(const cuda& space, const char* operation, const char* operand,
                            const void* pointer);

}  // namespace tandem
