// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/mma/fragments.cuh>
#include <tandem/backends/cuda/matmul/mma/loader.cuh>

/// The kernel for mma.sync: cp.async fills a pipeline of stages in shared memory, ldmatrix loads
/// fragments one step ahead of the products, and the tile is written through shared memory.
namespace tandem::cuda_impl {

/// The arguments of the mma kernels. c has the type of the sums or of the operands, so that one
/// kernel serves both results of a 16-bit type.
template <class In>
struct mma_arguments {
  matmul_arguments<mma_sum_t<In>, In> problem;  ///< vectorized_c: 4 elements at a time
  mma_access a_access = mma_access::k_major;
  mma_access b_access = mma_access::k_major;
  int a_piece = 16;  ///< bytes per copy of the vectorized accesses
  int b_piece = 16;
  bool c_is_input_type = false;  ///< elements of c are In rather than sums
  index_t chunk = 0;             ///< terms between additions to the totals, or slice_k
  /// Memory for one tile per block, if a slice has several chunks.
  mma_sum_t<In>* totals = nullptr;
};

/// Finishes 4 sums of adjacent columns and writes those that exist. C is the element type of c.
template <class C, class Sum, class In>
__device__ __forceinline__ void store_mma_run(const matmul_arguments<Sum, In>& problem,
                                              const aligned_vector<Sum, 4>& sums, index_t row,
                                              index_t column) {
  C* const c = reinterpret_cast<C*>(problem.c) + blockIdx.z * problem.c_batch +
               blockIdx.y * problem.c_slice + row * problem.c_row + column * problem.c_column;
  const bool vectorized = problem.vectorized_c && column + 4 <= problem.n;
  aligned_vector<C, 4> run{};
  if (vectorized && problem.finish.reads_c())
    run = *reinterpret_cast<const aligned_vector<C, 4>*>(c);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (column + i >= problem.n) break;
    if (!vectorized && problem.finish.reads_c()) run.value[i] = c[i * problem.c_column];
    const auto old = static_cast<Sum>(run.value[i]);
    run.value[i] = ptx::convert<C>(problem.finish(sums.value[i], old, row, column + i));
    if (!vectorized) c[i * problem.c_column] = run.value[i];
  }
  if (vectorized) *reinterpret_cast<aligned_vector<C, 4>*>(c) = run;
}

/// Writes the block's tile, whose sums are in shared memory.
template <class In, int Tile>
__device__ __forceinline__ void store_mma_tile(const mma_arguments<In>& p,
                                               const mma_sum_t<In>* sums, tile_origin origin) {
  using Sum = mma_sum_t<In>;
  constexpr mma_tile tile = mma_tiles[Tile];
  constexpr int lanes = tile.n / 4;
  for (int i = static_cast<int>(threadIdx.x); i < tile.m * lanes; i += tile.threads()) {
    const int row = i / lanes;
    const int column = i % lanes * 4;
    if (origin.m + row >= p.problem.m || origin.n + column >= p.problem.n) continue;
    const auto run =
        *reinterpret_cast<const aligned_vector<Sum, 4>*>(sums + row * tile.sum_pitch() + column);
    if (p.c_is_input_type) {
      store_mma_run<In>(p.problem, run, origin.m + row, origin.n + column);
    } else {
      store_mma_run<Sum>(p.problem, run, origin.m + row, origin.n + column);
    }
  }
}

/// The block's dynamic shared memory.
__device__ __forceinline__ unsigned char* mma_shared() {
  extern __shared__ __align__(16) unsigned char tandem_mma_shared[];
  return tandem_mma_shared;
}

/// The block's k loop and pipeline: copies run `stages` - 1 steps ahead of the products.
template <class In, int Tile>
class mma_pipeline {
  static constexpr mma_tile tile = mma_tiles[Tile];

 public:
  __device__ __forceinline__ mma_pipeline(const mma_arguments<In>& p, tile_origin origin, int terms)
      : a_(p.problem.slice_a(), p.problem.a, p.a_access, p.a_piece, origin.m, p.problem.m,
           static_cast<int>(threadIdx.x)),
        b_(p.problem.slice_b(), p.problem.b, p.b_access, p.b_piece, origin.n, p.problem.n,
           static_cast<int>(threadIdx.x)),
        terms_(terms),
        write_(ptx::shared_address(mma_shared())),
        read_(write_) {
    for (int i = 0; i < tile.stages - 1; ++i) copy_next();
  }

  /// Issues the copy of the next step, if there is one, into the stage that advance() freed.
  __device__ __forceinline__ void copy_next() {
    if (terms_ > 0) {
      a_.copy(write_, terms_);
      b_.copy(write_ + tile.operand_bytes(tile.m), terms_);
    }
    terms_ -= mma_tile::step_bytes / static_cast<int>(sizeof(In));
    ptx::copy_async_commit();
    write_ = next(write_);
  }
  /// Waits for the oldest outstanding step.
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
  int terms_;  // not copied yet
  std::uint32_t write_;
  std::uint32_t read_;
};

/// Returns this thread's first total for the chunks of k; each block has room for one tile of
/// totals.
template <class In>
__device__ __forceinline__ mma_sum_t<In>* mma_totals(const mma_arguments<In>& p,
                                                     const mma_tile& tile) {
  const index_t block = blockIdx.x + gridDim.x * (blockIdx.y + index_t{gridDim.y} * blockIdx.z);
  return p.totals + block * (tile.m * tile.n) + threadIdx.x;
}

/// Computes c = finish(a * b): each block computes one tile of one slice of k.
template <class In, int Tile>
__global__ void __launch_bounds__(mma_tiles[Tile].threads(), mma_tiles[Tile].min_blocks_per_sm)
    matmul_mma_kernel(const __grid_constant__ mma_arguments<In> p) {
  using Sum = mma_sum_t<In>;
  constexpr mma_tile tile = mma_tiles[Tile];
  constexpr int rows = tile.m / tile.warps_m;
  constexpr int columns = tile.n / tile.warps_n;
  constexpr int depth = mma_tile::step_bytes / static_cast<int>(sizeof(In));

  ptx::grid_dependency_wait();
  const int thread = static_cast<int>(threadIdx.x);
  const int first_row = thread / 32 / tile.warps_n * rows;
  const int first_column = thread / 32 % tile.warps_n * columns;
  const tile_origin origin = find_tile(p.problem.m, p.problem.n, tile);
  const int terms = static_cast<int>(p.problem.slice_terms());
  const int chunk_steps = static_cast<int>(ceil_div<index_t>(p.chunk, depth));
  const int steps = (terms + depth - 1) / depth;
  mma_pipeline<In, Tile> pipeline(p, origin, terms);
  mma_fragments<rows / 16, false> a(p.a_access, tile.m, first_row, thread % 32);
  mma_fragments<columns / 16, true> b(p.b_access, tile.n, first_column, thread % 32);
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
      sums.add_to(mma_totals(p, tile), tile.threads(), step < chunk_steps);
      sums.clear();
      in_chunk = 0;
    }
  }
  if (steps > chunk_steps) sums.add_from(mma_totals(p, tile), tile.threads());

  ptx::copy_async_wait<0>();
  __syncthreads();
  Sum* const finished = reinterpret_cast<Sum*>(mma_shared());
  sums.store(finished + first_row * tile.sum_pitch() + first_column, tile.sum_pitch(), thread % 32);
  __syncthreads();
  store_mma_tile<In, Tile>(p, finished, origin);
}

}  // namespace tandem::cuda_impl
