// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>
#include <new>

namespace tandem::openmp_impl {

/// Throws out_of_memory_error when fewer than `bytes` bytes are free. Linux commits more memory
/// than it has and kills the process that touches it, so that allocation alone proves nothing.
/// Requests below 64 MiB are not checked.
void require_memory(std::size_t bytes);
/// Throws out_of_memory_error for a request of `bytes` bytes.
[[noreturn]] void fail_memory(std::size_t bytes);

/// Allocates uninitialised elements, to be freed by delete[]. Errors: out_of_memory_error.
template <class T>
T* new_elements(index_t count) {
  const auto size = static_cast<std::size_t>(count);
  require_memory(size * sizeof(T));
  T* const elements = new (std::nothrow) T[size];
  if (elements == nullptr) fail_memory(size * sizeof(T));
  return elements;
}

/// Scratch memory of a call: uninitialised elements. Not a std::vector, which would initialise them
/// and pack bool. Errors: out_of_memory_error.
template <class T>
class scratch {
 public:
  explicit scratch(index_t count) : data_(new_elements<T>(count)) {}
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { delete[] data_; }

  T* data() const { return data_; }
  T& operator[](index_t i) const { return data_[i]; }

 private:
  T* data_;
};

/// Scratch memory of a call, on the stack where the elements are few. Errors: out_of_memory_error.
template <class T>
class small_scratch {
 public:
  explicit small_scratch(index_t count)
      : data_(count <= fits ? reinterpret_cast<T*>(local_) : new_elements<T>(count)) {}
  small_scratch(const small_scratch&) = delete;
  small_scratch& operator=(const small_scratch&) = delete;
  ~small_scratch() {
    if (static_cast<void*>(data_) != static_cast<void*>(local_)) delete[] data_;
  }

  T* data() const { return data_; }

 private:
  // The terms of a tile of one or three doubles each take 8 to 12 KiB.
  static constexpr std::size_t bytes = 16384;
  static constexpr auto fits = static_cast<index_t>(bytes / sizeof(T));

  alignas(64) alignas(T) unsigned char local_[bytes];
  T* data_;
};

}  // namespace tandem::openmp_impl
