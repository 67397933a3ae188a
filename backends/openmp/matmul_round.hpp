// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>
#include <tandem/core/half.hpp>

namespace tandem::openmp_impl {

/// c = alpha * total + beta * c, the latter by one fused multiply-add, rounded to T, for `count`
/// elements of c, `step` apart, with the widest vectors that the CPU has: the same bits for any of
/// them. beta == 0 does not read c. T is half or bf16.
template <class T>
void round_totals(const float* totals, index_t count, float alpha, float beta, T* c, index_t step);

extern template void round_totals(const float*, index_t, float, float, half*, index_t);
extern template void round_totals(const float*, index_t, float, float, bf16*, index_t);

}  // namespace tandem::openmp_impl
