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
  cuda_event(cuda_event&& other) noexcept : event_(other.event_), device_(other.device_) {
    other.event_ = nullptr;
  }
  cuda_event& operator=(cuda_event&& other) noexcept;
  ~cuda_event();

  /// Blocks until the work before the event is done. Errors: device_error.
  ///
  /// Complexity  one call of the driver, and the wait
  void wait() const;
  CUevent_st* native() const { return event_; }

 private:
  CUevent_st* event_ = nullptr;
  int device_ = 0;
};

/// Milliseconds on the device between two recorded events, with a resolution of about 0.5 us.
///
/// @param start, stop  events recorded on one device, in this order; the call waits for `stop`
/// Errors              device_error
double elapsed_ms(const cuda_event& start, const cuda_event& stop);

/// Allocates device memory from the device's pool in the order of one stream. Copyable; outlives
/// its space.
class cuda_resource {
 public:
  explicit cuda_resource(cuda_impl::stream_state* state) : state_(state) {}

  /// At least `bytes` bytes, 256-byte aligned; nullptr for 0. Errors: out_of_memory_error.
  void* allocate(std::size_t bytes) const;
  /// Returns memory in the stream's order; never throws.
  void deallocate(void* pointer, std::size_t bytes) const noexcept;

 private:
  cuda_impl::stream_state* state_;
};

/// A stream of one CUDA device. Operations on one object run in order. Different objects are
/// independent of each other and are ordered by events. One host thread at a time may use an
/// object.
///
/// Files of any compiler can make and use the object; loops over lambdas need nvcc.
class cuda {
 public:
  using memory_type = device_memory;
  using resource_type = cuda_resource;
  using event_type = cuda_event;
  using mirror_space = cuda_pinned;
  static constexpr const char* name = "cuda";
  static constexpr hook_set hooks{hook::scan,           hook::reduce_axis,  hook::segmented_reduce,
                                  hook::segmented_scan, hook::reduce_runs,  hook::histogram,
                                  hook::matmul,         hook::matmul_16bit, hook::matmul_int8,
                                  hook::sort,           hook::select,       hook::random,
                                  hook::check_pointer,  hook::record};

  /// Makes a stream of device number `device`. Errors: no_device_error when there is no such device
  /// or none at all; device_error in a process that was forked from one that has used CUDA;
  /// agreement_error.
  ///
  /// Complexity  takes a stream that an earlier object left, or makes one; the first of a device
  ///             makes its context and its pool of memory
  explicit cuda(int device = 0);
  /// A stream of device number `device`: cuda(device), named. Errors: those of the constructor.
  static cuda on_device(int device) { return cuda(device); }
  /// Runs on a stream of the caller's, a cudaStream_t, so that tandem, PyTorch, Thrust, cuBLAS and
  /// kernels of your own share one order. Null is CUDA's default stream.
  ///
  /// The stream is borrowed: it must outlive the object and is never destroyed. Memory of arrays
  /// that outlive the object is returned in an order of their own, after what the stream had been
  /// given.
  /// @param device  whose stream it is; by default the calling thread's current one
  /// Errors: those of the constructor; device_error for what is no stream of the device.
  static cuda on_stream(CUstream_st* stream, int device = current_device());
  cuda(cuda&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  cuda& operator=(cuda&& other) noexcept;
  ~cuda();

  /// Devices of this machine; empty where there is none or no driver.
  static std::vector<cuda_device> devices();
  /// The devices, for any_space::processors().
  static std::vector<processor> processors();

  /// Blocks until all work of this stream is done. Errors: device_error with what failed;
  /// recording_error while this stream is recorded, from record() and wait() as well.
  ///
  /// Complexity  one call of the driver, and the wait
  void fence() const;
  /// Records an event after all work enqueued so far.
  ///
  /// Complexity  makes an event; two calls of the driver
  cuda_event record() const;
  /// Makes later work of this stream start after `event`. Does not block the host.
  ///
  /// Complexity  one call of the driver
  void wait(const cuda_event& event) const;

  int device() const;
  /// The device that is current in the calling thread. Errors: no_device_error.
  static int current_device();
  /// The cudaStream_t.
  CUstream_st* native_stream() const;
  cuda_resource resource() const { return cuda_resource(state_); }
  /// For tandem's own kernels: scratch, counters and limits of this stream.
  cuda_impl::stream_state& state() const { return *state_; }

 private:
  cuda_impl::stream_state* state_ = nullptr;
};

/// Throws argument_error unless device code of `space` may touch `pointer` (null passes).
void dispatch_check_pointer(const cuda& space, const char* operation, const char* operand,
                            const void* pointer);

}  // namespace tandem
