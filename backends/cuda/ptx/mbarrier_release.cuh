// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/tma.cuh>

/// Arrivals of threads at barriers of their own block (ptx_hopper.cuh). Sections are those of the
/// PTX ISA, by title.
namespace tandem::cuda_impl::ptx {

/// Arrives at `barrier` of this block; this thread's ordinary accesses before it are ordered before
/// what threads do that have waited for the phase. "mbarrier.arrive".
__device__ __forceinline__ void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

}  // namespace tandem::cuda_impl::ptx
