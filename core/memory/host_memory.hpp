// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>

/// The only place in which tandem allocates host memory: arrays of the host's backends, scratch of
/// their operations, values that lanes keep. It throws only out_of_memory_error.
namespace tandem::detail {

/// Alignment of an array's memory: a cache line, and the widest vector.
inline constexpr std::size_t host_alignment = 64;

/// From this size on, an allocation is compared with the free memory. Linux overcommits memory and
/// kills the process that touches too much, so an exception is possible only if tandem checks
/// first. Reading /proc takes less time than touching the pages of that many bytes.
inline constexpr std::size_t checked_bytes = std::size_t{64} << 20;

/// Reads the number in a file of one number, or returns the largest one if there is none ("max", or
/// no such file).
std::size_t number_in(const char* path);

/// Returns the number after a name in a file of lines "name number ..", or 0 if there is none.
std::size_t number_named(const char* path, const char* name);

/// Returns the soft limit of the address space, which `ulimit -v` sets, in a file like Linux'
/// /proc/self/limits; the largest number if there is no limit or no such file.
std::size_t address_space_limit(const char* path = "/proc/self/limits");

/// The bytes that this process can still allocate, and the limit of the address space if that is
/// what bounds them; otherwise 0.
struct free_memory {
  std::size_t bytes = 0;
  std::size_t limit = 0;
};

/// Returns the least of the system's free memory, the rest of a container's limit and the rest of
/// the address space. In a container, cached pages of files count as used, but are reclaimed for
/// others.
free_memory free_host_memory();
std::size_t free_host_bytes();

/// Throws the out_of_memory_error of a request for host memory.
[[noreturn]] void fail_host_memory(std::string_view where, std::size_t asked);

/// Returns `bytes` bytes of host memory, uninitialised; nullptr for 0.
/// Errors: out_of_memory_error naming `where`.
void* allocate_host(const char* where, std::size_t bytes, std::size_t alignment = host_alignment);

/// Frees memory that allocate_host returned for the same alignment.
inline void free_host(void* pointer, std::size_t alignment = host_alignment) noexcept {
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
    ::operator delete(pointer);
  } else {
    ::operator delete(pointer, std::align_val_t{alignment});
  }
}

/// Returns the bytes of `count` elements; if they overflow, the largest size, which no system has.
template <class T>
std::size_t size_in_bytes(std::int64_t count) {
  std::size_t bytes = 0;
  return __builtin_mul_overflow(count, sizeof(T), &bytes) ? SIZE_MAX : bytes;
}

/// Scratch memory of a call on the host: default-initialised elements, so numbers have no value
/// yet. Not a std::vector, which would zero them, pack bool and throw other errors.
/// Errors: out_of_memory_error naming `where`.
template <class T>
class host_scratch {
  static_assert(std::is_trivially_destructible_v<T>, "tandem: scratch is freed, not destroyed");

 public:
  host_scratch(const char* where, std::int64_t count)
      : data_(static_cast<T*>(allocate_host(where, size_in_bytes<T>(count), alignof(T)))) {
    if constexpr (!std::is_trivially_default_constructible_v<T>) {
      for (std::int64_t i = 0; i < count; ++i) ::new (static_cast<void*>(data_ + i)) T;
    }
  }
  host_scratch(const host_scratch&) = delete;
  host_scratch& operator=(const host_scratch&) = delete;
  ~host_scratch() { free_host(data_, alignof(T)); }

  T* data() const { return data_; }
  T& operator[](std::int64_t i) const { return data_[i]; }

 private:
  T* data_;
};

}  // namespace tandem::detail
