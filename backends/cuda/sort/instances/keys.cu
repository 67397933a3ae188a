// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/sort/radix_passes.hpp>

#include <tandem/backends/cuda/sort/cub.cuh>

namespace tandem::cuda_impl {

void sort_keys(const cuda& space, const sort_problem& problem) {
  sort_with<cub::NullType>(space, problem);
}

}  // namespace tandem::cuda_impl
