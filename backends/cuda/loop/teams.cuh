// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/core/math.hpp>
#include <tandem/core/team.hpp>

namespace tandem {

namespace cuda_impl {

/// Runs teams first, first + 1, .., one per block: the block's threads are the lanes and its
/// dynamic shared memory is the scratch. Without launch bounds, since the number of lanes is known
/// only at run time; a block too large for the kernel's registers is refused at its launch.
template <class F>
__global__ void team_kernel(const __grid_constant__ F kernel, team_shape shape, index_t first) {
  ptx::grid_dependency_wait();
  extern __shared__ __align__(16) unsigned char team_scratch[];
  team members(first + static_cast<index_t>(blockIdx.x), shape, team_scratch);
  kernel(members);
}

}  // namespace cuda_impl

/// Runs parallel_teams: each team is a block of exactly shape.lanes threads with
/// shape.scratch_bytes bytes of shared memory.
template <class F>
void dispatch_teams(const cuda& space, const char* label, const team_shape& shape,
                    const F& kernel) {
  cuda_impl::require_argument_size<F>();
  for (index_t first = 0; first < shape.teams; first += cuda_impl::max_grid_x) {
    const index_t teams = tandem::min(shape.teams - first, cuda_impl::max_grid_x);
    cuda_impl::launch(space,
                      {.grid = dim3(static_cast<unsigned>(teams)),
                       .block = dim3(static_cast<unsigned>(shape.lanes)),
                       .shared_bytes = shape.scratch_bytes,
                       .label = label,
                       .programmatic_launch = true},
                      cuda_impl::team_kernel<F>, kernel, shape, first);
  }
}

}  // namespace tandem
