// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>

/// What the kernels on tensor cores agree upon. Plain C++, so that a machine without a GPU can test
/// it.
namespace tandem::cuda_impl {

/// What tensor cores multiply; they add up in float.
enum class tensor_type : unsigned char { bf16, half, tf32 };

/// Most terms that tensor cores add up for an element before the total is kept and the next one
/// begins at 0.
inline constexpr index_t tensor_chain = 16384;

/// Terms of one chunk of k on the tensor cores: all of them up to tensor_chain, else 1024, so that
/// blocks of their own can take them. A function of k alone; the chunks' totals are added in
/// ascending order in float. Within a chunk the instruction's own rounding holds.
constexpr index_t tensor_chunk(index_t k) { return k <= tensor_chain ? k : 1024; }

/// Number of chunks of k: 1 where there is nothing to multiply.
constexpr index_t tensor_chunks(index_t k) {
  return k <= tensor_chain ? 1 : (k + tensor_chunk(k) - 1) / tensor_chunk(k);
}

}  // namespace tandem::cuda_impl
