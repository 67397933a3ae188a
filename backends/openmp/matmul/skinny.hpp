// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/panels.hpp>

namespace tandem::openmp_impl {

/// Runs matmul_method::skinny: each step multiplies a few terms of all columns of a group, so that b
/// is read in long rows and never copied. Between steps the group's chains are kept in `chains`
/// (plan.b_elements, followed by the totals).
template <class T, class In>
void multiply_skinny(const matmul_panels<T, In>& panels, detail::matmul_sum_t<T>* chains);

}  // namespace tandem::openmp_impl
