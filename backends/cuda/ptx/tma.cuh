// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>

#include <cuda.h>

/// Copies by the Tensor Memory Accelerator (TMA) between global and shared memory, one instruction
/// per function. Only for code that is compiled for sm_90 or later. Sections are those of the PTX
/// ISA, by title. Addresses of shared memory are those of ptx::shared_address.
namespace tandem::cuda_impl::ptx {

/// Fetches a tensor map ahead of its use. "prefetch", .tensormap.
__device__ __forceinline__ void prefetch_tensor_map(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// Starts the copy of a tile at coordinates x, y, z (x contiguous) of the map's tensor to shared
/// memory; elements outside the tensor become 0. The tile's bytes count at `barrier`.
/// "cp.async.bulk.tensor".
__device__ __forceinline__ void tma_load(std::uint32_t target, const CUtensorMap& map,
                                         std::uint32_t barrier, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(target),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z)
      : "memory");
}

/// Starts tma_load into every block of the cluster whose bit of `blocks` is set, to one address and
/// one barrier's address in all of them. "cp.async.bulk.tensor", .multicast::cluster.
__device__ __forceinline__ void tma_load_multicast(std::uint32_t target, const CUtensorMap& map,
                                                   std::uint32_t barrier, int x, int y, int z,
                                                   std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(target),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z), "h"(blocks)
      : "memory");
}

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

/// Starts copy_bulk into every block of the cluster whose bit of `blocks` is set, to one address
/// and one barrier's address in all of them. "cp.async.bulk", .multicast::cluster.
__device__ __forceinline__ void copy_bulk_multicast(std::uint32_t target, const void* source,
                                                    std::uint32_t bytes, std::uint32_t barrier,
                                                    std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1], %2, [%3], %4;" ::"r"(target),
      "l"(source), "r"(bytes), "r"(barrier), "h"(blocks)
      : "memory");
}

/// Starts the copy of a tile from shared memory to the map's tensor; what lies outside the tensor
/// is not written. "cp.async.bulk.tensor", .global.shared::cta.
__device__ __forceinline__ void tma_store(const CUtensorMap& map, std::uint32_t source, int x,
                                          int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(
          &map),
      "r"(source), "r"(x), "r"(y), "r"(z)
      : "memory");
}

/// Closes this thread's group of tma_store. "cp.async.bulk.commit_group".
__device__ __forceinline__ void tma_store_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Waits until at most the `Pending` youngest groups of tma_store have still to read shared memory.
/// "cp.async.bulk.wait_group", .read.
template <int Pending>
__device__ __forceinline__ void tma_store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

/// Orders this thread's ordinary accesses to shared memory before later ones of tensor copies and
/// tensor cores. "membar/fence", fence.proxy.async.
__device__ __forceinline__ void fence_async_proxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace tandem::cuda_impl::ptx
