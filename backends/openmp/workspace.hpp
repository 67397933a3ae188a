// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

namespace tandem::openmp_impl {

/// Uninitialised elements for the time of a call. Not a std::vector, which would set them and pack
/// bool.
template <class T>
class workspace {
 public:
  explicit workspace(index_t count) : data_(new T[static_cast<std::size_t>(count)]) {}
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;
  ~workspace() { delete[] data_; }

  T* data() const { return data_; }
  T& operator[](index_t i) const { return data_[i]; }

 private:
  T* data_;
};

/// The same, on the stack where the elements are few.
template <class T>
class small_workspace {
 public:
  explicit small_workspace(index_t count)
      : data_(count <= fits ? reinterpret_cast<T*>(local_)
                            : new T[static_cast<std::size_t>(count)]) {}
  small_workspace(const small_workspace&) = delete;
  small_workspace& operator=(const small_workspace&) = delete;
  ~small_workspace() {
    if (static_cast<void*>(data_) != static_cast<void*>(local_)) delete[] data_;
  }

  T* data() const { return data_; }

 private:
  static constexpr std::size_t bytes =
      16384;  // a tile of doubles or of three doubles takes 8 to 12
  static constexpr auto fits = static_cast<index_t>(bytes / sizeof(T));

  alignas(64) unsigned char local_[bytes];
  T* data_;
};

}  // namespace tandem::openmp_impl
