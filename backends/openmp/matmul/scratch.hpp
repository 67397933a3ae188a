// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/memory/host_memory.hpp>

#include <cstddef>
#include <utility>

namespace tandem::openmp_impl {

/// Memory that a thread keeps from one matmul to the next: touching fresh pages would cost more
/// than packing. A canary follows the requested bytes: code that writes too far mostly hits memory
/// that an earlier product left, so no tool would notice.
class scratch_buffer {
 public:
  scratch_buffer() = default;
  scratch_buffer(const scratch_buffer&) = delete;
  scratch_buffer& operator=(const scratch_buffer&) = delete;
  ~scratch_buffer() { detail::free_host(pointer_, alignment); }

  /// Returns at least `bytes` bytes, contents undefined. Errors: out_of_memory_error.
  void* at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      free_all();
      pointer_ = detail::allocate_host("matmul", bytes + canary_bytes, alignment);
      bytes_ = bytes;
    }
    if (pointer_ != nullptr) __builtin_memset(canary_ = end_of(bytes), canary_value, canary_bytes);
    return pointer_;
  }

  /// Whether nothing was written beyond what at_least() last returned; for tests.
  bool is_canary_alive() const {
    for (std::size_t i = 0; i < canary_bytes && canary_ != nullptr; ++i) {
      if (canary_[i] != canary_value) return false;
    }
    return true;
  }

  /// Frees the memory if it exceeds what a thread may keep.
  void trim() {
    if (bytes_ > kept_bytes) free_all();
  }

  static constexpr std::size_t kept_bytes = std::size_t{64} << 20;

 private:
  static constexpr std::size_t alignment = 4096;  // a page
  static constexpr std::size_t canary_bytes = 64;
  static constexpr unsigned char canary_value = 0xa5;

  unsigned char* end_of(std::size_t bytes) const {
    return static_cast<unsigned char*>(pointer_) + bytes;
  }
  void free_all() {
    detail::free_host(std::exchange(pointer_, nullptr), alignment);
    canary_ = nullptr;
    bytes_ = 0;
  }

  void* pointer_ = nullptr;
  unsigned char* canary_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A thread's scratch for matrix products, until the thread ends.
struct matmul_scratch {
  scratch_buffer packed;  ///< operands whose elements hold several terms
  scratch_buffer panels;  ///< panels of b, rows of a, and totals

  /// Returns `count` elements of `panels`.
  template <class T>
  T* panels_of(index_t count) {
    return static_cast<T*>(panels.at_least(static_cast<std::size_t>(count) * sizeof(T)));
  }
};

inline thread_local matmul_scratch own_scratch;

}  // namespace tandem::openmp_impl
