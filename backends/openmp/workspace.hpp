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

}  // namespace tandem::openmp_impl
