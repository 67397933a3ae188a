// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/memory/staging_ring.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/memory/copy_crew.hpp>
#include <tandem/backends/cuda/memory/policy.hpp>
#include <tandem/backends/cuda/runtime/device_context.cuh>

namespace tandem::cuda_impl {

namespace {

/// Page-locked buffers of one device. Used by one transfer at a time; the copies of the last one
/// may still run, which the events tell.
struct staging_ring {
  std::mutex in_use;
  std::byte* memory = nullptr;                        ///< null where page-locked memory has run out
  cudaEvent_t copied[pageable_staging.buffers] = {};  ///< the last copy to or from each buffer
};

/// Makes the ring of the calling thread's current device.
std::unique_ptr<staging_ring> make_ring() {
  auto ring = std::make_unique<staging_ring>();
  for (cudaEvent_t& event : ring->copied)
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "copy: cudaEventCreate");
  void* memory = nullptr;
  if (cudaHostAlloc(&memory, pageable_staging.buffers * pageable_staging.buffer_bytes,
                    cudaHostAllocPortable) == cudaSuccess) {
    ring->memory = static_cast<std::byte*>(memory);
  } else {
    static_cast<void>(cudaGetLastError());  // copies are left to the driver, then
  }
  return ring;
}

/// The ring of a device, made with its first use. Never destroyed: threads may copy while static
/// objects are.
staging_ring& ring_of(int device) {
  static std::mutex& mutex = *new std::mutex;
  static auto& rings = *new std::vector<std::unique_ptr<staging_ring>>;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto index = static_cast<std::size_t>(device);
  if (rings.size() <= index) rings.resize(index + 1);
  if (rings[index] == nullptr) rings[index] = make_ring();
  return *rings[index];
}

/// The space's ring; null where the host has no memory for one, and copies are left to the driver.
staging_ring* find_ring(const cuda& space) {
  try {
    copy_crew::instance();
    staging_ring& ring = ring_of(limits(space).device);
    return ring.memory == nullptr ? nullptr : &ring;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

enum class direction { to_device, to_host };

/// A copy in parts, of a buffer each or less. Part k uses buffer k modulo their number. Threads
/// draw parts in ascending order, and a part waits for the part before it in its buffer alone,
/// which a thread has drawn: the smallest unfinished part never waits for a thread that waits.
class staged_copy final : public shared_work {
 public:
  staged_copy(const cuda& space, staging_ring& ring, direction way, std::byte* device,
              std::byte* host, std::size_t bytes)
      : stream_(space.native_stream()),
        number_of_device_(limits(space).device),
        ring_(ring),
        way_(way),
        device_(device),
        host_(host),
        bytes_(bytes),
        part_bytes_(staging_part(bytes)) {}

  void run() noexcept override {
    note(cudaSetDevice(number_of_device_));
    for (std::size_t part = next_++; part < parts() && good(); part = next_++)
      note(way_ == direction::to_device ? send(part) : receive(part));
  }

  /// Starts the copies that fill the ring for the host, before the threads run. They follow the
  /// copies of the last transfer, which may have used another stream.
  void prime() {
    for (std::size_t part = 0; part < std::min(parts(), buffers) && good(); ++part) {
      note(cudaStreamWaitEvent(stream_, copied(part)));
      if (good()) note(start(part));
    }
  }

  cudaError_t status() const { return status_.load(); }

 private:
  static constexpr auto buffers = static_cast<std::size_t>(pageable_staging.buffers);

  std::size_t parts() const { return (bytes_ + part_bytes_ - 1) / part_bytes_; }
  std::size_t begin(std::size_t part) const { return part * part_bytes_; }
  std::size_t size(std::size_t part) const { return std::min(part_bytes_, bytes_ - begin(part)); }
  std::byte* buffer(std::size_t part) const {
    return ring_.memory + part % buffers * pageable_staging.buffer_bytes;
  }
  cudaEvent_t copied(std::size_t part) const { return ring_.copied[part % buffers]; }

  bool good() const { return status() == cudaSuccess; }
  void note(cudaError_t status) {
    cudaError_t none = cudaSuccess;
    if (status != cudaSuccess) status_.compare_exchange_strong(none, status);
  }

  /// Enqueues the copy between a part's buffer and the device.
  cudaError_t start(std::size_t part) {
    std::byte* const there = device_ + begin(part);
    const bool sends = way_ == direction::to_device;
    cudaError_t status =
        cudaMemcpyAsync(sends ? there : buffer(part), sends ? buffer(part) : there, size(part),
                        sends ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream_);
    if (status == cudaSuccess) status = cudaEventRecord(copied(part), stream_);
    started_[part % buffers].store(part / buffers + 1, std::memory_order_release);
    return status;
  }

  /// Waits until `rounds` copies of the part's buffer have been enqueued, and the last has ended.
  cudaError_t wait(std::size_t part, std::size_t rounds) const {
    while (started_[part % buffers].load(std::memory_order_acquire) < rounds) {
      if (!good()) return cudaSuccess;  // another thread has told why
      std::this_thread::yield();
    }
    return cudaEventSynchronize(copied(part));
  }

  cudaError_t send(std::size_t part) {
    const cudaError_t status = wait(part, part / buffers);
    if (status != cudaSuccess || !good()) return status;
    std::memcpy(buffer(part), host_ + begin(part), size(part));
    return start(part);
  }

  cudaError_t receive(std::size_t part) {
    const cudaError_t status = wait(part, part / buffers + 1);
    if (status != cudaSuccess || !good()) return status;
    std::memcpy(host_ + begin(part), buffer(part), size(part));
    return part + buffers < parts() ? start(part + buffers) : cudaSuccess;
  }

  cudaStream_t stream_;
  int number_of_device_;
  staging_ring& ring_;
  direction way_;
  std::byte* device_;
  std::byte* host_;
  std::size_t bytes_;
  std::size_t part_bytes_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> started_[buffers] = {};  // copies enqueued per buffer
  std::atomic<cudaError_t> status_ = cudaSuccess;
};

void run(const cuda& space, direction way, void* device, void* host, std::size_t bytes) {
  staging_ring* const ring = find_ring(space);
  const std::lock_guard<std::mutex> lock(ring->in_use);
  staged_copy copy(space, *ring, way, static_cast<std::byte*>(device),
                   static_cast<std::byte*>(host), bytes);
  if (way == direction::to_host) copy.prime();
  copy_crew::instance().share(copy);
  check_work(space.state(), copy.status(), "copy: cudaMemcpyAsync");
}

}  // namespace

bool is_staged(const cuda& space, const void* host, std::size_t bytes) {
  if (bytes < pageable_staging.least_bytes) return false;
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, host), "copy: cudaPointerGetAttributes");
  if (attributes.type != cudaMemoryTypeUnregistered) return false;
  cudaStreamCaptureStatus captured = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(space.native_stream(), &captured), "copy: cudaStreamIsCapturing");
  return captured == cudaStreamCaptureStatusNone && find_ring(space) != nullptr;
}

void stage_to_device(const cuda& space, void* device, const void* host, std::size_t bytes) {
  run(space, direction::to_device, device, const_cast<void*>(host), bytes);
}

void stage_to_host(const cuda& space, void* host, const void* device, std::size_t bytes) {
  run(space, direction::to_host, const_cast<void*>(device), host, bytes);
}

}  // namespace tandem::cuda_impl
