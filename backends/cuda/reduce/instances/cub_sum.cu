// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums and products of integers with CUB. A separate file, so that the instances compile in
// parallel.

#include <tandem/backends/cuda/reduce/cub.cuh>

namespace tandem::cuda_impl {

template void run_cub_reduce<cub_operation::sum>(const cuda&, index_t, const std::uint32_t*,
                                                 const cub_destination<std::uint32_t>&);
template void run_cub_reduce<cub_operation::sum>(const cuda&, index_t, const std::uint64_t*,
                                                 const cub_destination<std::uint64_t>&);
template void run_cub_reduce<cub_operation::sum>(const cuda&, index_t, const std::int32_t*,
                                                 const cub_destination<std::uint64_t>&);
template void run_cub_reduce<cub_operation::sum>(const cuda&, index_t, const std::uint32_t*,
                                                 const cub_destination<std::uint64_t>&);
template void run_cub_reduce<cub_operation::product>(const cuda&, index_t, const std::uint32_t*,
                                                     const cub_destination<std::uint32_t>&);
template void run_cub_reduce<cub_operation::product>(const cuda&, index_t, const std::uint64_t*,
                                                     const cub_destination<std::uint64_t>&);

}  // namespace tandem::cuda_impl
