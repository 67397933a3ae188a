// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/mma/fragments.cuh>
#include <tandem/backends/cuda/matmul/mma/loader.cuh>

/// The kernel of mma.sync: a ring of stages in shared memory filled by cp.async, fragments by
/// ldmatrix one step ahead of the products, and the tile's way out through shared memory.
namespace tandem::cuda_impl {

/// 4 elements that move as one.
template <class T>
struct alignas(4 * sizeof(T)) mma_run {
  T value[4];
};

/// First row and column of this block's tile. Blocks that run together cover a band of `band` tiles
/// down and as many across as it takes, so that they share rows of a and columns of b in L2.
__device__ __forceinline__ int2 find_mma_tile(index_t m, index_t n, const mma_tile& tile) {
  constexpr int band = 8;
  const int tiles_m = static_cast<int>((m + tile.m - 1) / tile.m);
  const int tiles_n = static_cast<int>((n + tile.n - 1) / tile.n);
  const int block = static_cast<int>(blockIdx.x);
  const int first = block / (band * tiles_n) * band;
  const int height = tiles_m - first < band ? tiles_m - first : band;
  const int inside = block % (band * tiles_n);
  return {(first + inside % height) * tile.m, inside / height * tile.n};
}

/// Finishes 4 sums of neighbouring columns and writes those that exist.
template <class T, class In>
__device__ __forceinline__ void store_mma_run(const mma_arguments<In>& problem,
                                              const mma_run<mma_sum_t<In>>& sums, index_t row,
                                              index_t column) {
  T* const c = static_cast<T*>(problem.c) + problem.c_origin() + row * problem.c_row +
               column * problem.c_column;
  const bool vectorized = problem.vectorized_c && column + 4 <= problem.n;
  mma_run<T> run{};
  if (vectorized && problem.finish.reads_c()) run = *reinterpret_cast<const mma_run<T>*>(c);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (column + i >= problem.n) break;
    if (!vectorized && problem.finish.reads_c()) run.value[i] = c[i * problem.c_column];
    const auto old = static_cast<mma_sum_t<In>>(run.value[i]);
    run.value[i] = static_cast<T>(problem.finish(sums.value[i], old, row, column + i));
    if (!vectorized) c[i * problem.c_column] = run.value[i];
  }
  if (vectorized) *reinterpret_cast<mma_run<T>*>(c) = run;
}

/// Writes the block's tile, whose sums are in shared memory.
template <class In, int Tile>
__device__ __forceinline__ void store_mma_tile(const mma_arguments<In>& problem,
                                               const mma_sum_t<In>* sums, int2 origin) {
  using Run = mma_run<mma_sum_t<In>>;
  constexpr mma_tile tile = mma_tiles[Tile];
  constexpr int lanes = tile.n / 4;
  for (int i = static_cast<int>(threadIdx.x); i < tile.m * lanes; i += tile.threads()) {
    const int row = i / lanes;
    const int column = i % lanes * 4;
    if (origin.x + row >= problem.m || origin.y + column >= problem.n) continue;
    const Run run = *reinterpret_cast<const Run*>(sums + row * tile.sum_pitch() + column);
    if (problem.c_is_input_type) {
      store_mma_run<In>(problem, run, origin.x + row, origin.y + column);
    } else {
      store_mma_run<mma_sum_t<In>>(problem, run, origin.x + row, origin.y + column);
    }
  }
}

/// The block's dynamic shared memory.
__device__ __forceinline__ unsigned char* mma_shared() {
  extern __shared__ __align__(16) unsigned char tandem_mma_shared[];
  return tandem_mma_shared;
}

/// The stages of a block and its walk over k: copies `stages` - 1 steps ahead of the products.
template <class In, int Tile>
class mma_pipeline {
  static constexpr mma_tile tile = mma_tiles[Tile];

 public:
  __device__ __forceinline__ mma_pipeline(const mma_arguments<In>& p, int2 origin, int terms)
      : a_(p.origin(p.a), p.a, p.a_access, origin.x, p.m, static_cast<int>(threadIdx.x)),
        b_(p.origin(p.b), p.b, p.b_access, origin.y, p.n, static_cast<int>(threadIdx.x)),
        terms_(terms),
        write_(ptx::shared_address(mma_shared())),
        read_(write_) {
    for (int i = 0; i < tile.stages - 1; ++i) copy_next();
  }

  /// Starts the copy of the next step into the stage that advance() freed.
  __device__ __forceinline__ void copy_next() {
    a_.copy(write_, terms_);
    b_.copy(write_ + tile.operand_bytes(tile.m), terms_);
    terms_ -= mma_tile::step_bytes / static_cast<int>(sizeof(In));
    ptx::copy_async_commit();
    write_ = next(write_);
  }
  /// Waits for the oldest step that has not been waited for.
  __device__ __forceinline__ void wait() {
    ptx::copy_async_wait<tile.stages - 2>();
    __syncthreads();
  }
  __device__ __forceinline__ void advance() { read_ = next(read_); }
  __device__ __forceinline__ std::uint32_t a() const { return read_; }
  __device__ __forceinline__ std::uint32_t b() const { return read_ + tile.operand_bytes(tile.m); }

 private:
  __device__ __forceinline__ std::uint32_t next(std::uint32_t stage) const {
    const std::uint32_t first = ptx::shared_address(mma_shared());
    stage += tile.stage_bytes();
    return stage == first + tile.stages * tile.stage_bytes() ? first : stage;
  }

  mma_loader<In, tile.m, tile.threads()> a_;
  mma_loader<In, tile.n, tile.threads()> b_;
  int terms_;  // that have not been copied
  std::uint32_t write_;
  std::uint32_t read_;
};

/// This thread's first total of the chunks of k: each block has room for a tile of them.
template <class In>
__device__ __forceinline__ mma_sum_t<In>* mma_totals(const mma_arguments<In>& problem,
                                                     const mma_tile& tile) {
  const index_t block = blockIdx.x + gridDim.x * (blockIdx.y + index_t{gridDim.y} * blockIdx.z);
  return problem.totals + block * (tile.m * tile.n) + threadIdx.x;
}

/// c = finish(a * b): one block computes one tile of one part of k.
template <class In, int Tile>
__global__ void __launch_bounds__(mma_tiles[Tile].threads(), mma_tiles[Tile].min_blocks_per_sm)
    matmul_mma_kernel(const __grid_constant__ mma_arguments<In> problem) {
  using Sum = mma_sum_t<In>;
  constexpr mma_tile tile = mma_tiles[Tile];
  constexpr int rows = tile.m / tile.warps_m;
  constexpr int columns = tile.n / tile.warps_n;
  constexpr int depth = mma_tile::step_bytes / static_cast<int>(sizeof(In));

  const int thread = static_cast<int>(threadIdx.x);
  const int first_row = thread / 32 / tile.warps_n * rows;
  const int first_column = thread / 32 % tile.warps_n * columns;
  const int2 origin = find_mma_tile(problem.m, problem.n, tile);
  const int terms = static_cast<int>(problem.slice_terms());
  const int chunk_steps = static_cast<int>(ceil_div<index_t>(problem.chunk, depth));
  const int steps = (terms + depth - 1) / depth;
  mma_pipeline<In, Tile> pipeline(problem, origin, terms);
  mma_fragments<rows / 16, false> a(problem.a_access, tile.m, first_row, thread % 32);
  mma_fragments<columns / 16, true> b(problem.b_access, tile.n, first_column, thread % 32);
  mma_sums<In, rows / 16, columns / 8> sums;
  sums.clear();
  pipeline.wait();
  a.load(0, pipeline.a(), 0);
  b.load(0, pipeline.b(), 0);
  for (int step = 0, in_chunk = 0; step < steps; ++step) {
    a.load(1, pipeline.a(), 1);
    b.load(1, pipeline.b(), 1);
    pipeline.copy_next();
    sums.multiply(a, b, 0);
    pipeline.advance();
    pipeline.wait();
    a.load(0, pipeline.a(), 0);
    b.load(0, pipeline.b(), 0);
    sums.multiply(a, b, 1);
    if (++in_chunk == chunk_steps && step + 1 < steps) {
      sums.add_to(mma_totals(problem, tile), tile.threads(), step < chunk_steps);
      sums.clear();
      in_chunk = 0;
    }
  }
  if (steps > chunk_steps) sums.add_from(mma_totals(problem, tile), tile.threads());

  ptx::copy_async_wait<0>();
  __syncthreads();
  Sum* const finished = reinterpret_cast<Sum*>(mma_shared());
  sums.store(finished + first_row * tile.sum_pitch() + first_column, tile.sum_pitch(), thread % 32);
  __syncthreads();
  store_mma_tile<In, Tile>(problem, finished, origin);
}

}  // namespace tandem::cuda_impl
