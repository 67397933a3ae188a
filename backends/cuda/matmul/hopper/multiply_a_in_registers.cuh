// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/multiply.cuh>
#include <tandem/backends/cuda/ptx/mma.cuh>

/// Products whose a is contiguous along its rows though the instruction reads it along k alone, as
/// tf32: each thread fetches its part of a from shared memory.
namespace tandem::cuda_impl {

/// A thread's part of a of one stage: four steps of 8 terms.
struct wgmma_fragments {
  std::uint32_t steps[4][4];
};

/// Where a thread's elements of a lie in a stage: boxes of 32 rows, in which 32 terms of 128
/// swizzled bytes follow each other. Eight lanes read neighbours, the four terms of a step lie in
/// banks that pairs of them share.
struct wgmma_fragment_places {
  std::uint32_t offsets[4];

  __device__ __forceinline__ explicit wgmma_fragment_places(int warpgroup) {
    const int thread = threadIdx.x % warpgroup_threads;
    const int row = warpgroup * warpgroup_rows + thread / 32 * 16 + thread % 32 / 4;
    const int term = thread % 4;
    const std::uint32_t box = row / 32 * (32 * wgmma_row_bytes);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      offsets[i] = box + swizzled(term + i / 2 * 4, (row % 32 + i % 2 * 8) * 4);
    }
  }

  __device__ __forceinline__ void load(std::uint32_t stage, wgmma_fragments& x) const {
#pragma unroll
    for (int step = 0; step < 4; ++step) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        x.steps[step][i] = __float_as_uint(
            ptx::load_shared<float>(stage + offsets[i] + step * 8 * wgmma_row_bytes));
      }
    }
  }
};

/// One stage's products, which then run on.
template <class Tile>
__device__ __forceinline__ void multiply_fragments(const wgmma_ring<Tile>& ring,
                                                   const wgmma_fragments& a,
                                                   float (&sums)[Tile::n / 2], bool accumulate) {
  const std::uint64_t b = wgmma_descriptor(true) | descriptor_address(ring.b());
  ptx::wgmma_fence();
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    ptx::wgmma<ptx::wgmma_tf32>(sums, a.steps[step], b + step * 2, accumulate || step > 0);
  }
  ptx::wgmma_commit();
}

/// The totals of `blocks` blocks of k. A warpgroup fetches its fragments while the other one's
/// products run: ptxas would serialise products if registers of the next were written meanwhile.
template <class Tile>
__device__ __forceinline__ void multiply_chunk_by_registers(wgmma_ring<Tile>& ring, int warpgroup,
                                                            int blocks, int cluster,
                                                            float (&sums)[Tile::n / 2]) {
  const wgmma_fragment_places places(warpgroup);
  for (int block = 0; block < blocks; ++block) {
    wgmma_fragments fragments;
    ptx::barrier_wait(ring.full(), ring.parity);
    places.load(ring.a(), fragments);
    multiply_fragments(ring, fragments, sums, block > 0);
    ptx::wgmma_wait<0>();
    ptx::optimization_barrier(sums);
    release(ring, ring.stage, cluster);
    ring.advance();
  }
}

}  // namespace tandem::cuda_impl
