// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/host/allocation.hpp>

#include <cstddef>
#include <utility>

namespace tandem::openmp_impl {

/// Memory that a thread keeps from one matmul to the next: touching fresh pages would cost more
/// than packing.
class scratch_buffer {
 public:
  scratch_buffer() = default;
  scratch_buffer(const scratch_buffer&) = delete;
  scratch_buffer& operator=(const scratch_buffer&) = delete;
  ~scratch_buffer() { detail::free_host(pointer_, alignment); }

  /// Returns at least `bytes` bytes, contents undefined. Errors: out_of_memory_error.
  void* at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      detail::free_host(std::exchange(pointer_, nullptr), alignment);
      bytes_ = 0;
      pointer_ = detail::allocate_host("matmul", bytes, alignment);
      bytes_ = bytes;
    }
    return pointer_;
  }

  /// Frees the memory if it exceeds what a thread may keep.
  void trim() {
    if (bytes_ <= kept_bytes) return;
    detail::free_host(std::exchange(pointer_, nullptr), alignment);
    bytes_ = 0;
  }

  static constexpr std::size_t kept_bytes = std::size_t{64} << 20;

 private:
  static constexpr std::size_t alignment = 4096;  // a page
  void* pointer_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A thread's scratch for matrix products, until the thread ends.
struct matmul_scratch {
  scratch_buffer packed;  ///< operands whose elements hold several terms
  scratch_buffer panels;  ///< panels of b, rows of a, and totals
};

inline thread_local matmul_scratch own_scratch;

}  // namespace tandem::openmp_impl
