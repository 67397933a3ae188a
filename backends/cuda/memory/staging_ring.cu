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

#include <tandem/backends/cuda/memory/copy_pool.hpp>
#include <tandem/backends/cuda/memory/host_staging.hpp>
#include <tandem/backends/cuda/memory/policy.hpp>
#include <tandem/backends/cuda/runtime/device_context.cuh>

namespace tandem::cuda_impl {

namespace {

constexpr auto buffers = static_cast<std::size_t>(pageable_staging.buffers);

/// Copies to the device release their buffers in groups, because recording an event costs as much
/// as issuing a copy.
constexpr std::size_t groups = 4;
constexpr std::size_t group = buffers / groups;
static_assert(buffers % groups == 0);

/// Page-locked buffers of one device. One transfer uses them at a time; copies issued by earlier
/// transfers may still be running, which the events track.
struct staging_ring {
  std::mutex in_use;
  std::byte* memory = nullptr;         ///< null if page-locked memory has run out
  std::size_t first = 0;               ///< first buffer of the next transfer; begins a group
  cudaEvent_t sent[groups] = {};       ///< the last copy from each group
  cudaEvent_t received[buffers] = {};  ///< the last copy to each buffer
};

/// Makes the ring for the calling thread's current device.
std::unique_ptr<staging_ring> make_ring() {
  const capture_allowance allowance;
  auto ring = std::make_unique<staging_ring>();
  for (cudaEvent_t& event : ring->sent)
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "copy: cudaEventCreate");
  for (cudaEvent_t& event : ring->received)
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "copy: cudaEventCreate");
  void* memory = nullptr;
  if (cudaHostAlloc(&memory, buffers * pageable_staging.buffer_bytes, cudaHostAllocPortable) ==
      cudaSuccess) {
    ring->memory = static_cast<std::byte*>(memory);
  } else {
    static_cast<void>(cudaGetLastError());  // the driver then stages the copies
  }
  return ring;
}

/// Returns the ring of a device, created on first use. Rings are never destroyed, because threads
/// may copy during the destruction of static objects.
staging_ring& ring_of(int device) {
  static std::mutex& mutex = *new std::mutex;
  static auto& rings = *new std::vector<std::unique_ptr<staging_ring>>;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto index = static_cast<std::size_t>(device);
  if (rings.size() <= index) rings.resize(index + 1);
  if (rings[index] == nullptr) rings[index] = make_ring();
  return *rings[index];
}

/// Returns the space's ring, or null if the host has no memory for one; the driver then stages the
/// copies.
staging_ring* find_ring(const cuda& space) {
  try {
    copy_pool::instance();
    staging_ring& ring = ring_of(limits(space).device);
    return ring.memory == nullptr ? nullptr : &ring;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

enum class direction { to_device, to_host };

/// A copy split into parts of at most one buffer each, which cycle through the buffers. Only the
/// leader calls the driver, because the driver's lock would serialise several threads. It issues
/// the device copies in order and publishes in `ready` how many parts have a buffer that the host
/// may use. The other threads move these parts between the buffers and host memory.
class staged_copy final : public shared_work {
 public:
  staged_copy(const cuda& space, staging_ring& ring, direction way, std::byte* device,
              const host_rows& host, std::size_t bytes)
      : stream_(space.native_stream()),
        ring_(ring),
        way_(way),
        device_(device),
        host_(host),
        bytes_(bytes),
        part_bytes_(staging_part(bytes)) {}

  void lead(const std::atomic<int>& joined) noexcept override {
    if (way_ == direction::to_host) prime();
    while (moved_ < parts() && good()) {
      if (start_next() || offer_next()) continue;
      std::size_t part = next_;
      if (joined == 0 && part < ready_ && next_.compare_exchange_strong(part, part + 1))
        move(part);
      else
        std::this_thread::yield();
    }
    if (!good()) ready_ = parts();  // so that no thread waits for a buffer
  }

  void join() noexcept override {
    for (std::size_t part = next_++; part < parts(); part = next_++) {
      while (part >= ready_) std::this_thread::yield();
      if (!good()) return;
      move(part);
    }
  }

  cudaError_t status() const { return status_; }

  /// The first buffer of the group after the last part.
  std::size_t next_group() const { return slot((parts() + group - 1) / group * group); }

 private:
  std::size_t parts() const { return (bytes_ + part_bytes_ - 1) / part_bytes_; }
  std::size_t begin(std::size_t part) const { return part * part_bytes_; }
  std::size_t size(std::size_t part) const { return std::min(part_bytes_, bytes_ - begin(part)); }
  std::size_t slot(std::size_t part) const { return (ring_.first + part) % buffers; }
  std::byte* buffer(std::size_t part) const {
    return ring_.memory + slot(part) * pageable_staging.buffer_bytes;
  }

  bool good() const { return status_ == cudaSuccess; }
  void note(cudaError_t status) {
    if (status != cudaSuccess && good()) status_ = status;
  }

  /// Issues the copies that fill the ring for the host. They wait for the previous transfers'
  /// copies from the same buffers, which may have used another stream.
  void prime() {
    for (std::size_t part = 0; part < std::min(parts(), buffers) && good(); ++part) {
      if (part % group == 0) note(cudaStreamWaitEvent(stream_, ring_.sent[slot(part) / group]));
      start(part);
    }
  }

  /// Issues the copy between a part's buffer and the device.
  void start(std::size_t part) {
    std::byte* const there = device_ + begin(part);
    if (way_ == direction::to_device) {
      note(cudaMemcpyAsync(there, buffer(part), size(part), cudaMemcpyHostToDevice, stream_));
      if ((part + 1) % group == 0 || part + 1 == parts())
        note(cudaEventRecord(ring_.sent[slot(part) / group], stream_));
    } else {
      note(cudaMemcpyAsync(buffer(part), there, size(part), cudaMemcpyDeviceToHost, stream_));
      note(cudaEventRecord(ring_.received[slot(part)], stream_));
    }
  }

  /// Issues the device copy of the next part if the host has moved that part. Returns whether it
  /// did.
  bool start_next() {
    const std::atomic<std::size_t>& rounds = rounds_moved_[moved_ % buffers];
    if (rounds.load(std::memory_order_acquire) <= moved_ / buffers) return false;
    const std::size_t part = way_ == direction::to_device ? moved_ : moved_ + buffers;
    if (part < parts()) start(part);
    ++moved_;
    return true;
  }

  /// Offers the buffers of the next parts to the host if the device is done with them: a whole
  /// group when sending, a single received buffer otherwise. Returns whether it did.
  bool offer_next() {
    const std::size_t part = ready_;
    const bool sends = way_ == direction::to_device;
    const std::size_t count = sends ? group : 1;
    if (part >= parts() || part + count > moved_ + buffers) return false;
    const cudaError_t status =
        cudaEventQuery(sends ? ring_.sent[slot(part) / group] : ring_.received[slot(part)]);
    if (status == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());
      return false;
    }
    note(status);
    ready_ = std::min(part + count, parts());
    return true;
  }

  /// Copies a part between its buffer and host memory, row by row.
  void move(std::size_t part) {
    std::size_t done = 0;
    while (done < size(part)) {
      const std::size_t row = (begin(part) + done) / host_.bytes;
      const std::size_t column = (begin(part) + done) % host_.bytes;
      const std::size_t count = std::min(host_.bytes - column, size(part) - done);
      move(buffer(part) + done, static_cast<std::byte*>(host_.first) + row * host_.pitch + column,
           count);
      done += count;
    }
    rounds_moved_[part % buffers].store(part / buffers + 1, std::memory_order_release);
  }

  void move(std::byte* buffer, std::byte* there, std::size_t count) const {
    if (way_ == direction::to_host)
      std::memcpy(there, buffer, count);
    else if (host_.bytes == bytes_ && bytes_ <= buffers * pageable_staging.buffer_bytes)
      copy_past_caches(buffer, there, count);
    else  // memcpy prefetches, which pays off when host memory is the bottleneck
      std::memcpy(buffer, there, count);
  }

  cudaStream_t stream_;
  staging_ring& ring_;
  direction way_;
  std::byte* device_;
  host_rows host_;
  std::size_t bytes_;
  std::size_t part_bytes_;
  std::size_t moved_ = 0;               // parts that the leader knows the host has moved
  std::atomic<std::size_t> next_ = 0;   // next part for the host to move
  std::atomic<std::size_t> ready_ = 0;  // parts whose buffers the host may use
  std::atomic<std::size_t> rounds_moved_[buffers] = {};  // parts moved per buffer
  std::atomic<cudaError_t> status_ = cudaSuccess;
};

void run(const cuda& space, direction way, void* device, const host_rows& host, std::size_t bytes) {
  staging_ring* const ring = find_ring(space);
  const std::lock_guard<std::mutex> lock(ring->in_use);
  const capture_allowance allowance;  // for cudaEventQuery
  staged_copy copy(space, *ring, way, static_cast<std::byte*>(device), host, bytes);
  copy_pool::instance().share(copy);
  ring->first = copy.next_group();
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

void stage_to_device(const cuda& space, void* device, const host_rows& host, std::size_t bytes) {
  run(space, direction::to_device, device, host, bytes);
}

void stage_to_host(const cuda& space, const host_rows& host, const void* device,
                   std::size_t bytes) {
  run(space, direction::to_host, const_cast<void*>(device), host, bytes);
}

}  // namespace tandem::cuda_impl
