// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/mma/launch.cuh>

namespace tandem::cuda_impl {

template void launch_mma(const cuda&, const mma_plan&,
                         const matmul_arguments<std::int32_t, std::int8_t>&, index_t);

}  // namespace tandem::cuda_impl
