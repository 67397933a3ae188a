// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_epilogue.hpp>

/// Bias and activation behind the store. Inlined for each of a thread's elements their code is long
/// enough to miss the instruction cache once a tile, and around gelu's call ptxas would spill the
/// others. So elements are stored as alpha * total + beta * c, and where there is an epilogue each
/// thread reads its own elements again, in a loop. Only for c of the type that matmul adds up in,
/// which holds that sum exactly.
namespace tandem::cuda_impl {

/// The finish but for bias and activation, of which the compiler sees that there are none.
template <class Sum>
__device__ __forceinline__ tandem::detail::element_epilogue<Sum> without_epilogue(
    const tandem::detail::element_epilogue<Sum>& finish) {
  return {.alpha = finish.alpha, .beta = finish.beta};
}

/// Bias and activation of the element (row, column) of c, which this thread has stored.
template <class Sum>
__device__ __forceinline__ void apply_epilogue(const tandem::detail::element_epilogue<Sum>& finish,
                                               index_t row, index_t column, Sum* element) {
  *element = finish.finished(*element, row, column);
}

}  // namespace tandem::cuda_impl
