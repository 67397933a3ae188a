// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/fma/kernel.cuh>

namespace tandem::cuda_impl {

template void launch_candidate<float, 0>(const cuda&, const fma_plan&,
                                         const matmul_arguments<float>&, index_t);  // 128x256
template void launch_candidate<float, 1>(const cuda&, const fma_plan&,
                                         const matmul_arguments<float>&, index_t);  // 128x128

template void launch_candidate<float, 2>(const cuda&, const fma_plan&,
                                         const matmul_arguments<float>&, index_t);  // 64x128
template void launch_candidate<float, 3>(const cuda&, const fma_plan&,
                                         const matmul_arguments<float>&,
                                         index_t);  // 64x128 by 8 warps
template void launch_candidate<float, 4>(const cuda&, const fma_plan&,
                                         const matmul_arguments<float>&, index_t);  // 128x64
template void launch_candidate<float, 5>(const cuda&, const fma_plan&,
                                         const matmul_arguments<float>&, index_t);  // 16x64
template void launch_candidate<float, 6>(const cuda&, const fma_plan&,
                                         const matmul_arguments<float>&, index_t);  // 16x32

}  // namespace tandem::cuda_impl
