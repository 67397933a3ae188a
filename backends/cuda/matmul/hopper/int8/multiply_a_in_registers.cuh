// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/multiply.cuh>
#include <tandem/backends/cuda/ptx/mma.cuh>
#include <tandem/backends/cuda/ptx/wgmma.cuh>

/// Products of 8-bit integers whose a is contiguous along its rows, though the instruction reads it
/// along k alone: each thread fetches its part of a from shared memory and turns it on the way.
namespace tandem::cuda_impl {

/// A thread's part of a of one stage: four steps of 32 terms.
struct int8_fragments {
  std::uint32_t steps[4][4];
};

/// Where a thread's elements of a lie in a stage, which is one box of 128 terms by `Rows` rows.
///
/// A warp's 16 rows are 16 bytes of each term. ldmatrix, to which two rows are one element, hands a
/// thread two terms of rows 2 r and 2 r + 1 at a time, r = lane / 4; those are what this kernel's
/// rows r and r + 8 of the instruction are. Which of the two pairs among a thread's four terms
/// comes with which matrix depends on the lane: so that the eight terms of a matrix are in
/// different banks, 0 1 6 7 10 11 12 13 and 2 3 4 5 8 9 14 15 of each 16.
template <int Rows>
struct int8_fragment_places {
  std::uint32_t offset;
  unsigned even;  ///< byte permutation that gives row 2 r
  unsigned odd;

  __device__ __forceinline__ explicit int8_fragment_places(int warpgroup) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x % warpgroup_threads / 32;
    const bool high_first = crosses(lane / 2 % 4);
    const bool second = lane / 8 % 2 == 1;
    const int pair = high_first != second ? 2 : 0;
    const int term = lane / 16 * 16 + lane / 2 % 4 * 4 + pair + lane % 2;
    offset = place(term, warpgroup * 4 + warp);
    even = crosses(lane % 4) ? 0x2064 : 0x6420;
    odd = crosses(lane % 4) ? 0x3175 : 0x7531;
  }

  __device__ __forceinline__ void load(std::uint32_t stage, int8_fragments& x) const {
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      std::uint32_t y[4];
      ptx::load_matrices(y, stage + offset + step * 32 * Rows, true);
      x.steps[step][0] = __byte_perm(y[0], y[1], even);
      x.steps[step][1] = __byte_perm(y[0], y[1], odd);
      x.steps[step][2] = __byte_perm(y[2], y[3], even);
      x.steps[step][3] = __byte_perm(y[2], y[3], odd);
    }
  }

 private:
  /// Whether the first matrix has the higher pair of the terms 4 quad to 4 quad + 3.
  static __device__ __forceinline__ bool crosses(int quad) { return quad == 1 || quad == 2; }

  /// Offset of 16 bytes of a term, as tensor copies swizzle rows of 128 and of 64 bytes.
  static __device__ __forceinline__ std::uint32_t place(int term, int piece) {
    const int row = term * Rows / 128;
    return static_cast<std::uint32_t>(term * Rows + (piece ^ row % (Rows / 16)) * 16);
  }
};

/// One stage's products, which then run on.
template <class Tile>
__device__ __forceinline__ void multiply_fragments(const wgmma_ring<Tile>& ring,
                                                   const int8_fragments& a,
                                                   int (&sums)[Tile::n / 2], bool accumulate) {
  const std::uint64_t b = wgmma_descriptor(true) | descriptor_address(ring.b());
  ptx::wgmma_fence();
#pragma unroll
  for (int step = 0; step < 4; ++step)
    ptx::wgmma<ptx::wgmma_int8>(sums, a.steps[step], b + step * 2, accumulate || step > 0);
  ptx::wgmma_commit();
}

/// The sums of `blocks` blocks of k. While one stage is multiplied the fragments of the next one
/// are fetched, to registers of their own.
template <class Tile>
__device__ __forceinline__ void multiply_int8_by_registers(wgmma_ring<Tile>& ring, int warpgroup,
                                                           int blocks, int cluster,
                                                           int (&sums)[Tile::n / 2]) {
  const int8_fragment_places<Tile::m> places(warpgroup);
  int8_fragments fragments[2];
  int previous = -1;
  const auto multiply = [&](const int8_fragments& a, bool accumulate) {
    multiply_fragments(ring, a, sums, accumulate);
    ptx::wgmma_wait<1>();
    if (previous >= 0) release(ring, previous, cluster);
    previous = ring.stage;
    ring.advance();
  };
  const auto fetch = [&](int8_fragments& a) {
    ptx::barrier_wait(ring.full(), ring.parity);
    places.load(ring.a(), a);
  };
  for (int block = 0; block < blocks; block += 2) {
    fetch(fragments[0]);
    multiply(fragments[0], block > 0);
    if (block + 1 == blocks) break;
    fetch(fragments[1]);
    multiply(fragments[1], true);
  }
  ptx::wgmma_wait<0>();
  ptx::optimization_barrier(sums);
  if (previous >= 0) release(ring, previous, cluster);
}

}  // namespace tandem::cuda_impl
