// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

/// The one place where tandem takes memory of the host: arrays of the host's backends, scratch of
/// their operations, what lanes keep. It throws nothing but out_of_memory_error.
namespace tandem::detail {

/// Alignment of an array's memory: a cache line, and the widest vector there is.
inline constexpr std::size_t host_alignment = 64;

/// From here on an allocation is compared with what is free. Linux promises more memory than it has
/// and kills the process that touches it, so asking first is the only way to an exception. Reading
/// /proc takes less time than touching the pages of so many bytes.
inline constexpr std::size_t checked_bytes = std::size_t{64} << 20;

/// The number in a file of one number, or the largest one where there is none ("max", or no such
/// file).
std::size_t number_in(const char* path);

/// The number after a name in a file of lines "name number ..", or 0 where there is none.
std::size_t number_named(const char* path, const char* name);

/// Bytes that this process can still have: what the system has free, or what is left of a
/// container's limit. Pages of files that were read or written count as used there, and make room
/// for others.
std::size_t free_host_bytes();

/// `bytes` bytes of host memory, uninitialised; nullptr for 0. Errors: out_of_memory_error in the
/// name of `where`.
void* allocate_host(const char* where, std::size_t bytes, std::size_t alignment = host_alignment);

/// Gives back what allocate_host returned for the same alignment.
inline void free_host(void* pointer, std::size_t alignment = host_alignment) noexcept {
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
    ::operator delete(pointer);
  } else {
    ::operator delete(pointer, std::align_val_t{alignment});
  }
}

/// Bytes of `count` elements; the largest size, which no system has, where they overflow.
template <class T>
std::size_t size_in_bytes(std::int64_t count) {
  std::size_t bytes = 0;
  return __builtin_mul_overflow(count, sizeof(T), &bytes) ? SIZE_MAX : bytes;
}

/// Scratch memory of a call on the host: default-initialised elements, so that numbers have no
/// value yet. Not a std::vector, which would set them to zero, pack bool and throw other errors.
/// Errors: out_of_memory_error in the name of `where`.
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
