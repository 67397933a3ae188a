// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/hopper/launch_definition.cuh>

namespace tandem::cuda_impl {

template void launch_wgmma<tensor_type::half>(const cuda&, const tensor_plan&,
                                              const wgmma_arguments&);

}  // namespace tandem::cuda_impl
