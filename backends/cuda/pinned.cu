// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/pinned.hpp>

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/host_copy.hpp>
#include <tandem/backends/cuda/runtime.cuh>
#include <tandem/core/host_allocation.hpp>

namespace tandem {

namespace cuda_impl {

namespace {

/// Requests are rounded up to powers of two, so that a few classes of blocks serve them all.
std::size_t class_of(std::size_t bytes) {
  std::size_t size = 4096;  // a page
  while (size < bytes) size *= 2;
  return size;
}

/// Pinned blocks that nobody uses, by size. Never destroyed, so that arrays in static objects can
/// give theirs back.
class pinned_cache {
 public:
  static pinned_cache& instance() {
    static pinned_cache& only = *new pinned_cache;
    return only;
  }

  void* take(std::size_t size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<void*>& blocks = idle_[size];
    if (blocks.empty()) return nullptr;
    void* const block = blocks.back();
    blocks.pop_back();
    return block;
  }

  void give(void* block, std::size_t size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_[size].push_back(block);
  }

  /// Unpins every idle block.
  void clear() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto& [size, blocks] : idle_) {
      for (void* const block : blocks) static_cast<void>(cudaFreeHost(block));
      blocks.clear();
    }
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> idle_;
};

/// A new block, or nullptr where memory has run out. More than the machine has free is not asked
/// for: the driver would call it an invalid value, or lock what other processes need.
void* pin(std::size_t size) {
  if (size > detail::free_host_bytes()) return nullptr;
  void* block = nullptr;
  const cudaError_t status =
      cudaHostAlloc(&block, size, cudaHostAllocMapped | cudaHostAllocPortable);
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  check(status, "pinned memory: cudaHostAlloc", size);
  return block;
}

}  // namespace

}  // namespace cuda_impl

void* pinned_resource::allocate(std::size_t bytes) const {
  using namespace cuda_impl;
  if (bytes == 0) return nullptr;
  const std::size_t size = class_of(bytes);
  pinned_cache& cache = pinned_cache::instance();
  if (void* const block = cache.take(size)) return block;
  std::string why;
  if (device_count(&why) == 0) throw no_device_error("pinned memory: no device: " + why);
  void* block = pin(size);
  if (block == nullptr) {
    cache.clear();
    block = pin(size);
  }
  if (block == nullptr)
    throw out_of_memory_error("pinned memory", bytes, detail::free_host_bytes());
  return block;
}

void pinned_resource::deallocate(void* pointer, std::size_t bytes) const noexcept {
  try {
    cuda_impl::pinned_cache::instance().give(pointer, cuda_impl::class_of(bytes));
  } catch (...) {
    static_cast<void>(cudaFreeHost(pointer));  // no memory for the list
  }
}

void dispatch_fill(const cuda_pinned&, const fill_problem& problem) {
  copy_problem repeated;  // from one element, all of its steps zero
  repeated.rank = problem.rank;
  for (int d = 0; d < problem.rank; ++d) {
    repeated.extent[d] = problem.extent[d];
    repeated.destination_stride[d] = problem.stride[d];
  }
  repeated.element_bytes = problem.element_bytes;
  repeated.source = problem.value;
  repeated.destination = problem.destination;
  cuda_impl::host_copy(repeated);
}

}  // namespace tandem
