// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/fma/kernel.cuh>

namespace tandem::cuda_impl {

template void launch_candidate<double, 0>(const cuda&, const fma_plan&,
                                          const matmul_arguments<double>&, index_t);  // 128x128
template void launch_candidate<double, 1>(const cuda&, const fma_plan&,
                                          const matmul_arguments<double>&, index_t);  // 64x128

}  // namespace tandem::cuda_impl
