// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/arguments.cuh>
#include <tandem/backends/cuda/ptx/wgmma.cuh>

/// What a warpgroup multiplies: the stages of the pipeline, both operands in shared memory.
namespace tandem::cuda_impl {

/// The instruction's element types and operand order, as ptx::wgmma takes them.
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

/// The address field of a matrix descriptor: of an address in the shared window, whose upper bits
/// tell the blocks of a cluster apart.
__device__ __forceinline__ std::uint64_t descriptor_address(std::uint32_t address) {
  return address % (1u << 18) / 16;
}

/// A matrix descriptor's fields for tiles of rows of 128 swizzled bytes ("Matrix Descriptor
/// Format"), but for the address. Eight rows follow each other after 1024 bytes; where k is not
/// contiguous, the next 64 rows (columns) after those of a whole stage.
__device__ constexpr std::uint64_t wgmma_descriptor(bool k_major) {
  constexpr std::uint64_t swizzle = std::uint64_t{1} << 62;
  constexpr std::uint64_t eight_rows = std::uint64_t{1024 / 16} << 32;
  const std::uint64_t next = k_major ? 1 : 64 * tma_row_bytes / 16;
  return swizzle | eight_rows | next << 16;
}

/// Starts one stage's products, which then run on.
template <class Tile, class Sum>
__device__ __forceinline__ void multiply_stage(const wgmma_pipeline<Tile>& pipeline, int warpgroup,
                                               Sum (&sums)[Tile::strips][Tile::sums],
                                               bool accumulate) {
  // The instruction's terms are 32 bytes of each row, or 16 rows.
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

/// First of the named barriers by which two ping-pong warpgroups order each other: it follows those
/// at which each warpgroup synchronises.
inline constexpr int pingpong_barrier = 3;

/// Waits until the other warpgroup has issued its tile's products. By then every stage before this
/// warpgroup's has been filled, which the parity of a stage's barrier alone would not tell.
__device__ __forceinline__ void await_turn(int warpgroup) {
  ptx::named_barrier_sync(pingpong_barrier + warpgroup, 2 * warpgroup_threads);
}
__device__ __forceinline__ void pass_turn(int warpgroup) {
  ptx::named_barrier_arrive(pingpong_barrier + 1 - warpgroup, 2 * warpgroup_threads);
}

/// Computes the totals of `blocks` blocks of k. A stage is released when the products of the next
/// one are under way and its own have ended.
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

}  // namespace tandem::cuda_impl
