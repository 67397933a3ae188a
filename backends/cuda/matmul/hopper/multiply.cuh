// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/arguments.cuh>
#include <tandem/backends/cuda/ptx/mma.cuh>
#include <tandem/backends/cuda/ptx/wgmma.cuh>

/// How a warpgroup multiplies the stages of the pipeline, with both operands in shared memory.
namespace tandem::cuda_impl {

/// The instruction's element types and operand order, in the form that ptx::wgmma expects.
template <tensor_type Type, bool AKMajor, bool BKMajor>
struct wgmma_kind;
template <>
struct wgmma_kind<tensor_type::tf32, true, true> : ptx::wgmma_tf32 {};
template <>
struct wgmma_kind<tensor_type::int8, true, true> : ptx::wgmma_int8 {};
template <bool AKMajor, bool BKMajor>
struct wgmma_kind<tensor_type::bf16, AKMajor, BKMajor> : ptx::wgmma_bf16<AKMajor, BKMajor> {};
template <bool AKMajor, bool BKMajor>
struct wgmma_kind<tensor_type::half, AKMajor, BKMajor> : ptx::wgmma_half<AKMajor, BKMajor> {};

/// The address field of a matrix descriptor, for an address in the shared window. The upper bits of
/// the address select a block of the cluster and are dropped.
__device__ __forceinline__ std::uint64_t descriptor_address(std::uint32_t address) {
  return address % (1u << 18) / 16;
}

/// A matrix descriptor's fields for tiles of 128-byte swizzled rows ("Matrix Descriptor Format"),
/// except for the address. Groups of eight rows are 1024 bytes apart. If the operand is not
/// K-major, the next 64 rows (columns) follow those of a whole stage.
__device__ constexpr std::uint64_t wgmma_descriptor(bool k_major) {
  constexpr std::uint64_t swizzle = std::uint64_t{1} << 62;
  constexpr std::uint64_t eight_rows = std::uint64_t{1024 / 16} << 32;
  const std::uint64_t next = k_major ? 1 : 64 * tma_row_bytes / 16;
  return swizzle | eight_rows | next << 16;
}

/// Issues one stage's products, which run asynchronously.
template <class Tile, class Sum>
__device__ __forceinline__ void multiply_stage(const wgmma_pipeline<Tile>& pipeline, int warpgroup,
                                               Sum (&sums)[Tile::strips][Tile::sums],
                                               bool accumulate) {
  // The instruction's terms span 32 bytes of each row, or 16 rows.
  constexpr int a_step = Tile::a_k_major ? 32 / 16 : 16 * tma_row_bytes / 16;
  constexpr int b_step = Tile::b_k_major ? 32 / 16 : 16 * tma_row_bytes / 16;
  const int first = Tile::pingpong ? 0 : warpgroup * warpgroup_rows;
  const std::uint32_t a_address = pipeline.a() + first * tma_row_bytes;
  const std::uint64_t a = wgmma_descriptor(Tile::a_k_major) | descriptor_address(a_address);
  const std::uint64_t b = wgmma_descriptor(Tile::b_k_major) | descriptor_address(pipeline.b());
  constexpr int strip = warpgroup_rows * tma_row_bytes / 16;
  ptx::wgmma_fence();
#pragma unroll
  for (int step = 0; step < 4; ++step) {
#pragma unroll
    for (int i = 0; i < Tile::strips; ++i) {
      ptx::wgmma<wgmma_kind<Tile::type, Tile::a_k_major, Tile::b_k_major>>(
          sums[i], a + i * strip + step * a_step, b + step * b_step, accumulate || step > 0);
    }
  }
  ptx::wgmma_commit();
}

/// First of the named barriers with which two ping-pong warpgroups order each other. It follows the
/// barriers at which each warpgroup synchronises.
inline constexpr int pingpong_barrier = 3;

/// Waits until the other warpgroup has issued its tile's products. By then every stage before this
/// warpgroup's has been filled; the parity of a stage's barrier alone does not guarantee that.
__device__ __forceinline__ void await_turn(int warpgroup) {
  ptx::named_barrier_sync(pingpong_barrier + warpgroup, 2 * warpgroup_threads);
}
__device__ __forceinline__ void pass_turn(int warpgroup) {
  ptx::named_barrier_arrive(pingpong_barrier + 1 - warpgroup, 2 * warpgroup_threads);
}

/// Computes the totals of `blocks` blocks of k. A stage is released when its products have
/// completed and those of the next stage are in flight.
template <class Tile, class Sum>
__device__ __forceinline__ void multiply_chunk(wgmma_pipeline<Tile>& pipeline, int warpgroup,
                                               int blocks, int cluster,
                                               Sum (&sums)[Tile::strips][Tile::sums]) {
  int previous = -1;
  for (int block = 0; block < blocks; ++block) {
    ptx::barrier_wait(pipeline.full(), pipeline.parity);
    multiply_stage(pipeline, warpgroup, sums, block > 0);
    ptx::wgmma_wait<1>();
    if (previous >= 0) release_stage(pipeline, previous, cluster);
    previous = pipeline.stage;
    pipeline.advance();
  }
  if constexpr (Tile::pingpong) pass_turn(warpgroup);
  ptx::wgmma_wait<0>();
#pragma unroll
  for (int i = 0; i < Tile::strips; ++i) ptx::optimization_barrier(sums[i]);
  if (previous >= 0) release_stage(pipeline, previous, cluster);
}

// Products for which a is contiguous along its rows although the instruction reads it only along k
// (tf32 and 8-bit integers). Each thread loads its part of a from shared memory.

/// A thread's part of a for one stage: four steps of 8 terms (32 for bytes).
struct a_fragments {
  std::uint32_t steps[4][4];
};

/// Locates a thread's elements of a in a stage, by type.
template <class Tile>
struct a_fragment_loader;

/// TMA tiles of 32 rows, in which 32 terms of 128 swizzled bytes follow each other. Eight lanes
/// read adjacent elements, and pairs of the four terms of a step share banks.
template <class Tile>
  requires(Tile::type == tensor_type::tf32)
struct a_fragment_loader<Tile> {
  std::uint32_t offsets[4];

  __device__ __forceinline__ explicit a_fragment_loader(int warpgroup) {
    const int thread = threadIdx.x % warpgroup_threads;
    const int row = warpgroup * warpgroup_rows + thread / 32 * 16 + thread % 32 / 4;
    const int term = thread % 4;
    const std::uint32_t tile = row / 32 * (32 * tma_row_bytes);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      offsets[i] = tile + swizzled(term + i / 2 * 4, (row % 32 + i % 2 * 8) * 4);
  }

  __device__ __forceinline__ void load(std::uint32_t stage, a_fragments& x) const {
#pragma unroll
    for (int step = 0; step < 4; ++step) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t place = stage + offsets[i] + step * 8 * tma_row_bytes;
        x.steps[step][i] = __float_as_uint(ptx::load_shared<float>(place));
      }
    }
  }
};

/// One TMA tile of 128 terms by all rows.
///
/// A warp's 16 rows are 16 bytes of each term. ldmatrix treats two rows as one element, so it gives
/// a thread two terms of rows 2 r and 2 r + 1 at a time, with r = lane / 4. This kernel uses them
/// as rows r and r + 8 of the instruction. Which matrix supplies which of the two pairs of a
/// thread's four terms depends on the lane. The assignment places the eight terms of a matrix in
/// different banks: 0 1 6 7 10 11 12 13 and 2 3 4 5 8 9 14 15 of each 16.
template <class Tile>
  requires(Tile::type == tensor_type::int8)
struct a_fragment_loader<Tile> {
  std::uint32_t offset;
  unsigned even;  ///< byte permutation that extracts row 2 r
  unsigned odd;

  __device__ __forceinline__ explicit a_fragment_loader(int warpgroup) {
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

  __device__ __forceinline__ void load(std::uint32_t stage, a_fragments& x) const {
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      std::uint32_t y[4];
      ptx::load_matrices(y, stage + offset + step * 32 * Tile::m, true);
      x.steps[step][0] = __byte_perm(y[0], y[1], even);
      x.steps[step][1] = __byte_perm(y[0], y[1], odd);
      x.steps[step][2] = __byte_perm(y[2], y[3], even);
      x.steps[step][3] = __byte_perm(y[2], y[3], odd);
    }
  }

 private:
  /// Whether the first matrix holds the higher pair of terms 4 quad to 4 quad + 3.
  static __device__ __forceinline__ bool crosses(int quad) { return quad == 1 || quad == 2; }

  /// Offset of 16 bytes of a term in rows of 128 or 64 bytes, as tensor copies swizzle them.
  static __device__ __forceinline__ std::uint32_t place(int term, int piece) {
    const int row = term * Tile::m / 128;
    return static_cast<std::uint32_t>(term * Tile::m + (piece ^ row % (Tile::m / 16)) * 16);
  }
};

/// Issues one stage's products, which run asynchronously.
template <class Tile, class Sum>
__device__ __forceinline__ void multiply_fragments(const wgmma_pipeline<Tile>& pipeline,
                                                   const a_fragments& a, Sum (&sums)[Tile::sums],
                                                   bool accumulate) {
  const std::uint64_t b = wgmma_descriptor(true) | descriptor_address(pipeline.b());
  ptx::wgmma_fence();
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    ptx::wgmma<wgmma_kind<Tile::type, true, true>>(sums, a.steps[step], b + step * 2,
                                                   accumulate || step > 0);
  }
  ptx::wgmma_commit();
}

/// Computes the totals of `blocks` blocks of k. A warpgroup loads its fragments while the other's
/// products run, because ptxas would serialise float products if the next registers were written in
/// the meantime.
template <class Tile>
__device__ __forceinline__ void multiply_chunk_a_in_registers(wgmma_pipeline<Tile>& pipeline,
                                                              int warpgroup, int blocks,
                                                              int cluster,
                                                              float (&sums)[Tile::sums]) {
  const a_fragment_loader<Tile> loader(warpgroup);
  for (int block = 0; block < blocks; ++block) {
    a_fragments fragments;
    ptx::barrier_wait(pipeline.full(), pipeline.parity);
    loader.load(pipeline.a(), fragments);
    multiply_fragments(pipeline, fragments, sums, block > 0);
    ptx::wgmma_wait<0>();
    ptx::optimization_barrier(sums);
    release_stage(pipeline, pipeline.stage, cluster);
    pipeline.advance();
  }
}

/// Computes the sums of `blocks` blocks of k. While one stage is multiplied, the fragments of the
/// next are loaded into separate registers.
template <class Tile>
__device__ __forceinline__ void multiply_chunk_a_in_registers(wgmma_pipeline<Tile>& pipeline,
                                                              int warpgroup, int blocks,
                                                              int cluster,
                                                              std::int32_t (&sums)[Tile::sums]) {
  const a_fragment_loader<Tile> loader(warpgroup);
  a_fragments fragments[2];
  int previous = -1;
  const auto multiply = [&](const a_fragments& a, bool accumulate) {
    multiply_fragments(pipeline, a, sums, accumulate);
    ptx::wgmma_wait<1>();
    if (previous >= 0) release_stage(pipeline, previous, cluster);
    previous = pipeline.stage;
    pipeline.advance();
  };
  const auto fetch = [&](a_fragments& a) {
    ptx::barrier_wait(pipeline.full(), pipeline.parity);
    loader.load(pipeline.a(), a);
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
  if (previous >= 0) release_stage(pipeline, previous, cluster);
}

}  // namespace tandem::cuda_impl
