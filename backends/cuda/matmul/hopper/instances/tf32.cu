// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/hopper/launch.cuh>

namespace tandem::cuda_impl {

template void launch_wgmma<tensor_type::tf32>(const cuda&, const tensor_plan&,
                                              const wgmma_arguments<float>&);

}  // namespace tandem::cuda_impl
