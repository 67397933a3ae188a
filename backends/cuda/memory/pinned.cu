// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/memory/pinned.hpp>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include <cuda_runtime_api.h>

#include <tandem/backends/cuda/memory/host_staging.hpp>
#include <tandem/backends/cuda/runtime/device_context.cuh>
#include <tandem/core/memory/host_memory.hpp>

namespace tandem {

namespace cuda_impl {

namespace {

/// Requests are rounded up to powers of two, from one page to more than any machine has, so that a
/// few size classes suffice.
constexpr int smallest_class = 12;
constexpr int classes = 37;

int class_of(std::size_t bytes) {
  int which = 0;
  while (which < classes - 1 && std::size_t{1} << (smallest_class + which) < bytes) ++which;
  return which;
}

std::size_t bytes_of_class(int which) { return std::size_t{1} << (smallest_class + which); }

/// Free pinned blocks by size class. Up to `slots` blocks per class are taken and returned with a
/// single atomic exchange, without a lock; the rest are kept in a list. The cache is never
/// destroyed, so arrays in static objects can still return their memory.
class pinned_cache {
 public:
  static pinned_cache& instance() {
    alignas(pinned_cache) static std::byte memory[sizeof(pinned_cache)];  // the heap may be full
    static pinned_cache& only = *new (memory) pinned_cache;
    return only;
  }

  /// Takes a free block, usually the one returned last. Returns nullptr if there is none.
  void* take(int which) {
    blocks& of = idle_[which];
    for (int s = slots - 1; s >= 0; --s) {
      if (of.slot[s].load(std::memory_order_relaxed) == nullptr) continue;
      if (void* const block = of.slot[s].exchange(nullptr, std::memory_order_acquire)) return block;
    }
    if (of.more.load(std::memory_order_relaxed) == 0) return nullptr;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (of.list.empty()) return nullptr;
    void* const block = of.list.back();
    of.list.pop_back();
    of.more.store(of.list.size(), std::memory_order_relaxed);
    return block;
  }

  void give(void* block, int which) {
    blocks& of = idle_[which];
    for (std::atomic<void*>& slot : of.slot) {
      void* empty = nullptr;
      if (slot.compare_exchange_strong(empty, block, std::memory_order_release,
                                       std::memory_order_relaxed))
        return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    of.list.push_back(block);
    of.more.store(of.list.size(), std::memory_order_relaxed);
  }

  /// Unpins every free block. Ordinary blocks are left alone.
  void clear() {
    if (device_count() == 0) return;
    const capture_allowance allowance;
    for (int which = 0; which < classes; ++which) {
      while (void* const block = take(which)) static_cast<void>(cudaFreeHost(block));
    }
  }

 private:
  static constexpr int slots = 8;

  struct blocks {
    std::atomic<void*> slot[slots] = {};
    std::vector<void*> list;
    std::atomic<std::size_t> more = 0;  // size of the list, readable without the lock
  };

  std::mutex mutex_;  // guards the lists
  blocks idle_[classes];
};

/// Allocates a new block; returns nullptr if memory has run out. Without a device, the block is
/// ordinary memory, since pinning would gain nothing. Never requests more memory than is free: the
/// driver would report an invalid value, or lock memory that other processes need.
void* pin(std::size_t size) {
  if (size > detail::free_host_bytes()) return nullptr;
  if (device_count() == 0) return std::aligned_alloc(bytes_of_class(smallest_class), size);
  const capture_allowance allowance;
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
  const int which = class_of(bytes);
  pinned_cache& cache = pinned_cache::instance();
  if (void* const block = cache.take(which)) return block;
  const std::size_t size = bytes_of_class(which);
  void* block = pin(size);
  if (block == nullptr) {
    cache.clear();
    block = pin(size);
  }
  if (block == nullptr) detail::fail_host_memory("pinned memory", bytes);
  return block;
}

void pinned_resource::deallocate(void* pointer, std::size_t bytes) const noexcept {
  try {
    cuda_impl::pinned_cache::instance().give(pointer, cuda_impl::class_of(bytes));
  } catch (...) {
    const cuda_impl::capture_allowance allowance;
    static_cast<void>(cudaFreeHost(pointer));  // no memory for the list node
  }
}

void dispatch_copy(const cuda_pinned&, const copy_problem& problem) {
  cuda_impl::host_copy(problem);
}

void dispatch_fill(const cuda_pinned&, const fill_problem& problem) {
  cuda_impl::host_copy(as_copy(problem));
}

}  // namespace tandem
