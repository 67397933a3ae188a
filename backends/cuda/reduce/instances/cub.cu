// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reductions by CUB: of integers, and logical ones of bool, whose values are bytes of 0 or 1.

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

template void run_cub_reduce<cub_operation::minimum>(const cuda&, index_t, const std::int32_t*,
                                                     const cub_destination<std::int32_t>&);
template void run_cub_reduce<cub_operation::minimum>(const cuda&, index_t, const std::uint32_t*,
                                                     const cub_destination<std::uint32_t>&);
template void run_cub_reduce<cub_operation::minimum>(const cuda&, index_t, const std::int64_t*,
                                                     const cub_destination<std::int64_t>&);
template void run_cub_reduce<cub_operation::minimum>(const cuda&, index_t, const std::uint64_t*,
                                                     const cub_destination<std::uint64_t>&);
template void run_cub_reduce<cub_operation::maximum>(const cuda&, index_t, const std::int32_t*,
                                                     const cub_destination<std::int32_t>&);
template void run_cub_reduce<cub_operation::maximum>(const cuda&, index_t, const std::uint32_t*,
                                                     const cub_destination<std::uint32_t>&);
template void run_cub_reduce<cub_operation::maximum>(const cuda&, index_t, const std::int64_t*,
                                                     const cub_destination<std::int64_t>&);
template void run_cub_reduce<cub_operation::maximum>(const cuda&, index_t, const std::uint64_t*,
                                                     const cub_destination<std::uint64_t>&);

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
