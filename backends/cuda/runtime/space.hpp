// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/histogram_problem.hpp>
#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/detail/copy_problem.hpp>
#include <tandem/core/errors.hpp>
#include <tandem/core/memory.hpp>

#include <cstddef>
#include <string>
#include <vector>

struct CUstream_st;
struct CUevent_st;

namespace tandem {

namespace cuda_impl {
struct stream_state;
}

/// Describes a CUDA device, as the driver reports it at the time of the call.
struct cuda_device {
  int id = 0;
  std::string name;
  int compute_capability = 0;    ///< major * 10 + minor: 90 for compute capability 9.0
  std::size_t free_memory = 0;   ///< bytes
  std::size_t total_memory = 0;  ///< bytes
  int multiprocessors = 0;
  int block_threads = 0;         ///< the most threads of a block
  std::size_t block_shared = 0;  ///< the most bytes of shared memory of a block
  std::size_t l2_bytes = 0;
};

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
  void wait() const;
  CUevent_st* native() const { return event_; }

 private:
  CUevent_st* event_ = nullptr;
  int device_ = 0;
};

/// Milliseconds on the device between two recorded events; waits for `stop`. Resolution about 0.5
/// us. Errors: device_error.
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
  static constexpr const char* name = "cuda";

  /// Makes a stream of device number `device`. Errors: no_device_error when there is no such device
  /// or none at all.
  explicit cuda(int device = 0);
  cuda(cuda&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  cuda& operator=(cuda&& other) noexcept;
  ~cuda();

  /// Devices of this machine; empty where there is none or no driver.
  static std::vector<cuda_device> devices();

  /// Blocks until all work of this stream is done. Errors: device_error with what failed;
  /// recording_error while this stream is recorded, from record() and wait() as well.
  void fence() const;
  /// Records an event after all work enqueued so far.
  cuda_event record() const;
  /// Makes later work of this stream start after `event`. Does not block the host.
  void wait(const cuda_event& event) const;

  int device() const;
  /// The cudaStream_t.
  CUstream_st* native_stream() const;
  cuda_resource resource() const { return cuda_resource(state_); }
  /// For tandem's own kernels: scratch, counters and limits of this stream.
  cuda_impl::stream_state& state() const { return *state_; }

 private:
  cuda_impl::stream_state* state_ = nullptr;
};

void dispatch_copy(const cuda& space, const copy_problem& problem);
void dispatch_fill(const cuda& space, const fill_problem& problem);
void dispatch_histogram(const cuda& space, const histogram_problem& problem);
void dispatch_matmul(const cuda& space, const matmul_problem<float>& problem);
void dispatch_matmul(const cuda& space, const matmul_problem<double>& problem);
void dispatch_matmul(const cuda& space, const matmul_problem<half>& problem);
void dispatch_matmul(const cuda& space, const matmul_problem<float, half>& problem);
void dispatch_matmul(const cuda& space, const matmul_problem<bf16>& problem);
void dispatch_matmul(const cuda& space, const matmul_problem<float, bf16>& problem);
void dispatch_matmul(const cuda& space, const matmul_problem<std::int32_t, std::int8_t>& problem);
/// Throws argument_error unless device code of `space` may touch `pointer` (null passes).
void dispatch_check_pointer(const cuda& space, const char* operation, const char* operand,
                            const void* pointer);

}  // namespace tandem
