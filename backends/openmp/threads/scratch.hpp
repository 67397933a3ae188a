// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>
#include <new>

namespace tandem::openmp_impl {

/// Throws out_of_memory_error when the system cannot give so many bytes. It promises more than it
/// has, and kills the process that touches them. Below 64 MiB, nobody looks.
void require_memory(std::size_t bytes);
/// Throws out_of_memory_error for so many bytes.
[[noreturn]] void fail_memory(std::size_t bytes);

/// Uninitialised elements, for delete[]. Errors: out_of_memory_error.
template <class T>
T* new_elements(index_t count) {
  const auto size = static_cast<std::size_t>(count);
  require_memory(size * sizeof(T));
  T* const elements = new (std::nothrow) T[size];
  if (elements == nullptr) fail_memory(size * sizeof(T));
  return elements;
}

/// Uninitialised elements for the time of a call. Not a std::vector, which would set them and pack
/// bool. Errors: out_of_memory_error.
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

/// The same, on the stack where the elements are few.
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
  static constexpr std::size_t bytes =
      16384;  // a tile of doubles or of three doubles takes 8 to 12
  static constexpr auto fits = static_cast<index_t>(bytes / sizeof(T));

  alignas(64) alignas(T) unsigned char local_[bytes];
  T* data_;
};

}  // namespace tandem::openmp_impl
