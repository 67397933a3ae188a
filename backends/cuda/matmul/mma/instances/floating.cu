// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/mma/launch.cuh>

namespace tandem::cuda_impl {

template void launch_mma(const cuda&, const mma_plan&, const matmul_arguments<float, bf16>&,
                         index_t);
template void launch_mma(const cuda&, const mma_plan&, const matmul_arguments<bf16, bf16>&,
                         index_t);
template void launch_mma(const cuda&, const mma_plan&, const matmul_arguments<float, half>&,
                         index_t);
template void launch_mma(const cuda&, const mma_plan&, const matmul_arguments<half, half>&,
                         index_t);
template void launch_mma(const cuda&, const mma_plan&, const matmul_arguments<float, float>&,
                         index_t);

}  // namespace tandem::cuda_impl
