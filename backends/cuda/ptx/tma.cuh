// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>

#include <cuda.h>

/// PTX instructions of sm_90 that copy tiles and count their arrival, one a function: tensor copies
/// (TMA), mbarriers, clusters. Only for code that is compiled for sm_90a. Sections are those of the
/// PTX ISA, by title. Addresses of shared memory are those of ptx::shared_address.
namespace tandem::cuda_impl::ptx {

/// Keeps x in a register rather than computing it again where it is used.
template <class T>
__device__ __forceinline__ T kept(T x) {
  asm volatile("" : "+r"(x));
  return x;
}

/// True in one thread of a warp whose threads all call it. "elect.sync".
__device__ __forceinline__ bool elect_one() {
  std::uint32_t elected;
  asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, 0xffffffff;\n\tselp.u32 %0, 1, 0, p;\n\t}"
               : "=r"(elected));
  return elected != 0;
}

/// Lets the next kernel of the stream start its blocks where there is room; those that rely on this
/// kernel's work wait for it (grid_dependency_wait). "griddepcontrol".
__device__ __forceinline__ void let_next_kernel_start() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/// A barrier whose phase completes after `arrivals` arrivals and all bytes that these announced.
/// "mbarrier.init".
__device__ __forceinline__ void barrier_init(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/// Makes this thread's barrier_init visible to the cluster and to tensor copies. "membar/fence",
/// fence.mbarrier_init.
__device__ __forceinline__ void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Arrives, and announces `bytes` that copies will bring before the phase completes.
/// "mbarrier.arrive", .expect_tx.
__device__ __forceinline__ void barrier_arrive_expecting(std::uint32_t barrier,
                                                         std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

/// Arrives at the barrier of block `rank` of the cluster that lies where `barrier` lies in this
/// block. "mbarrier.arrive", .shared::cluster; "mapa".
__device__ __forceinline__ void barrier_arrive_remote(std::uint32_t barrier, std::uint32_t rank) {
  asm volatile(
      "{\n\t.reg .b32 remote;\n\tmapa.shared::cluster.u32 remote, %0, %1;\n\t"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n\t}" ::"r"(barrier),
      "r"(rank)
      : "memory");
}

/// Whether the phase of this parity has completed; may wait for it a while. "mbarrier.try_wait".
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

/// Waits until the phase of this parity has completed. A new barrier is in phase 0; waiting for
/// parity 1 returns at once then.
__device__ __forceinline__ void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  while (!barrier_try_wait(barrier, parity)) {
  }
}

/// Fetches a tensor map ahead of its use. "prefetch", .tensormap.
__device__ __forceinline__ void prefetch_map(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// Starts the copy of a box at coordinates x, y, z (x contiguous) of the map's tensor to shared
/// memory; elements outside the tensor become 0. The box's bytes count at `barrier`.
/// "cp.async.bulk.tensor".
__device__ __forceinline__ void copy_box(std::uint32_t target, const CUtensorMap& map,
                                         std::uint32_t barrier, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(target),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z)
      : "memory");
}

/// The same to the same place, and the same barrier, of every block of the cluster whose bit of
/// `blocks` is set. "cp.async.bulk.tensor", .multicast::cluster.
__device__ __forceinline__ void copy_box_to_cluster(std::uint32_t target, const CUtensorMap& map,
                                                    std::uint32_t barrier, int x, int y, int z,
                                                    std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(target),
      "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z), "h"(blocks)
      : "memory");
}

/// Starts the copy of a box from shared memory to the map's tensor; what lies outside the tensor is
/// not written. "cp.async.bulk.tensor", .global.shared::cta.
__device__ __forceinline__ void store_box(const CUtensorMap& map, std::uint32_t source, int x,
                                          int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(
          &map),
      "r"(source), "r"(x), "r"(y), "r"(z)
      : "memory");
}

/// Closes this thread's group of store_box. "cp.async.bulk.commit_group".
__device__ __forceinline__ void store_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Waits until at most the `Pending` youngest groups of store_box have still to read shared memory.
/// "cp.async.bulk.wait_group", .read.
template <int Pending>
__device__ __forceinline__ void store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

/// Orders this thread's ordinary accesses to shared memory before later ones of tensor copies and
/// tensor cores. "membar/fence", fence.proxy.async.
__device__ __forceinline__ void fence_async_proxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Number of this block in its cluster. "Special Registers", %cluster_ctarank.
__device__ __forceinline__ std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// Arrives at the barrier of the cluster, all threads of the warp. "barrier.cluster".
__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

/// Waits until all threads of the cluster have arrived. "barrier.cluster".
__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/// Barrier `id` (1 to 15) among `threads` threads of the block. "bar/barrier".
__device__ __forceinline__ void sync_group(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Arrives at a barrier of sync_group without waiting. "bar/barrier", .arrive.
__device__ __forceinline__ void arrive_at_group(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Stores four 8 x 8 matrices of 16-bit elements: the rows of matrix i where lanes 8 i to 8 i + 7
/// say, 16 bytes each. Lane l holds columns 2 (l % 4), 2 (l % 4) + 1 of row l / 4 of each.
/// "stmatrix".
__device__ __forceinline__ void store_matrices(std::uint32_t row, const std::uint32_t (&x)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
               "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
               : "memory");
}

/// Two floats rounded to bf16, the first in the lower half. "cvt", .bf16x2.
__device__ __forceinline__ std::uint32_t pack_bf16(float first, float second) {
  std::uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %2, %1;" : "=r"(packed) : "f"(first), "f"(second));
  return packed;
}

/// Two floats rounded to half, the first in the lower half. "cvt", .f16x2.
__device__ __forceinline__ std::uint32_t pack_half(float first, float second) {
  std::uint32_t packed;
  asm("cvt.rn.f16x2.f32 %0, %2, %1;" : "=r"(packed) : "f"(first), "f"(second));
  return packed;
}

/// Stores two floats in shared memory, 8 aligned bytes. "st", .v2.
__device__ __forceinline__ void store_shared(std::uint32_t target, float first, float second) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(target), "f"(first), "f"(second)
               : "memory");
}

/// Stores a float in shared memory. "st".
__device__ __forceinline__ void store_shared(std::uint32_t target, float x) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(target), "f"(x) : "memory");
}

/// A float of shared memory. "ld".
__device__ __forceinline__ float load_shared(std::uint32_t source) {
  float x;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(source) : "memory");
  return x;
}

/// Lowers the warpgroup's registers to `Count` a thread, a multiple of 8. "setmaxnreg".
template <int Count>
__device__ __forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}

/// Raises the warpgroup's registers to `Count` a thread, once others have given them. "setmaxnreg".
template <int Count>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}

}  // namespace tandem::cuda_impl::ptx
