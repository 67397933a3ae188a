// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/failing_memory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

namespace tandem::test {

thread_local int inside_runtime = 0;

namespace {

constexpr int never = std::numeric_limits<int>::max();

std::atomic<int> heap{0};
std::atomic<int> seen{0};            // allocations since memory began to run out
std::atomic<int> first_that{never};  // of these
std::atomic<int> last_that{never};

/// Returns memory from the C library; nullptr if there is none, or if this allocation must fail.
void* take(std::size_t bytes, std::size_t alignment) noexcept {
  if (inside_runtime == 0) {
    heap.fetch_add(1, std::memory_order_relaxed);
    if (memory_fails()) return nullptr;
  }
  if (bytes == 0) bytes = 1;
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return std::malloc(bytes);
  if (bytes > std::numeric_limits<std::size_t>::max() - alignment) return nullptr;
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* take_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const memory = take(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

int heap_allocations() { return heap; }

bool memory_fails() {
  if (first_that == never) return false;
  const int number = seen.fetch_add(1);
  return number >= first_that && number <= last_that;
}

failing_memory::failing_memory(int first, failing how) {
  seen = 0;
  last_that = how == failing::once ? first : never;
  first_that = first;
}

failing_memory::~failing_memory() { first_that = never; }

bool failing_memory::has_failed() const { return seen > first_that; }

}  // namespace tandem::test

using tandem::test::take;
using tandem::test::take_or_throw;

constexpr std::size_t ordinary = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

// All forms are replaced; otherwise a sanitizer's would be mixed with these.
void* operator new(std::size_t bytes) { return take_or_throw(bytes, ordinary); }
void* operator new[](std::size_t bytes) { return take_or_throw(bytes, ordinary); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return take_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return take_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return take(bytes, ordinary);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return take(bytes, ordinary);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment,
                     const std::nothrow_t&) noexcept {
  return take(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}
