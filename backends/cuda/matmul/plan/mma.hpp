// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan/engines.hpp>

#include <tandem/core/contract/strided.hpp>
#include <tandem/core/math.hpp>

#include <cstdint>
#include <type_traits>

/// Chooses tile, accesses and slices of a product with mma.sync.
namespace tandem::cuda_impl {

using int8_problem = matmul_problem<std::int32_t, std::int8_t>;
using tandem::detail::is_16bit_float;
using tandem::detail::is_int8;

/// 8-bit integers: terms of k from which a slice justifies separate blocks, and the maximum number
/// of slices.
inline constexpr index_t int8_slice = 512;
inline constexpr index_t int8_slices = 128;

/// Whether mma.sync multiplies elements of In on a device: half and 8-bit integers from Turing on,
/// the others from Ampere on.
template <class In>
constexpr bool has_mma(const matmul_device& device) {
  return device.compute_capability >= (std::is_same_v<In, half> ? 75 : 80) || is_int8<In>;
}

namespace detail {

/// Returns how the mma.sync kernels copy an operand of `outer` rows (columns) by k terms, `batch`
/// times.
template <class In>
mma_access choose_mma_access(const In* data, index_t outer, index_t outer_stride, index_t k,
                             index_t k_stride, index_t batch, index_t batch_stride) {
  using tandem::detail::magnitude;
  constexpr index_t width = vector_width<In>;
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && (batch == 1 || batch_stride % width == 0);
  if (aligned && k_stride == 1 && (outer == 1 || outer_stride % width == 0))
    return mma_access::k_major_vectorized;
  if (is_16bit_float<In> && aligned && outer_stride == 1 && (k == 1 || k_stride % width == 0))
    return mma_access::mn_major_vectorized;
  return outer > 1 && magnitude(outer_stride) < magnitude(k_stride) ? mma_access::mn_major
                                                                    : mma_access::k_major;
}

/// Lets an operand of 16-bit floats whose runs are aligned to 8 or 4 bytes only be copied in pieces
/// of as many, rather than element by element.
template <class In>
void choose_pieces(mma_access& access, int& piece, const In* data, index_t outer_stride,
                   index_t k_stride, index_t batch, index_t batch_stride) {
  const bool runs = outer_stride == 1 || k_stride == 1;
  if (!is_16bit_float<In> || !runs || access == mma_access::k_major_vectorized ||
      access == mma_access::mn_major_vectorized)
    return;
  const index_t next_run = k_stride == 1 ? outer_stride : k_stride;
  for (const int bytes : {8, 4}) {
    const index_t width = bytes / static_cast<index_t>(sizeof(In));
    if (reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(bytes) != 0 ||
        next_run % width != 0 || (batch > 1 && batch_stride % width != 0))
      continue;
    piece = bytes;
    access = k_stride == 1 ? mma_access::k_major_vectorized : mma_access::mn_major_vectorized;
    return;
  }
}

/// Gives each chunk of k separate blocks of mma.sync if the tiles of c alone leave multiprocessors
/// idle.
template <class T, class In>
void divide_chunks(const matmul_problem<T, In>& p, int multiprocessors, mma_plan& plan) {
  const mma_tile& tile = mma_tiles[plan.tile];
  const index_t blocks = ceil_div<index_t>(p.m, tile.m) * ceil_div<index_t>(p.n, tile.n) * p.batch;
  const index_t chunks = tensor_chunks(p.k, p.split_k);
  if (blocks < multiprocessors && chunks <= most_slices &&
      total_bytes(chunks, p.batch, p.m, p.n) <= maximum_tensor_scratch)
    plan.split_k_slices = chunks;
}

/// Splits k of 8-bit integers for mma.sync, and decides to copy operands that are read often enough
/// to justify it: each element is read once per tile along the other extent.
inline void divide_int8(const int8_problem& p, int multiprocessors, mma_plan& plan) {
  const mma_tile& tile = mma_tiles[plan.tile];
  const index_t blocks = ceil_div<index_t>(p.m, tile.m) * ceil_div<index_t>(p.n, tile.n) * p.batch;
  const index_t wanted = blocks > 0 ? multiprocessors / blocks : 1;
  const index_t slices = max(index_t{1}, min(min(wanted, p.k / int8_slice), int8_slices));
  // Whole steps, aligned if the operands are.
  plan.chunk = round_up(ceil_div(p.k, slices), index_t{mma_tile::step_bytes});
  plan.split_k_slices = ceil_div(p.k, plan.chunk);
  const auto pack = [](mma_access& access, index_t other) {
    if (access == mma_access::k_major_vectorized || other <= 2 * mma_tiles[0].m) return false;
    access = mma_access::k_major_vectorized;
    return true;
  };
  plan.pack_a = pack(plan.a, p.n);
  plan.pack_b = pack(plan.b, p.m);
}

}  // namespace detail

/// Plans a product with mma.sync, which every architecture since Turing has.
template <class T, class In>
mma_plan plan_mma(const matmul_problem<T, In>& p, const matmul_device& device) {
  const mma_tile& large = mma_tiles[0];
  const index_t blocks =
      ceil_div<index_t>(p.m, large.m) * ceil_div<index_t>(p.n, large.n) * p.batch;
  // The large tile, if it gives each multiprocessor a block.
  const bool fits = large.shared_bytes() <= device.block_shared && blocks >= device.multiprocessors;
  using detail::choose_mma_access;
  mma_plan plan{.tile = fits ? 0 : 1,
                .a = choose_mma_access(p.a, p.m, p.a_row, p.k, p.a_column, p.batch, p.a_batch),
                .b = choose_mma_access(p.b, p.n, p.b_column, p.k, p.b_row, p.batch, p.b_batch),
                .chunk = tensor_chunk(p.k, p.split_k),
                .reason = "the device or this build lacks wgmma"};
  detail::choose_pieces(plan.a, plan.a_piece, p.a, p.a_row, p.a_column, p.batch, p.a_batch);
  detail::choose_pieces(plan.b, plan.b_piece, p.b, p.b_column, p.b_row, p.batch, p.b_batch);
  if constexpr (is_int8<In>) {
    detail::divide_int8(p, device.multiprocessors, plan);
  } else {
    detail::divide_chunks(p, device.multiprocessors, plan);
  }
  return plan;
}

}  // namespace tandem::cuda_impl
