// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/panels.hpp>

namespace tandem::openmp_impl {

/// matmul_method::pieces: a piece of a chunk multiplies some terms of all columns of a group, so
/// that b is read in long rows and never copied. The group's chains wait in `chains`
/// (plan.b_elements, totals behind them) for the next piece.
template <class T, class In>
void multiply_pieces(const matmul_panels<T, In>& panels, detail::matmul_sum_t<T>* chains);

}  // namespace tandem::openmp_impl
