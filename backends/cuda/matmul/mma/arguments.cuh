// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/plan/tensor_candidates.hpp>

#include <type_traits>

namespace tandem::cuda_impl {

/// What the tensor cores add up in for elements of In.
template <class In>
using mma_sum_t = std::conditional_t<std::is_integral_v<In>, std::int32_t, float>;

/// What the mma kernels are given. c is without a type, so that one kernel serves both results of a
/// 16-bit type. blockIdx.z is the batch, blockIdx.y the part of k, blockIdx.x the tile of c.
template <class In>
struct mma_arguments {
  matmul_operand<In> a;
  matmul_operand<In> b;
  mma_access a_access = mma_access::k_major;
  mma_access b_access = mma_access::k_major;
  void* c = nullptr;
  bool c_is_input_type = false;  ///< elements of c are In rather than sums
  bool vectorized_c = false;     ///< whether 4 elements along a row of c can be written as one
  index_t c_row = 0;
  index_t c_column = 0;
  index_t c_batch = 0;
  index_t c_slice = 0;
  index_t m = 0;
  index_t n = 0;
  index_t k = 0;
  index_t slice_k = 0;
  index_t chunk = 0;  ///< terms between additions to the totals, or slice_k
  mma_sum_t<In>* totals =
      nullptr;  ///< a tile's room for each block, when a part has several chunks
  tandem::detail::element_epilogue<mma_sum_t<In>> finish;

  __device__ __forceinline__ index_t slice_terms() const {
    const index_t left = k - blockIdx.y * slice_k;
    return left < slice_k ? left : slice_k;
  }
  __device__ __forceinline__ index_t c_origin() const {
    return blockIdx.z * c_batch + blockIdx.y * c_slice;
  }
  /// First element of the block's batch and part of an operand.
  __device__ __forceinline__ const In* origin(const matmul_operand<In>& x) const {
    return x.data + blockIdx.z * x.batch_stride + blockIdx.y * slice_k * x.k_stride;
  }
};

}  // namespace tandem::cuda_impl
