// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/sort/radix_passes.hpp>

#include <tandem/backends/cuda/sort/cub.cuh>

namespace tandem::cuda_impl {

void sort_pairs_4_bytes(const cuda& space, const sort_problem& problem) {
  sort_with<std::uint32_t>(space, problem);
}

}  // namespace tandem::cuda_impl
