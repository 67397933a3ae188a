// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/fma/store.cuh>
#include <tandem/backends/cuda/matmul/hopper/f64/fragments.cuh>
#include <tandem/backends/cuda/ptx/cluster.cuh>
#include <tandem/backends/cuda/ptx/mbarrier.cuh>
#include <tandem/backends/cuda/ptx/tma.cuh>

/// Products of doubles of at most one chunk of k on compute capability 9.0: tensor copies bring the
/// operands, and warps wait for stages, never for each other. Without totals to keep, many small
/// blocks share a multiprocessor, and one stores while others multiply.
namespace tandem::cuda_impl {

/// What the kernel is given. Tiles are numbered by band and column as in find_tile, then part of k,
/// then matrix.
struct boxes_arguments {
  matmul_arguments<double> problem;
  CUtensorMap a;
  CUtensorMap b;
  int tiles_m;
  int tiles_n;
  int parts;
  int tiles;
  bool a_batched;
  bool b_batched;
};

/// A tile of c.
struct boxes_position {
  int row;
  int column;
  int part;
  int batch;
  int terms;  ///< of the part
};

template <matmul_tile Tile>
__device__ __forceinline__ boxes_position find_boxes(const boxes_arguments& p, int tile) {
  constexpr int band = 8;
  const int plane = p.tiles_m * p.tiles_n;
  const int matrix = tile / plane;
  const int block = tile - matrix * plane;
  const int first = block / (band * p.tiles_n) * band;
  const int height = p.tiles_m - first < band ? p.tiles_m - first : band;
  const int inside = block % (band * p.tiles_n);
  const int part = matrix % p.parts;
  const int left = static_cast<int>(p.problem.k - part * p.problem.slice_k);
  const int most = static_cast<int>(p.problem.slice_k);
  return {(first + inside % height) * Tile.m, inside / height * Tile.n, part, matrix / p.parts,
          left < most ? left : most};
}

/// The stages, and a pair of barriers for each behind them: full when the boxes have come, empty
/// when all warps have read them.
template <matmul_tile Tile>
struct boxes_ring {
  static constexpr int stage_bytes = (Tile.m + Tile.n) * boxes_row_bytes;
  static constexpr int bytes = Tile.stages * (stage_bytes + 16);

  std::uint32_t shared;
  int stage = 0;
  std::uint32_t parity = 0;

  __device__ __forceinline__ std::uint32_t full(int s) const {
    return shared + Tile.stages * stage_bytes + 8 * s;
  }
  __device__ __forceinline__ std::uint32_t empty(int s) const { return full(Tile.stages + s); }
  __device__ __forceinline__ void advance() {
    if (++stage < Tile.stages) return;
    stage = 0;
    parity ^= 1;
  }
};

/// Brings the stages of one tile after another. The block's warps do it in turn.
template <matmul_tile Tile, bool AKMajor, bool BKMajor>
class boxes_producer {
 public:
  __device__ __forceinline__ boxes_producer(const boxes_arguments& p, std::uint32_t shared)
      : ring_{shared, 0, 1}, tile_(static_cast<int>(blockIdx.x)) {
    at_ = find_boxes<Tile>(p, tile_);
  }

  /// Asks for the next stage, if there is one, once it has been read.
  __device__ __forceinline__ void bring_next(const boxes_arguments& p, int warp) {
    if (tile_ >= p.tiles) return;
    if (warp == warp_) {
      if (ptx::elect_one()) bring(p);
      __syncwarp();
    }
    warp_ = (warp_ + 1) % (Tile.threads() / 32);
    ring_.advance();
    if (++block_ * Tile.k < at_.terms) return;
    block_ = 0;
    tile_ += static_cast<int>(gridDim.x);
    if (tile_ < p.tiles) at_ = find_boxes<Tile>(p, tile_);
  }

 private:
  __device__ __forceinline__ void bring(const boxes_arguments& p) const {
    using ring = boxes_ring<Tile>;
    const std::uint32_t full = ring_.full(ring_.stage);
    const std::uint32_t target = ring_.shared + ring_.stage * ring::stage_bytes;
    ptx::barrier_wait(ring_.empty(ring_.stage), ring_.parity);
    ptx::barrier_arrive_expect_tx(full, ring::stage_bytes);
    const int term = at_.part * static_cast<int>(p.problem.slice_k) + block_ * Tile.k;
    bring_operand<AKMajor, Tile.m>(p.a, target, full, at_.row, term, p.a_batched ? at_.batch : 0);
    bring_operand<BKMajor, Tile.n>(p.b, target + Tile.m * boxes_row_bytes, full, at_.column, term,
                                  p.b_batched ? at_.batch : 0);
  }

  template <bool KMajor, int Extent>
  __device__ __forceinline__ static void bring_operand(const CUtensorMap& map, std::uint32_t target,
                                                       std::uint32_t full, int outer, int term,
                                                       int plane) {
    if constexpr (KMajor) {
      ptx::tma_load(target, map, full, term, outer, plane);
    } else {
#pragma unroll
      for (int box = 0; box < Extent / 16; ++box)
        ptx::tma_load(target + box * boxes_bytes, map, full, outer + box * 16, term, plane);
    }
  }

  boxes_ring<Tile> ring_;
  int tile_;
  int block_ = 0;  // of the tile's k
  int warp_ = 0;
  boxes_position at_;
};

/// Makes the barriers.
template <matmul_tile Tile>
__device__ __forceinline__ void open_ring(const boxes_arguments& p, std::uint32_t shared) {
  if (threadIdx.x == 0) {
    const boxes_ring<Tile> ring{shared};
    for (int s = 0; s < Tile.stages; ++s) {
      ptx::barrier_init(ring.full(s), 1);
      ptx::barrier_init(ring.empty(s), Tile.threads() / 32);
    }
    ptx::fence_barrier_init();
    ptx::prefetch_tensor_map(p.a);
    ptx::prefetch_tensor_map(p.b);
  }
  __syncthreads();
}

/// Finishes and writes a tile. With a finish of its own a block has one tile alone: the stages are
/// free then.
template <matmul_tile Tile, class Engine>
__device__ __forceinline__ void store_boxes(const boxes_arguments& p, const Engine& engine,
                                            const boxes_position& at, int thread) {
  double* const c = p.problem.c + at.batch * p.problem.c_batch + at.part * p.problem.c_slice;
  const run_places<double> places(p.problem, engine, {at.row, at.column}, c);
  if (p.problem.plain) {
    store_totals(places, engine);
  } else {
    store_finished<Tile>(p.problem, places, engine, thread);
  }
}

/// A warp's way through the stages of its block's tiles.
template <matmul_tile Tile, class Engine, class Producer>
class boxes_consumer {
 public:
  __device__ __forceinline__ boxes_consumer(const boxes_arguments& p, std::uint32_t shared,
                                            const unsigned char* stages, int warp,
                                            Producer& producer)
      : p_(p), ring_{shared}, stages_(stages), warp_(warp), producer_(producer) {}

  /// Waits for the current stage and loads the first operands.
  __device__ __forceinline__ void begin(Engine& engine) {
    ptx::barrier_wait(ring_.full(ring_.stage), ring_.parity);
    engine.load_first(current());
  }

  /// Multiplies a tile's terms, for which begin() has been called, and begins the next tile's where
  /// there are `more`.
  __device__ __forceinline__ void multiply(Engine& engine, int terms, bool more) {
#pragma unroll 1
    for (; terms >= Tile.k; terms -= Tile.k) {
      engine.multiply_stage(
          current(), [&] { producer_.bring_next(p_, warp_); },
          [&] {
            leave();
            if (terms > Tile.k || more) ptx::barrier_wait(ring_.full(ring_.stage), ring_.parity);
            return current();
          });
    }
    if (terms == 0) return;
#pragma unroll 1
    for (int term = 0; term < terms; term += 4) engine.multiply_terms(current(), term);
    leave();
    producer_.bring_next(p_, warp_);
    if (more) begin(engine);
  }

 private:
  __device__ __forceinline__ const unsigned char* current() const {
    return stages_ + ring_.stage * boxes_ring<Tile>::stage_bytes;
  }
  /// This warp has read the current stage, which copies may now fill again. The arrival alone does
  /// not say so: loads that were issued before it can still be under way, behind another block's
  /// stores, and tensor copies are ordered behind loads by a fence alone.
  __device__ __forceinline__ void leave() {
    ptx::fence_async_proxy();
    __syncwarp();
    if (threadIdx.x % 32 == 0) ptx::barrier_arrive(ring_.empty(ring_.stage));
    ring_.advance();
  }

  const boxes_arguments& p_;
  boxes_ring<Tile> ring_;
  const unsigned char* stages_;
  int warp_;
  Producer& producer_;
};

/// c = alpha * a * b + beta * c, or each part's totals. Blocks take tiles gridDim.x apart.
template <int Candidate, bool AKMajor, bool BKMajor>
__global__ void __launch_bounds__(candidate_tile<double, Candidate>.threads(),
                                  candidate_tile<double, Candidate>.min_blocks_per_sm)
    matmul_boxes_kernel(const __grid_constant__ boxes_arguments p) {
  constexpr matmul_tile tile = candidate_tile<double, Candidate>;
  using engine_type = boxes_engine<tile, AKMajor, BKMajor>;
  using producer_type = boxes_producer<tile, AKMajor, BKMajor>;
  extern __shared__ __align__(1024) unsigned char boxes_shared[];
  const std::uint32_t shared = ptx::shared_address(boxes_shared);
  open_ring<tile>(p, shared);
  ptx::wait_for_prior_work();
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = __shfl_sync(0xffffffff, thread / 32, 0);
  producer_type producer(p, shared);
#pragma unroll 1
  for (int s = 0; s < tile.stages - 1; ++s) producer.bring_next(p, warp);
  engine_type engine(warp, thread % 32);
  boxes_consumer<tile, engine_type, producer_type> consumer(p, shared, boxes_shared, warp,
                                                            producer);
  consumer.begin(engine);
  const int blocks = static_cast<int>(gridDim.x);
#pragma unroll 1
  for (int at = static_cast<int>(blockIdx.x); at < p.tiles; at += blocks) {
    engine.clear();
    consumer.multiply(engine, find_boxes<tile>(p, at).terms, at + blocks < p.tiles);
    store_boxes<tile>(p, engine, find_boxes<tile>(p, at), thread);
  }
}

}  // namespace tandem::cuda_impl
