// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of floats and doubles along an axis of a view, compiled here rather than in every user's
// file.

#include <tandem/backends/cuda/reduce_axis/dispatch.cuh>

namespace tandem {

template void dispatch_reduce_axis(
    const cuda&, const char*,
    const reduce_axis_problem<strided_slices<float, sum<float>>, sum<float>>&);
template void dispatch_reduce_axis(
    const cuda&, const char*,
    const reduce_axis_problem<strided_slices<double, sum<double>>, sum<double>>&);

}  // namespace tandem
