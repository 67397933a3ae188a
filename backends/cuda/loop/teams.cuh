// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/core/math.hpp>
#include <tandem/core/team/grid.hpp>

namespace tandem {

namespace cuda_impl {

/// Runs teams first, first + 1, .., one per block. The block's threads are the lanes and its
/// dynamic shared memory is the scratch. There are no launch bounds, because the number of lanes is
/// known only at run time; launching a block that is too large for the kernel's registers fails.
template <class F>
__global__ void team_kernel(const __grid_constant__ F kernel, team_shape shape, index_t first) {
  ptx::grid_dependency_wait();
  extern __shared__ __align__(16) unsigned char team_scratch[];
  team members(first + static_cast<index_t>(blockIdx.x), shape, team_scratch);
  kernel(members);
}

/// One launch of multi-dimensional teams: x is the fastest dimension, and planes have one team
/// along z.
struct team_grid_chunk {
  index_t teams[3];  ///< over all launches, along x, y and z
  index_t begin[3];
};

/// Runs the teams of a chunk, one per block. The block has the dimensions of the lanes.
template <int Rank, class F>
__global__ void team_grid_kernel(const __grid_constant__ F kernel, team_grid_chunk chunk,
                                 unsigned scratch_bytes) {
  ptx::grid_dependency_wait();
  extern __shared__ __align__(16) unsigned char team_scratch[];
  const index_t x = chunk.begin[0] + blockIdx.x;
  const index_t y = chunk.begin[1] + blockIdx.y;
  const auto lanes = [](unsigned n) { return static_cast<int>(n); };
  if constexpr (Rank == 2) {
    basic_team<2> members(
        {y, x, chunk.teams[0]},
        {{chunk.teams[1], chunk.teams[0]}, {lanes(blockDim.y), lanes(blockDim.x)}, scratch_bytes},
        team_scratch);
    kernel(members);
  } else {
    const index_t z = chunk.begin[2] + blockIdx.z;
    basic_team<3> members({z, y, x, chunk.teams[1], chunk.teams[0]},
                          {{chunk.teams[2], chunk.teams[1], chunk.teams[0]},
                           {lanes(blockDim.z), lanes(blockDim.y), lanes(blockDim.x)},
                           scratch_bytes},
                          team_scratch);
    kernel(members);
  }
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

/// Runs two- or three-dimensional teams as blocks of that shape.
template <int Rank, class F>
void dispatch_teams(const cuda& space, const char* label, const basic_team_shape<Rank>& shape,
                    const F& kernel) {
  cuda_impl::require_argument_size<F>();
  const auto along = [](const extents<Rank>& sizes, int d) {
    return d < Rank ? sizes[Rank - 1 - d] : index_t{1};
  };
  const index_t most[3] = {cuda_impl::max_grid_x, cuda_impl::max_grid_yz, cuda_impl::max_grid_yz};
  cuda_impl::team_grid_chunk chunk{};
  unsigned threads[3];
  for (int d = 0; d < 3; ++d) {
    chunk.teams[d] = along(shape.teams, d);
    threads[d] = static_cast<unsigned>(along(shape.lanes, d));
  }
  index_t(&at)[3] = chunk.begin;
  for (at[2] = 0; at[2] < chunk.teams[2]; at[2] += most[2]) {
    for (at[1] = 0; at[1] < chunk.teams[1]; at[1] += most[1]) {
      for (at[0] = 0; at[0] < chunk.teams[0]; at[0] += most[0]) {
        unsigned blocks[3];
        for (int d = 0; d < 3; ++d)
          blocks[d] = static_cast<unsigned>(tandem::min(chunk.teams[d] - at[d], most[d]));
        cuda_impl::launch(space,
                          {.grid = dim3(blocks[0], blocks[1], blocks[2]),
                           .block = dim3(threads[0], threads[1], threads[2]),
                           .shared_bytes = shape.scratch_bytes,
                           .label = label,
                           .programmatic_launch = true},
                          cuda_impl::team_grid_kernel<Rank, F>, kernel, chunk,
                          static_cast<unsigned>(shape.scratch_bytes));
      }
    }
  }
}

}  // namespace tandem
