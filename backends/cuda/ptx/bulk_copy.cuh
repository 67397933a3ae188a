// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>

/// Copies of contiguous bytes to shared memory that count at a barrier (ptx_hopper.cuh). Only for
/// code that is compiled for sm_90 or later. Sections are those of the PTX ISA, by title.
namespace tandem::cuda_impl::ptx {

/// Starts the copy of `bytes` contiguous bytes from global to shared memory, which count at
/// `barrier`. Both addresses and `bytes` are multiples of 16. "cp.async.bulk".
__device__ __forceinline__ void copy_bulk(std::uint32_t target, const void* source,
                                          std::uint32_t bytes, std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(target),
      "l"(source), "r"(bytes), "r"(barrier)
      : "memory");
}

/// The same to the same place, and the same barrier, of every block of the cluster whose bit of
/// `blocks` is set. "cp.async.bulk", .multicast::cluster.
__device__ __forceinline__ void copy_bulk_to_cluster(std::uint32_t target, const void* source,
                                                     std::uint32_t bytes, std::uint32_t barrier,
                                                     std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1], %2, [%3], %4;" ::"r"(target),
      "l"(source), "r"(bytes), "r"(barrier), "h"(blocks)
      : "memory");
}

}  // namespace tandem::cuda_impl::ptx
