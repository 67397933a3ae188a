// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/fma/store.cuh>
#include <tandem/backends/cuda/matmul/hopper/f64/fragments.cuh>

/// Products of doubles with at most one chunk of k on compute capability 9.0. TMA loads the
/// operands, and warps wait for stages but never for each other. Because there are no totals to
/// keep, many small blocks share a multiprocessor, and one stores while others multiply.
namespace tandem::cuda_impl {

/// The kernel's arguments. Tiles are numbered by band and column, then by slice of k, then by
/// matrix.
struct f64_arguments {
  matmul_arguments<double> problem;
  CUtensorMap a;
  CUtensorMap b;
  int tiles_m;
  int tiles_n;
  int split_k_slices;
  int tiles;
  bool a_batched;
  bool b_batched;
};

/// A tile of c.
struct f64_position {
  int row;
  int column;
  int slice;
  int batch;
  int terms;  ///< of the slice
};

template <matmul_tile Tile>
__device__ __forceinline__ f64_position f64_position_of(const f64_arguments& p, int tile) {
  constexpr int band = 8;
  const int plane = p.tiles_m * p.tiles_n;
  const int matrix = tile / plane;
  const int block = tile - matrix * plane;
  const int first = block / (band * p.tiles_n) * band;
  const int height = p.tiles_m - first < band ? p.tiles_m - first : band;
  const int inside = block % (band * p.tiles_n);
  const int slice = matrix % p.split_k_slices;
  const int left = static_cast<int>(p.problem.k - slice * p.problem.slice_k);
  const int most = static_cast<int>(p.problem.slice_k);
  return {(first + inside % height) * Tile.m, inside / height * Tile.n, slice,
          matrix / p.split_k_slices, left < most ? left : most};
}

/// The pipeline. A stage holds a tile of a followed by one of b.
template <matmul_tile Tile>
using f64_pipeline = tma_pipeline<Tile.stages, (Tile.m + Tile.n) * tma_row_bytes>;

/// Loads the stages of successive tiles. The block's warps take turns.
template <matmul_tile Tile, bool AKMajor, bool BKMajor>
class f64_producer {
 public:
  __device__ __forceinline__ f64_producer(const f64_arguments& p, std::uint32_t shared)
      : pipeline_{shared, 0, 1}, tile_(static_cast<int>(blockIdx.x)) {
    at_ = f64_position_of<Tile>(p, tile_);
  }

  /// Issues the load of the next stage, if there is one, as soon as the stage has been read.
  __device__ __forceinline__ void load_next(const f64_arguments& p, int warp) {
    if (tile_ >= p.tiles) return;
    if (warp == warp_) {
      if (ptx::elect_one()) load_stage(p);
      __syncwarp();
    }
    warp_ = (warp_ + 1) % (Tile.threads() / 32);
    pipeline_.advance();
    if (++block_ * Tile.k < at_.terms) return;
    block_ = 0;
    tile_ += static_cast<int>(gridDim.x);
    if (tile_ < p.tiles) at_ = f64_position_of<Tile>(p, tile_);
  }

 private:
  __device__ __forceinline__ void load_stage(const f64_arguments& p) const {
    const std::uint32_t full = pipeline_.full();
    const std::uint32_t target = pipeline_.address();
    ptx::barrier_wait(pipeline_.empty(), pipeline_.parity);
    ptx::barrier_arrive_expect_tx(full, f64_pipeline<Tile>::stage_bytes);
    const int term = at_.slice * static_cast<int>(p.problem.slice_k) + block_ * Tile.k;
    load_operand<AKMajor, Tile.m>(p.a, target, full, at_.row, term, p.a_batched ? at_.batch : 0);
    load_operand<BKMajor, Tile.n>(p.b, target + Tile.m * tma_row_bytes, full, at_.column, term,
                                  p.b_batched ? at_.batch : 0);
  }

  template <bool KMajor, int Extent>
  __device__ __forceinline__ static void load_operand(const CUtensorMap& map, std::uint32_t target,
                                                      std::uint32_t full, int outer, int term,
                                                      int plane) {
    if constexpr (KMajor) {
      ptx::tma_load(target, map, full, term, outer, plane);
    } else {
#pragma unroll
      for (int i = 0; i < Extent / 16; ++i)
        ptx::tma_load(target + i * f64_tma_tile_bytes, map, full, outer + i * 16, term, plane);
    }
  }

  f64_pipeline<Tile> pipeline_;
  int tile_;
  int block_ = 0;  // of the tile's k
  int warp_ = 0;
  f64_position at_;
};

/// Initialises the barriers.
template <matmul_tile Tile>
__device__ __forceinline__ void init_f64_barriers(const f64_arguments& p, std::uint32_t shared) {
  if (threadIdx.x == 0) {
    const f64_pipeline<Tile> pipeline{shared};
    pipeline.init_barriers(1, Tile.threads() / 32);
    ptx::prefetch_tensor_map(p.a);
    ptx::prefetch_tensor_map(p.b);
  }
  __syncthreads();
}

/// Finishes and writes a tile. A block that applies a finish has only one tile, so its stages are
/// free by then.
template <matmul_tile Tile, class Engine>
__device__ __forceinline__ void store_f64_tile(const f64_arguments& p, const Engine& engine,
                                               const f64_position& at, int thread) {
  double* const c = p.problem.c + at.batch * p.problem.c_batch + at.slice * p.problem.c_slice;
  const run_places<double> places(p.problem, engine, {at.row, at.column}, c);
  if (p.problem.plain) {
    store_totals(places, engine);
  } else {
    store_finished<Tile>(p.problem, places, engine, thread);
  }
}

/// A warp's position in the stages of its block's tiles.
template <matmul_tile Tile, class Engine, class Producer>
class f64_consumer {
 public:
  __device__ __forceinline__ f64_consumer(const f64_arguments& p, std::uint32_t shared,
                                          const unsigned char* stages, int warp, Producer& producer)
      : p_(p), pipeline_{shared}, stages_(stages), warp_(warp), producer_(producer) {}

  /// Waits for the current stage and loads the first operands.
  __device__ __forceinline__ void begin(Engine& engine) {
    ptx::barrier_wait(pipeline_.full(), pipeline_.parity);
    engine.load_first(current());
  }

  /// Multiplies a tile's terms; begin() must have been called. If there are `more` tiles, begins
  /// the next one.
  __device__ __forceinline__ void multiply(Engine& engine, int terms, bool more) {
#pragma unroll 1
    for (; terms >= Tile.k; terms -= Tile.k) {
      engine.multiply_stage(
          current(), [&] { producer_.load_next(p_, warp_); },
          [&] {
            release_stage();
            if (terms > Tile.k || more) ptx::barrier_wait(pipeline_.full(), pipeline_.parity);
            return current();
          });
    }
    if (terms == 0) return;
#pragma unroll 1
    for (int term = 0; term < terms; term += 4) engine.multiply_terms(current(), term);
    release_stage();
    producer_.load_next(p_, warp_);
    if (more) begin(engine);
  }

 private:
  __device__ __forceinline__ const unsigned char* current() const {
    return stages_ + pipeline_.stage * f64_pipeline<Tile>::stage_bytes;
  }
  /// Signals that this warp has read the current stage, so copies may refill it. The arrival alone
  /// is not enough: earlier loads can still be in flight behind another block's stores, and only a
  /// fence orders tensor copies after loads.
  __device__ __forceinline__ void release_stage() {
    ptx::fence_async_proxy();
    __syncwarp();
    if (threadIdx.x % 32 == 0) ptx::barrier_arrive(pipeline_.empty());
    pipeline_.advance();
  }

  const f64_arguments& p_;
  f64_pipeline<Tile> pipeline_;
  const unsigned char* stages_;
  int warp_;
  Producer& producer_;
};

/// Computes c = alpha * a * b + beta * c, or each part's totals. Blocks process tiles gridDim.x
/// apart.
template <int Candidate, bool AKMajor, bool BKMajor>
__global__ void __launch_bounds__(candidate_tile<double, Candidate>.threads(),
                                  candidate_tile<double, Candidate>.min_blocks_per_sm)
    matmul_f64_tma_kernel(const __grid_constant__ f64_arguments p) {
  constexpr matmul_tile tile = candidate_tile<double, Candidate>;
  using engine_type = f64_engine<tile, AKMajor, BKMajor>;
  using producer_type = f64_producer<tile, AKMajor, BKMajor>;
  extern __shared__ __align__(1024) unsigned char f64_shared[];
  const std::uint32_t shared = ptx::shared_address(f64_shared);
  init_f64_barriers<tile>(p, shared);
  ptx::grid_dependency_wait();
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = __shfl_sync(0xffffffff, thread / 32, 0);
  producer_type producer(p, shared);
#pragma unroll 1
  for (int s = 0; s < tile.stages - 1; ++s) producer.load_next(p, warp);
  engine_type engine(warp, thread % 32);
  f64_consumer<tile, engine_type, producer_type> consumer(p, shared, f64_shared, warp, producer);
  consumer.begin(engine);
  const int blocks = static_cast<int>(gridDim.x);
#pragma unroll 1
  for (int at = static_cast<int>(blockIdx.x); at < p.tiles; at += blocks) {
    engine.clear();
    consumer.multiply(engine, f64_position_of<tile>(p, at).terms, at + blocks < p.tiles);
    store_f64_tile<tile>(p, engine, f64_position_of<tile>(p, at), thread);
  }
}

}  // namespace tandem::cuda_impl
