// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/host/allocation.hpp>

#include <cstddef>
#include <utility>

namespace tandem::openmp_impl {

/// Memory for packed operands that a thread keeps from one matmul to the next, until it ends: fresh
/// pages would cost more than packing them.
class matmul_memory {
 public:
  matmul_memory() = default;
  matmul_memory(const matmul_memory&) = delete;
  matmul_memory& operator=(const matmul_memory&) = delete;
  ~matmul_memory() { detail::free_host(pointer_, alignment); }

  /// `bytes` bytes, contents undefined. Errors: out_of_memory_error.
  void* at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      detail::free_host(std::exchange(pointer_, nullptr), alignment);
      bytes_ = 0;
      pointer_ = detail::allocate_host("matmul", bytes, alignment);
      bytes_ = bytes;
    }
    return pointer_;
  }

  /// Gives back what is more than `bytes`.
  void keep_at_most(std::size_t bytes) {
    if (bytes_ <= bytes) return;
    detail::free_host(std::exchange(pointer_, nullptr), alignment);
    bytes_ = 0;
  }

 private:
  static constexpr std::size_t alignment = 4096;  // a page
  void* pointer_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tandem::openmp_impl
