// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/hopper/kernel.cuh>

// The slowest files of the library to compile are split in two, so that they build in parallel.
namespace tandem::cuda_impl {

template void launch_wgmma<tensor_type::half>(const cuda&, const tensor_plan&,
                                              const wgmma_arguments<float>&);
template void launch_wgmma<tensor_type::bf16>(const cuda&, const tensor_plan&,
                                              const wgmma_arguments<float>&);

}  // namespace tandem::cuda_impl
