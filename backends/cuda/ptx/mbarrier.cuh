// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>

/// Barriers in shared memory that count arrivals and bytes, one instruction per function. Only for
/// code compiled for sm_90 or later. Sections are cited by their PTX ISA title. Shared memory
/// addresses are those of ptx::shared_address.
namespace tandem::cuda_impl::ptx {

/// Initialises a barrier whose phase completes after `arrivals` arrivals and all bytes that they
/// announced. "mbarrier.init".
__device__ __forceinline__ void barrier_init(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/// Makes this thread's barrier_init visible to the cluster and to tensor copies. "membar/fence",
/// fence.mbarrier_init.
__device__ __forceinline__ void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Arrives at `barrier` of this block. This thread's prior ordinary accesses are ordered before
/// whatever threads do after they have waited for the phase. "mbarrier.arrive".
__device__ __forceinline__ void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/// Arrives, and announces `bytes` that copies will deliver before the phase completes.
/// "mbarrier.arrive", .expect_tx.
__device__ __forceinline__ void barrier_arrive_expect_tx(std::uint32_t barrier,
                                                         std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

/// Arrives at the barrier of block `rank` of the cluster; that barrier has the same address as
/// `barrier` in this block. "mbarrier.arrive", .shared::cluster; "mapa".
__device__ __forceinline__ void barrier_arrive_remote(std::uint32_t barrier, std::uint32_t rank) {
  asm volatile(
      "{\n\t.reg .b32 remote;\n\tmapa.shared::cluster.u32 remote, %0, %1;\n\t"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n\t}" ::"r"(barrier),
      "r"(rank)
      : "memory");
}

/// Whether the phase with this parity has completed; may suspend the thread for a while.
/// "mbarrier.try_wait".
__device__ __forceinline__ bool barrier_try_wait(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t done;
  asm volatile(
      "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t}"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
  return done != 0;
}

/// Waits until the phase with this parity has completed. A new barrier is in phase 0, so waiting
/// for parity 1 returns immediately.
__device__ __forceinline__ void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  while (!barrier_try_wait(barrier, parity)) {
  }
}

}  // namespace tandem::cuda_impl::ptx
