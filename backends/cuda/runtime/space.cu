// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/runtime/space.hpp>

#include <tandem/backends/cuda/runtime/device_context.cuh>

#include <utility>

namespace tandem {

using cuda_impl::check;
using cuda_impl::device_guard;

// cuda_event

cuda_event::cuda_event(int device) : device_(device) {
  const device_guard guard(device);
  check(cudaEventCreate(&event_), "cudaEventCreate");
}

cuda_event& cuda_event::operator=(cuda_event&& other) noexcept {
  std::swap(event_, other.event_);
  std::swap(device_, other.device_);
  return *this;
}

cuda_event::~cuda_event() {
  if (event_ != nullptr && cudaEventDestroy(event_) != cudaSuccess)
    static_cast<void>(cudaGetLastError());
}

void cuda_event::wait() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }

double elapsed_ms(const cuda_event& start, const cuda_event& stop) {
  stop.wait();
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start.native(), stop.native()), "cudaEventElapsedTime");
  return milliseconds;
}

// cuda_resource

void* cuda_resource::allocate(std::size_t bytes) const {
  return cuda_impl::allocate(*state_, bytes);
}

void cuda_resource::deallocate(void* pointer, std::size_t) const noexcept {
  cuda_impl::deallocate(*state_, pointer);
}

// cuda

cuda::cuda(int device) : state_(cuda_impl::acquire_stream(device)) {}

cuda& cuda::operator=(cuda&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

cuda::~cuda() {
  if (state_ != nullptr) cuda_impl::release_stream(state_);
}

std::vector<cuda_device> cuda::devices() {
  std::vector<cuda_device> result;
  const int count = cuda_impl::device_count();
  for (int id = 0; id < count; ++id) {
    const cuda_impl::device_limits limits = cuda_impl::read_limits(id);
    const device_guard guard(id);
    cuda_device device;
    check(cudaMemGetInfo(&device.free_memory, &device.total_memory), "cudaMemGetInfo");
    device.id = id;
    device.name = limits.name;
    device.compute_capability = limits.compute_capability;
    device.multiprocessors = limits.multiprocessors;
    device.block_threads = limits.block_threads;
    device.block_shared = limits.block_shared;
    device.l2_bytes = limits.l2_bytes;
    result.push_back(device);
  }
  return result;
}

void cuda::fence() const {
  cuda_impl::require_running(*this, "fence");
  check(cudaStreamSynchronize(state_->stream), "fence: cudaStreamSynchronize");
}

cuda_event cuda::record() const {
  cuda_impl::require_running(*this, "an event");
  cuda_event event(device());
  check(cudaEventRecord(event.native(), state_->stream), "record: cudaEventRecord");
  return event;
}

void cuda::wait(const cuda_event& event) const {
  cuda_impl::require_running(*this, "waiting for an event");
  check(cudaStreamWaitEvent(state_->stream, event.native(), 0), "wait: cudaStreamWaitEvent");
}

int cuda::device() const { return state_->limits->device; }

CUstream_st* cuda::native_stream() const { return state_->stream; }

// dispatch_check_pointer

void dispatch_check_pointer(const cuda& space, const char* operation, const char* operand,
                            const void* pointer) {
  if (pointer == nullptr) return;
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, pointer), "cudaPointerGetAttributes");
  // Text is made for errors alone, because strings allocate and this runs before every operation.
  const auto fail = [&](const std::string& what) {
    throw argument_error(std::string(operation) + ": " + operand + " is " + what);
  };
  if (attributes.type == cudaMemoryTypeUnregistered) fail("host memory; the GPU cannot read it");
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != space.device()) {
    fail("memory of device " + std::to_string(attributes.device) + "; the space runs on device " +
         std::to_string(space.device()));
  }
}

}  // namespace tandem
