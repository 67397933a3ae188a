// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bitwise reductions of integers with CUB, and logical reductions of bool, whose values are bytes
// of 0 or 1. A separate file, so that the instances compile in parallel.

#include <tandem/backends/cuda/reduce/cub.cuh>

namespace tandem::cuda_impl {

template void run_cub_reduce<cub_operation::bitwise_and>(const cuda&, index_t, const std::uint8_t*,
                                                         const cub_destination<std::uint8_t>&);
template void run_cub_reduce<cub_operation::bitwise_and>(const cuda&, index_t, const std::uint32_t*,
                                                         const cub_destination<std::uint32_t>&);
template void run_cub_reduce<cub_operation::bitwise_and>(const cuda&, index_t, const std::uint64_t*,
                                                         const cub_destination<std::uint64_t>&);
template void run_cub_reduce<cub_operation::bitwise_or>(const cuda&, index_t, const std::uint8_t*,
                                                        const cub_destination<std::uint8_t>&);
template void run_cub_reduce<cub_operation::bitwise_or>(const cuda&, index_t, const std::uint32_t*,
                                                        const cub_destination<std::uint32_t>&);
template void run_cub_reduce<cub_operation::bitwise_or>(const cuda&, index_t, const std::uint64_t*,
                                                        const cub_destination<std::uint64_t>&);

}  // namespace tandem::cuda_impl
