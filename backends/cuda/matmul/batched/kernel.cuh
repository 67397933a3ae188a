// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/batched/work.cuh>

namespace tandem::cuda_impl {

/// Blocks of a tile that fit the threads which a multiprocessor of the architecture being compiled
/// for can hold.
constexpr int batched_min_blocks_per_sm(const batched_tile& tile) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  constexpr int most = 1024;
#elif defined(__CUDA_ARCH__) && \
    (__CUDA_ARCH__ / 10 == 86 || __CUDA_ARCH__ / 10 == 89 || __CUDA_ARCH__ >= 1200)
  constexpr int most = 1536;
#else
  constexpr int most = 2048;
#endif
  return tile.min_blocks_per_sm * tile.threads <= most ? tile.min_blocks_per_sm
                                                       : most / tile.threads;
}

/// c = alpha * a * b + beta * c for a batch of small products, in groups or panels.
///
/// Each element is one chain of fused multiply-adds in ascending k, which is the canonical shape of
/// k <= matmul_chunk.
template <class T, int Index>
__global__ void __launch_bounds__(batched_tile_of<T, Index>.threads,
                                  batched_min_blocks_per_sm(batched_tile_of<T, Index>))
    matmul_batched_kernel(const __grid_constant__ batched_arguments<T> p) {
  constexpr batched_tile tile = batched_tile_of<T, Index>;
  constexpr int stages = tile.stages;
  using work =
      std::conditional_t<(tile.panel > 0), product_panels<T, tile>, product_groups<T, tile>>;
  extern __shared__ __align__(16) unsigned char batched_shared[];
  T* const shared = reinterpret_cast<T*>(batched_shared);
  const int product = work::product();
  auto part = work::make_part();
  work::open(p, shared);
  ptx::grid_dependency_wait();
  typename work::position next{static_cast<index_t>(blockIdx.x)};
  auto at = next;
#pragma unroll 1
  for (int stage = 0; stage < stages - 1; ++stage) {
    work::copy(p, next, shared + stage * work::stage_elements(p), work::barrier(p, shared, stage));
    next.advance(p);
  }
  int stage = 0;
  std::uint32_t parity = 0;
#pragma unroll 1
  for (; at.exists(p); at.advance(p)) {
    const std::uint32_t barrier = work::barrier(p, shared, stage);
    if constexpr (stages == 1) work::copy(p, at, shared, barrier);
    work::template await<stages == 1 ? 0 : stages - 2>(p, barrier, parity);
    if constexpr (stages > 1) {
      const int free = stage == 0 ? stages - 1 : stage - 1;
      work::copy(p, next, shared + free * work::stage_elements(p), work::barrier(p, shared, free));
      next.advance(p);
    }
    work::use(p, at, product, shared + stage * work::stage_elements(p), part);
    if constexpr (stages == 1) __syncthreads();
    if (++stage < stages) continue;
    stage = 0;
    parity ^= 1;
  }
}

}  // namespace tandem::cuda_impl
