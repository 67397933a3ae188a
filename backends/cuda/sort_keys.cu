// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/sort_parts.hpp>

#include <tandem/backends/cuda/sort_launch.cuh>

namespace tandem::cuda_impl {

void sort_keys_alone(const cuda& space, const sort_problem& problem) {
  sort_with<cub::NullType>(space, problem);
}

}  // namespace tandem::cuda_impl
