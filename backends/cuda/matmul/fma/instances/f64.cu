// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/fma/kernel.cuh>

namespace tandem::cuda_impl {

template void launch_candidate<double, 0>(const cuda&, const fma_plan&,
                                          const matmul_arguments<double>&, index_t);  // 128x128
template void launch_candidate<double, 1>(const cuda&, const fma_plan&,
                                          const matmul_arguments<double>&, index_t);  // 64x128

template void launch_candidate<double, 2>(const cuda&, const fma_plan&,
                                          const matmul_arguments<double>&, index_t);  // 128x64
template void launch_candidate<double, 3>(const cuda&, const fma_plan&,
                                          const matmul_arguments<double>&, index_t);  // 32x64
template void launch_candidate<double, 4>(const cuda&, const fma_plan&,
                                          const matmul_arguments<double>&, index_t);  // 16x32

}  // namespace tandem::cuda_impl
