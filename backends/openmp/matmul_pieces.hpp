// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul_panels.hpp>

namespace tandem::openmp_impl {

/// matmul_method::pieces: a piece of a chunk multiplies some terms of all columns of a group, so
/// that b is read in long rows and never copied. The group's chains wait in `chains`
/// (plan.b_elements, totals behind them) for the next piece.
template <class T>
void multiply_pieces(const matmul_panels<T>& panels, T* chains);

extern template void multiply_pieces(const matmul_panels<float>&, float*);
extern template void multiply_pieces(const matmul_panels<double>&, double*);
extern template void multiply_pieces(const matmul_panels<std::int32_t>&, std::int32_t*);

}  // namespace tandem::openmp_impl
