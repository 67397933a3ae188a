// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/batched/copy.cuh>
#include <tandem/backends/cuda/matmul/batched/engines.cuh>
#include <tandem/backends/cuda/matmul/passes/epilogue.cuh>

namespace tandem::cuda_impl {

/// What matmul_batched_kernel is given.
template <class T>
struct batched_arguments {
  batched_copy<T> a;
  batched_copy<T> b;
  batched_layout layout;
  int slices = 1;  ///< of k
  index_t batch = 0;
  matmul_arguments<T> problem = {};  ///< of which extents, c and finish are used
};

/// Where a block is in its work: slice after slice of group after group.
template <int Products, class T>
struct batched_position {
  index_t group;
  int slice = 0;

  __device__ __forceinline__ bool exists(const batched_arguments<T>& p) const {
    return group * Products < p.batch;
  }
  __device__ __forceinline__ batched_group products(const batched_arguments<T>& p) const {
    const index_t first = group * Products;
    return {first, p.batch - first < Products ? static_cast<int>(p.batch - first) : Products};
  }
  __device__ __forceinline__ int terms(const batched_arguments<T>& p) const {
    const int left = static_cast<int>(p.problem.k) - slice * p.layout.depth;
    return left < p.layout.depth ? left : p.layout.depth;
  }
  __device__ __forceinline__ void advance(const batched_arguments<T>& p) {
    if (++slice < p.slices) return;
    slice = 0;
    group += gridDim.x;
  }
};

/// Stage `stage` in shared memory, and the barrier that counts what bulk copies bring to it.
template <class T>
__device__ __forceinline__ std::uint32_t stage_barrier(const batched_arguments<T>& p, T* shared,
                                                       int stages, int stage) {
  return ptx::shared_address(shared + stages * p.layout.stage) + 8 * stage;
}

/// Starts the copies of a slice into a stage, if it exists.
template <int Threads, class Position, class T>
__device__ __forceinline__ void copy_stage(const batched_arguments<T>& p, const Position& at,
                                           T* stage, std::uint32_t barrier) {
  if (at.exists(p)) {
    const batched_group group = at.products(p);
    const int terms = at.terms(p);
    const std::uint32_t a = ptx::shared_address(stage);
    const std::uint32_t b = ptx::shared_address(stage + p.layout.b_first);
    if constexpr (has_bulk_copies()) {
      if (threadIdx.x == 0 && (p.a.bulk || p.b.bulk)) copy_bulk(p.a, a, p.b, b, group, barrier);
    }
    copy_slice<Threads>(p.a, group, at.slice, terms, a);
    copy_slice<Threads>(p.b, group, at.slice, terms, b);
  }
  ptx::copy_async_commit();
}

/// Waits for all but the `Pending` youngest stages' copies, of all threads.
template <int Pending, class T>
__device__ __forceinline__ void await_stage(const batched_arguments<T>& p, std::uint32_t barrier,
                                            std::uint32_t parity) {
  ptx::copy_async_wait<Pending>();
  if constexpr (has_bulk_copies()) {
    if (p.a.bulk || p.b.bulk) ptx::barrier_wait(barrier, parity);
  }
  __syncthreads();
}

/// Makes the barriers.
template <class T>
__device__ __forceinline__ void open_stages(const batched_arguments<T>& p, T* shared, int stages) {
  if constexpr (has_bulk_copies()) {
    if (!p.a.bulk && !p.b.bulk) return;
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < stages; ++stage)
        ptx::barrier_init(stage_barrier(p, shared, stages, stage), 1);
      ptx::fence_barrier_init();
    }
    __syncthreads();
  }
}

/// Writes a run of 16 bytes at `column`: those of its elements that are inside c.
template <class T, int Width>
__device__ __forceinline__ void store_batched_run(const matmul_arguments<T>& problem, T* c,
                                                  int column, const T (&total)[Width]) {
  struct alignas(16) run_type {
    T value[Width];
  };
  const int left = static_cast<int>(problem.n) - column;
  if (problem.vectorized_c && left >= Width) {
    run_type run{};
    if (problem.finish.reads_c()) run = *reinterpret_cast<const run_type*>(c);
#pragma unroll
    for (int e = 0; e < Width; ++e)
      run.value[e] = problem.finish(total[e], run.value[e], 0, column + e);
    *reinterpret_cast<run_type*>(c) = run;
    return;
  }
#pragma unroll
  for (int e = 0; e < Width; ++e) {
    if (e < left) store_element(problem.finish, total[e], 0, column + e, c + e * problem.c_column);
  }
}

/// Writes those elements of a thread's part that are inside c, but for the epilogue. The part's
/// columns are counted from column `first` of the product.
template <class T, class Part>
__device__ __forceinline__ void store_product(const matmul_arguments<T>& given, const Part& part,
                                              T* c, int first = 0) {
  matmul_arguments<T> problem = given;
  problem.finish = without_epilogue(given.finish);
#pragma unroll
  for (int i = 0; i < Part::rows; ++i) {
    if (part.row(i) >= problem.m) continue;
#pragma unroll
    for (int run = 0; run < Part::runs; ++run) {
      const int column = first + part.column(run);
      store_batched_run(problem, c + part.row(i) * problem.c_row + column * problem.c_column,
                        column, part.total[i][run]);
    }
  }
}

/// The epilogue of what store_product has written, from the thread's first row and column on.
template <class T, class Part>
__device__ __noinline__ void finish_product(const matmul_arguments<T>& problem, int row, int column,
                                            T* c) {
#pragma unroll 1
  for (int i = 0; i < Part::rows; ++i) {
#pragma unroll 1
    for (int e = 0; e < Part::runs * Part::width; ++e) {
      const int r = row + i * Part::row_step;
      const int at = column + e / Part::width * Part::column_step + e % Part::width;
      if (r < problem.m && at < problem.n)
        apply_epilogue(problem.finish, r, at, c + r * problem.c_row + at * problem.c_column);
    }
  }
}

template <class Part>
__device__ __forceinline__ void clear(Part& part) {
#pragma unroll
  for (int i = 0; i < Part::rows; ++i) {
#pragma unroll
    for (int run = 0; run < Part::runs; ++run) {
#pragma unroll
      for (int e = 0; e < Part::width; ++e) part.total[i][run][e] = 0;
    }
  }
}

template <batched_tile Tile>
using batched_tensor_part =
    batched_tensor<Tile.rows, Tile.columns / 2, Tile.size / (4 * Tile.columns)>;

template <class T, batched_tile Tile>
using batched_part = std::conditional_t<Tile.tensor && has_fp64_tensor_cores(),
                                        batched_tensor_part<Tile>, batched_simt<T, Tile>>;

/// Adds a slice to a thread's part of its product, and writes the part after the last slice.
template <class T, class Part, class Position>
__device__ __forceinline__ void use_stage(const batched_arguments<T>& p, const Position& at,
                                          int product, const T* stage, Part& part) {
  const batched_group group = at.products(p);
  if (product >= group.count) return;
  part.add_slice(p.layout, static_cast<int>(p.problem.m) - 1, at.terms(p),
                 stage + product * p.a.product_pitch,
                 stage + p.layout.b_first + product * p.b.product_pitch);
  if (at.slice < p.slices - 1) return;
  T* const c = p.problem.c + (group.first + product) * p.problem.c_batch;
  store_product(p.problem, part, c);
  if (p.problem.finish.has_epilogue())
    finish_product<T, Part>(p.problem, part.row(0), part.column(0), c);
  clear(part);
}

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

/// c = alpha * a * b + beta * c for a batch of small products, several at a time a block.
///
/// Each element is one chain of fused multiply-adds in ascending k, which is the canonical shape of
/// k <= matmul_chunk.
template <class T, int Index>
__global__ void __launch_bounds__(batched_tile_of<T, Index>.threads,
                                  batched_min_blocks_per_sm(batched_tile_of<T, Index>))
    matmul_batched_kernel(const __grid_constant__ batched_arguments<T> p) {
  constexpr batched_tile tile = batched_tile_of<T, Index>;
  constexpr int stages = tile.stages;
  extern __shared__ __align__(16) unsigned char batched_shared[];
  T* const shared = reinterpret_cast<T*>(batched_shared);
  const int product = static_cast<int>(threadIdx.x) / tile.team();
  batched_part<T, tile> part(static_cast<int>(threadIdx.x) % tile.team());
  open_stages(p, shared, stages);
  ptx::wait_for_prior_work();
  batched_position<tile.products(), T> next{static_cast<index_t>(blockIdx.x)};
  auto at = next;
#pragma unroll 1
  for (int stage = 0; stage < stages - 1; ++stage) {
    copy_stage<tile.threads>(p, next, shared + stage * p.layout.stage,
                             stage_barrier(p, shared, stages, stage));
    next.advance(p);
  }
  int stage = 0;
  std::uint32_t parity = 0;
#pragma unroll 1
  for (; at.exists(p); at.advance(p)) {
    const std::uint32_t barrier = stage_barrier(p, shared, stages, stage);
    if constexpr (stages == 1) copy_stage<tile.threads>(p, at, shared, barrier);
    await_stage<stages == 1 ? 0 : stages - 2>(p, barrier, parity);
    if constexpr (stages > 1) {
      const int free = stage == 0 ? stages - 1 : stage - 1;
      copy_stage<tile.threads>(p, next, shared + free * p.layout.stage,
                               stage_barrier(p, shared, stages, free));
      next.advance(p);
    }
    use_stage(p, at, product, shared + stage * p.layout.stage, part);
    if constexpr (stages == 1) __syncthreads();
    if (++stage < stages) continue;
    stage = 0;
    parity ^= 1;
  }
}

}  // namespace tandem::cuda_impl
