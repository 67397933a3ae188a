// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/host/allocation.hpp>

#include <cstddef>
#include <utility>

namespace tandem::openmp_impl {

/// Memory for packed operands that a thread keeps from one matmul to the next until the thread ends:
/// touching fresh pages would cost more than packing.
class matmul_scratch {
 public:
  matmul_scratch() = default;
  matmul_scratch(const matmul_scratch&) = delete;
  matmul_scratch& operator=(const matmul_scratch&) = delete;
  ~matmul_scratch() { detail::free_host(pointer_, alignment); }

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

  /// Frees the memory if it exceeds `bytes`.
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
