// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>

#include <cuda.h>

/// Copies between global and shared memory with the Tensor Memory Accelerator (TMA), one
/// instruction per function. Only for code compiled for sm_90 or later. Sections are cited by their
/// PTX ISA title. Shared memory addresses are those of ptx::shared_address.
namespace tandem::cuda_impl::ptx {

/// Prefetches a tensor map. "prefetch", .tensormap.
__device__ __forceinline__ void prefetch_tensor_map(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// Issues the copy of a tile at coordinates x, y, z (x contiguous) of the map's tensor to shared
/// memory; elements outside the tensor are filled with 0. The bytes are counted at `barrier`.
/// "cp.async.bulk.tensor".
__device__ __forceinline__ void tma_load(std::uint32_t target, const CUtensorMap& map,
                                         std::uint32_t barrier, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(target),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z)
      : "memory");
}

/// Issues tma_load to every block of the cluster whose bit in `blocks` is set, at the same target
/// and barrier address in each. "cp.async.bulk.tensor", .multicast::cluster.
__device__ __forceinline__ void tma_load_multicast(std::uint32_t target, const CUtensorMap& map,
                                                   std::uint32_t barrier, int x, int y, int z,
                                                   std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(target),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z), "h"(blocks)
      : "memory");
}

/// Issues the copy of `bytes` contiguous bytes from global to shared memory, which are counted at
/// `barrier`. Both addresses and `bytes` must be multiples of 16. "cp.async.bulk".
__device__ __forceinline__ void copy_bulk(std::uint32_t target, const void* source,
                                          std::uint32_t bytes, std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(target),
      "l"(source), "r"(bytes), "r"(barrier)
      : "memory");
}

/// Issues copy_bulk to every block of the cluster whose bit in `blocks` is set, at the same target
/// and barrier address in each. "cp.async.bulk", .multicast::cluster.
__device__ __forceinline__ void copy_bulk_multicast(std::uint32_t target, const void* source,
                                                    std::uint32_t bytes, std::uint32_t barrier,
                                                    std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1], %2, [%3], %4;" ::"r"(target),
      "l"(source), "r"(bytes), "r"(barrier), "h"(blocks)
      : "memory");
}

/// Issues the copy of a tile from shared memory to the map's tensor; elements outside the tensor
/// are not written. "cp.async.bulk.tensor", .global.shared::cta.
__device__ __forceinline__ void tma_store(const CUtensorMap& map, std::uint32_t source, int x,
                                          int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(
          &map),
      "r"(source), "r"(x), "r"(y), "r"(z)
      : "memory");
}

/// Commits this thread's group of tma_store. "cp.async.bulk.commit_group".
__device__ __forceinline__ void tma_store_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Waits until at most `Pending` of the most recent tma_store groups have yet to read shared
/// memory. "cp.async.bulk.wait_group", .read.
template <int Pending>
__device__ __forceinline__ void tma_store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

/// Orders this thread's ordinary shared memory accesses before later accesses by tensor copies and
/// tensor cores. "membar/fence", fence.proxy.async.
__device__ __forceinline__ void fence_async_proxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace tandem::cuda_impl::ptx
