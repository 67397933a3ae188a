// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>

/// Thread groups on sm_90: blocks of a cluster, warpgroups of a block, one thread of a warp. One
/// instruction per function. Only for code compiled for sm_90a. Sections are cited by their PTX ISA
/// title.
namespace tandem::cuda_impl::ptx {

/// This block's rank in its cluster. "Special Registers", %cluster_ctarank.
__device__ __forceinline__ std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// Arrives at the cluster's barrier; all threads of the warp must call it. "barrier.cluster".
__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

/// Waits until all threads of the cluster have arrived. "barrier.cluster".
__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/// Returns true in exactly one thread of a warp; all its threads must call it. "elect.sync".
__device__ __forceinline__ bool elect_one() {
  std::uint32_t elected;
  asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, 0xffffffff;\n\tselp.u32 %0, 1, 0, p;\n\t}"
               : "=r"(elected));
  return elected != 0;
}

/// Synchronises `threads` threads of the block at named barrier `id` (1 to 15). "bar/barrier".
__device__ __forceinline__ void named_barrier_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Arrives at a barrier of named_barrier_sync without waiting. "bar/barrier", .arrive.
__device__ __forceinline__ void named_barrier_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Lowers the warpgroup's registers to `Count` per thread, a multiple of 8. "setmaxnreg".
template <int Count>
__device__ __forceinline__ void decrease_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}

/// Raises the warpgroup's registers to `Count` per thread; waits until others have released them.
/// "setmaxnreg".
template <int Count>
__device__ __forceinline__ void increase_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}

}  // namespace tandem::cuda_impl::ptx
