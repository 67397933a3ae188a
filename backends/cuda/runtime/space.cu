// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/runtime/space.hpp>

#include <tandem/backends/cuda/runtime/device_context.cuh>

#include <tandem/core/tools/profiling/profiling.hpp>

#include <cstdlib>
#include <utility>

#include <nvtx3/nvToolsExt.h>

namespace tandem {

using cuda_impl::check;
using cuda_impl::device_guard;

// NVTX ranges, if a profiler is attached: NVIDIA's tools name the library that receives them in the
// environment.

namespace {

detail::profiler nvtx_ranges{
    [](const detail::operation& what, std::uint64_t*) { nvtxRangePushA(what.label); },
    [](const detail::operation&, std::uint64_t) { nvtxRangePop(); }, false, false};

[[maybe_unused]] const bool has_listener = (std::getenv("NVTX_INJECTION64_PATH") != nullptr ||
                                            std::getenv("NVTX_INJECTION32_PATH") != nullptr) &&
                                           detail::add_profiler(nvtx_ranges);

}  // namespace

// cuda_event

cuda_event::cuda_event(int device) : device_(device) {
  int current = device;
  check(cudaGetDevice(&current), "record: cudaGetDevice");
  if (current != device) check(cudaSetDevice(device), "record: cudaSetDevice");
  const cudaError_t made = cudaEventCreate(&event_);
  if (current != device) static_cast<void>(cudaSetDevice(current));
  check(made, "record: cudaEventCreate");
}

cuda_event& cuda_event::operator=(cuda_event&& other) noexcept {
  std::swap(event_, other.event_);
  std::swap(device_, other.device_);
  std::swap(recording_, other.recording_);
  return *this;
}

cuda_event::~cuda_event() {
  if (event_ != nullptr && cudaEventDestroy(event_) != cudaSuccess)
    static_cast<void>(cudaGetLastError());
}

void cuda_event::wait() const {
  if (recording_ != nullptr)
    cuda_impl::fail_recording("waiting for an event", "its work is recorded and does not run");
  const cuda_impl::capture_allowance allowance;
  check(cudaEventSynchronize(event_), "wait: cudaEventSynchronize");
}

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

namespace {

int attribute(int device, cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

/// Fills in what identifies a device: its warp size, clocks, bus address and versions.
void read_identity(cuda_device& device) {
  device.warp_size = attribute(device.id, cudaDevAttrWarpSize);
  device.clock_khz = attribute(device.id, cudaDevAttrClockRate);
  device.memory_clock_khz = attribute(device.id, cudaDevAttrMemoryClockRate);
  char bus[32] = {};
  check(cudaDeviceGetPCIBusId(bus, sizeof bus, device.id), "cudaDeviceGetPCIBusId");
  device.pci_bus = bus;
  check(cudaDriverGetVersion(&device.driver_version), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&device.runtime_version), "cudaRuntimeGetVersion");
}

}  // namespace

cuda::cuda(int device) {
  detail::require_agreement();
  state_ = cuda_impl::acquire_stream(device);
}

cuda cuda::on_stream(CUstream_st* stream, int device) {
  cuda space(device);
  cuda_impl::borrow_stream(*space.state_, stream);
  return space;
}

int cuda::current_device() {
  std::string why;
  if (cuda_impl::device_count(&why) == 0) throw no_device_error("cuda: no device: " + why);
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

cuda& cuda::operator=(cuda&& other) noexcept {
  std::swap(state_, other.state_);
  std::swap(label_, other.label_);
  std::swap(is_borrowed_, other.is_borrowed_);
  return *this;
}

cuda::~cuda() {
  if (state_ != nullptr && !is_borrowed_) cuda_impl::release_stream(state_);
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
    read_identity(device);
    device.block_threads = limits.block_threads;
    device.block_shared = limits.block_shared;
    device.l2_bytes = limits.l2_bytes;
    result.push_back(device);
  }
  return result;
}

std::vector<processor> cuda::processors() {
  std::vector<processor> result;
  for (const cuda_device& one : devices()) {
    result.push_back(
        {"cuda", one.id, one.name, one.multiprocessors, "multiprocessors", one.total_memory});
  }
  return result;
}

void cuda::fence() const {
  cuda_impl::require_running(*this, "fence");
  const cuda_impl::capture_allowance allowance;
  cuda_impl::check_work(*state_, cudaStreamSynchronize(state_->stream),
                        "fence: cudaStreamSynchronize");
  cuda_impl::check_requirements(device(), *state_);
}

cuda_event cuda::record() const {
  cuda_event event(device());
  event.recording_ = cuda_impl::recording_of(*state_);
  cuda_impl::check_work(*state_, cudaEventRecord(event.native(), state_->stream),
                        "record: cudaEventRecord");
  return event;
}

void cuda::wait(const cuda_event& event) const {
  if (event.recording_ != cuda_impl::recording_of(*state_)) {
    cuda_impl::fail_recording("waiting for an event",
                              "the event and the stream are not of one recording");
  }
  check(cudaStreamWaitEvent(state_->stream, event.native(), 0), "wait: cudaStreamWaitEvent");
}

cuda cuda::beside() const {
  cuda_impl::recording_memory* const memory = state_->recording;
  if (memory == nullptr) {
    cuda other(device());
    other.wait(record());
    return other;
  }
  if (!memory->beside) {
    cuda made(device());
    made.fence();  // its earlier work is not recorded
    memory->beside.emplace(std::move(made));
    memory->beside->state_->recording = memory;
  }
  memory->beside->wait(record());
  return memory->beside->named(nullptr);
}

void cuda::share_memory_with(const cuda& peer) const {
  if (peer.device() == device()) return;
  int is_linked = 0;
  check(cudaDeviceCanAccessPeer(&is_linked, peer.device(), device()), "cudaDeviceCanAccessPeer");
  if (is_linked == 0) return;
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = peer.device();
  access.flags = cudaMemAccessFlagsProtReadWrite;
  check(cudaMemPoolSetAccess(state_->pool, &access, 1), "cudaMemPoolSetAccess");
}

int cuda::device() const { return state_->limits->device; }

CUstream_st* cuda::native_stream() const { return state_->stream; }

// dispatch_check_pointer

void dispatch_check_pointer(const cuda& space, const char* operation, const char* operand,
                            const void* pointer) {
  if (pointer == nullptr) return;
  cudaPointerAttributes attributes{};
  const cudaError_t status = cudaPointerGetAttributes(&attributes, pointer);
  if (status != cudaSuccess)
    check(status, (std::string(operation) + ": cudaPointerGetAttributes").c_str());
  // Text is built only for errors, because strings allocate and this runs before every operation.
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
