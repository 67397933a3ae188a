// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// Copies of 16 bytes from global to shared memory that need no register and no waiting thread (PTX
/// ISA, "cp.async"), without ptx::copy_async's condition; copy_async_commit and copy_async_wait go
/// with them. Turing has none: there they are a load and a store, done at once.
namespace tandem::cuda_impl {

/// Starts a copy of 16 bytes. Both addresses are multiples of 16.
__device__ inline void copy_asynchronously(uint4* shared, const uint4* global) {
#if __CUDA_ARCH__ >= 800
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(global) : "memory");
#else
  *shared = *global;
#endif
}

/// Has `bytes` bytes of global memory from `p` on brought to L2, a hint.
__device__ inline void prefetch_l2(const void* p, std::size_t bytes) {
  constexpr std::size_t step = 64;  // two sectors: what a prefetch brings at least
  for (std::size_t i = 0; i < bytes; i += step)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const char*>(p) + i));
}

}  // namespace tandem::cuda_impl
