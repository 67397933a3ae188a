// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/ptx/common.cuh>
#include <tandem/backends/cuda/random/policy.hpp>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/core/contract/random_problem.hpp>
#include <tandem/core/math.hpp>

/// Kernels that fill a rank-1 view with random numbers. They are instruction-bound, so a thread
/// processes several counters, one block apart, and the compiler computes their keys only once.
namespace tandem {

namespace cuda_impl {

/// Whether the tile of a thread block, with `Counters` counters per thread, covers only whole
/// blocks of elements at positions that store_block() accepts.
template <int Counters, class Sampler>
__device__ inline bool is_whole_tile(const random_problem<Sampler>& line, bool is_aligned) {
  constexpr index_t elements =
      index_t{random_tuning.block} * Counters * random_problem<Sampler>::block;
  return is_aligned && (index_t{blockIdx.x} + 1) * elements <= line.size;
}

/// Writes the tile at the end of a view, or one that is not aligned.
template <int Counters, class Sampler>
__device__ __forceinline__ void write_partial_tile(const random_problem<Sampler>& line,
                                                   bool is_aligned) {
  constexpr int block = random_problem<Sampler>::block;
  index_t b = index_t{blockIdx.x} * random_tuning.block * Counters + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < Counters; ++k, b += random_tuning.block) {
    if (block * b < line.size) line.write_block(b, is_aligned);
  }
}

/// Writes the values of `Counters` counters per thread.
template <int Counters, class Sampler>
__global__ void __launch_bounds__(random_tuning.block)
    fill_random_kernel(const __grid_constant__ random_problem<Sampler> line, bool is_aligned) {
  ptx::grid_dependency_wait();
  if (!is_whole_tile<Counters>(line, is_aligned))
    return write_partial_tile<Counters>(line, is_aligned);
  const index_t first = index_t{blockIdx.x} * random_tuning.block * Counters + threadIdx.x;
#pragma unroll
  for (int k = 0; k < Counters; ++k) {
    const index_t b = first + k * random_tuning.block;
    line.store_block(b, line.make_block(b));
  }
}

/// Launches the kernel for all counters of a rank-1 view, `Counters` per thread.
template <int Counters, class Sampler>
void launch_random(const cuda& space, const random_problem<Sampler>& line) {
  constexpr index_t elements =
      index_t{random_tuning.block} * Counters * random_problem<Sampler>::block;
  launch(space,
         {.grid = dim3(static_cast<unsigned>(ceil_div(line.size, elements))),
          .block = dim3(random_tuning.block),
          .label = "fill_random",
          .programmatic_launch = true},
         fill_random_kernel<Counters, Sampler>, line, line.is_aligned());
}

}  // namespace cuda_impl

/// Fills a rank-1 view with random numbers. The generic loops handle samplers that may reject a
/// word, because rejection branches, and samplers with tables.
template <class Sampler>
  requires(!detail::rejecting<Sampler> && sizeof(Sampler) <= 32)
void dispatch_random(const cuda& space, const random_problem<Sampler>& line) {
  using namespace cuda_impl;
  const index_t counters = ceil_div(line.size, index_t{random_problem<Sampler>::block});
  if (counters_per_thread(counters, limits(space).multiprocessors) > 1) {
    launch_random<random_tuning.counters>(space, line);
  } else {
    launch_random<1>(space, line);
  }
}

}  // namespace tandem
