// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/batched/policy.hpp>
#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/ptx/mbarrier.cuh>
#include <tandem/backends/cuda/ptx/tma.cuh>
#include <tandem/core/contract/grid_indices.hpp>

#include <bit>

namespace tandem::cuda_impl {

/// How a block copies one operand of its products to shared memory, `depth` terms at a time.
/// Adjacent lanes traverse the inner index, one element or 16 bytes each. Strides and pitches are
/// between such steps, in elements.
template <class T>
struct batched_copy {
  const T* data = nullptr;
  index_t batch_stride = 0;
  index_t inner_stride = 0;
  index_t outer_stride = 0;
  index_t slice_stride = 0;  ///< between slices of k
  int inner = 1;             ///< copies per row of a slice
  int matrix = 1;            ///< copies per slice of a product
  int inner_pitch = 0;       ///< in shared memory
  int outer_pitch = 0;
  int product_pitch = 0;  ///< 0 if the operand is broadcast over the batch
  int inner_terms = 0;    ///< terms of k between copies along either index
  int outer_terms = 0;
  bool vectorized = false;  ///< copies move 16 bytes at a time
  /// Vectorized, with k as one slice and no gaps between the products.
  bool flat = false;
  bool bulk = false;  ///< flat, also in shared memory, and the device has bulk copies
  tandem::detail::fast_divisor by_inner = {};
  tandem::detail::fast_divisor by_matrix = {};
};

/// A block's products: `count` of them, starting at `first`.
struct batched_group {
  index_t first;
  int count;
};

/// Issues the copies of slice `slice` of k, which has `terms` terms.
template <int Bytes, int Threads, class T>
__device__ __forceinline__ void copy_strided(const batched_copy<T>& copy,
                                             const batched_group& group, int slice, int terms,
                                             std::uint32_t target) {
  const T* const source = copy.data + group.first * copy.batch_stride + slice * copy.slice_stride;
  const auto count =
      static_cast<unsigned>((copy.product_pitch == 0 ? 1 : group.count) * copy.matrix);
#pragma unroll 2
  for (unsigned step = threadIdx.x; step < count; step += Threads) {
    const unsigned product = copy.by_matrix.quotient(step);
    const unsigned inside = step - product * copy.matrix;
    const unsigned outer = copy.by_inner.quotient(inside);
    const unsigned inner = inside - outer * copy.inner;
    const T* const from = source + product * copy.batch_stride + outer * copy.outer_stride +
                          inner * copy.inner_stride;
    const unsigned to =
        product * copy.product_pitch + outer * copy.outer_pitch + inner * copy.inner_pitch;
    const int term =
        static_cast<int>(inner) * copy.inner_terms + static_cast<int>(outer) * copy.outer_terms;
    ptx::copy_async<Bytes>(target + to * static_cast<unsigned>(sizeof(T)), from, term < terms);
  }
}

/// Whether the architecture being compiled for has bulk copies.
TANDEM_FUNCTION constexpr bool has_bulk_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  return true;
#else
  return false;
#endif
}

/// Bytes of one operand for all products of a group.
template <class T>
__device__ __forceinline__ std::uint32_t group_bytes(const batched_copy<T>& copy,
                                                     const batched_group& group) {
  return (copy.product_pitch == 0 ? 1 : group.count) * copy.matrix * 16;
}

/// Issues the copies of an operand without gaps, for which only the row pitch matters.
template <int Threads, class T>
__device__ __forceinline__ void copy_flat(const batched_copy<T>& copy, const batched_group& group,
                                          std::uint32_t target) {
  constexpr unsigned width = vector_width<T>;
  const T* const source = copy.data + group.first * copy.batch_stride;
  const unsigned count = group_bytes(copy, group) / 16;
  const unsigned gap = copy.outer_pitch - copy.inner * width;
#pragma unroll 4
  for (unsigned step = threadIdx.x; step < count; step += Threads) {
    const unsigned row = gap == 0 ? 0 : copy.by_inner.quotient(step);
    ptx::copy_async<16>(target + (step * width + row * gap) * static_cast<unsigned>(sizeof(T)),
                        source + step * width, true);
  }
}

/// Issues the non-bulk copies of a slice, with all threads.
template <int Threads, class T>
__device__ __forceinline__ void copy_slice(const batched_copy<T>& copy, const batched_group& group,
                                           int slice, int terms, std::uint32_t target) {
  if (has_bulk_copies() && copy.bulk) return;
  if (copy.flat) {
    copy_flat<Threads>(copy, group, target);
  } else if (copy.vectorized) {
    copy_strided<16, Threads>(copy, group, slice, terms, target);
  } else {
    copy_strided<sizeof(T), Threads>(copy, group, slice, terms, target);
  }
}

/// Issues the bulk copies from one thread, and announces their bytes to the barrier.
template <class T>
__device__ __forceinline__ void copy_bulk(const batched_copy<T>& a, std::uint32_t a_target,
                                          const batched_copy<T>& b, std::uint32_t b_target,
                                          const batched_group& group, std::uint32_t barrier) {
  const std::uint32_t a_bytes = a.bulk ? group_bytes(a, group) : 0;
  const std::uint32_t b_bytes = b.bulk ? group_bytes(b, group) : 0;
  ptx::barrier_arrive_expect_tx(barrier, a_bytes + b_bytes);
  if (a.bulk) ptx::copy_bulk(a_target, a.data + group.first * a.batch_stride, a_bytes, barrier);
  if (b.bulk) ptx::copy_bulk(b_target, b.data + group.first * b.batch_stride, b_bytes, barrier);
}

/// Lanes that copy a row of `Units` x 16 bytes: a power of 2, so that shifts suffice for indexing.
template <int Units>
inline constexpr int panel_lanes = static_cast<int>(std::bit_ceil(static_cast<unsigned>(Units)));

/// Issues the copies of `rows` rows of `units` x 16 bytes to rows of Pitch elements. A stage has
/// room for Rows x Units.
template <int Rows, int Units, int Pitch, int Threads, class T>
__device__ __forceinline__ void copy_panel_rows(const T* source, index_t row_stride, int rows,
                                                int units, std::uint32_t target) {
  constexpr int width = static_cast<int>(vector_width<T>);
  constexpr int lanes = panel_lanes<Units>;
  constexpr int step = Threads / lanes;
  const int row = static_cast<int>(threadIdx.x) / lanes;
  const int unit = static_cast<int>(threadIdx.x) % lanes;
  const bool active = unit < min(units, Units) && (Threads % lanes == 0 || row < step);
  source += row * row_stride + unit * width;
  target += static_cast<unsigned>((row * Pitch + unit * width) * sizeof(T));
#pragma unroll
  for (int i = 0; i < Rows; i += step) {
    ptx::copy_async<16>(target + static_cast<unsigned>(i * Pitch * sizeof(T)), source,
                        active && row + i < rows);
    source += step * row_stride;
  }
}

}  // namespace tandem::cuda_impl
