// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/memory/host_memory.hpp>

#include <cstddef>

namespace tandem::openmp_impl {

/// Scratch memory of a call, allocated before the call writes anything and never by a thread of a
/// parallel region, which would fail only after others have written. Elements are uninitialised.
/// Errors: out_of_memory_error, to which the calling algorithm adds its name.
template <class T>
class scratch : public detail::host_scratch<T> {
 public:
  explicit scratch(index_t count) : detail::host_scratch<T>("openmp", count) {}
};

/// Scratch memory of a call, on the stack if there are few elements. Errors: out_of_memory_error.
template <class T>
class small_scratch {
 public:
  explicit small_scratch(index_t count) : data_(reinterpret_cast<T*>(local_)) {
    if (count > fits)
      data_ = static_cast<T*>(
          detail::allocate_host("openmp", detail::size_in_bytes<T>(count), alignof(T)));
  }
  small_scratch(const small_scratch&) = delete;
  small_scratch& operator=(const small_scratch&) = delete;
  ~small_scratch() {
    if (static_cast<void*>(data_) != static_cast<void*>(local_))
      detail::free_host(data_, alignof(T));
  }

  T* data() const { return data_; }

 private:
  // The terms of a tile of one or three doubles each take 8 to 12 KiB.
  static constexpr std::size_t bytes = 12288;
  static constexpr auto fits = static_cast<index_t>(bytes / sizeof(T));

  alignas(64) alignas(T) unsigned char local_[bytes];
  T* data_;
};

}  // namespace tandem::openmp_impl
