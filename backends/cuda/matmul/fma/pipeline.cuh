// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/fma/loader.cuh>

/// The framework of the FMA kernels: a pipeline of stages in shared memory and the loop over k in
/// chunks. The engines that multiply are in simt.cuh and dmma.cuh.
///
/// An engine holds `runs` x `width` elements of the tile in accumulator[runs][width], 16 bytes per
/// run along a row; row(run) and column(run) give their positions. load(buffer, a, b) loads its
/// operands for k_step terms from a stage into one of two register buffers. multiply(buffer) adds
/// their products to the accumulators, in ascending k.
namespace tandem::cuda_impl {

/// The block's dynamic shared memory.
template <class T>
__device__ __forceinline__ T* matmul_shared() {
  extern __shared__ __align__(16) unsigned char tandem_matmul_shared[];
  return reinterpret_cast<T*>(tandem_matmul_shared);
}

/// The stages: tiles of a and b for consecutive k. The oldest is read while the others are in
/// flight. StageA and StageB define how a tile of each operand is copied and stored.
template <class T, matmul_tile Tile, class StageA, class StageB>
class tile_pipeline {
  static constexpr int b_offset = StageA::elements;
  static constexpr int stage = StageA::elements + StageB::elements;
  static_assert(stage <= Tile.stage_elements());

 public:
  __device__ __forceinline__ tile_pipeline(const matmul_arguments<T>& problem, tile_origin origin,
                                           int terms, int thread)
      : a_(problem.slice_a(), problem.a, origin.m, problem.m, thread),
        b_(problem.slice_b(), problem.b, origin.n, problem.b_columns, thread),
        terms_(terms) {
#pragma unroll
    for (int s = 0; s < Tile.stages - 1; ++s) {
      write_ = s * stage;
      copy_next();
      ptx::copy_async_commit();
    }
    write_ = (Tile.stages - 1) * stage;
    ptx::copy_async_wait<Tile.stages - 2>();
    __syncthreads();
  }

  /// The current tile's operands.
  __device__ __forceinline__ const T* a() const { return matmul_shared<T>() + read_; }
  __device__ __forceinline__ const T* b() const { return matmul_shared<T>() + read_ + b_offset; }

  /// Issues the copy of the most recent tile into the stage that was read before the last
  /// advance().
  __device__ __forceinline__ void copy_next() {
    const std::uint32_t target = ptx::shared_address(matmul_shared<T>() + write_);
    a_.copy(target, terms_);
    b_.copy(target + b_offset * static_cast<int>(sizeof(T)), terms_);
    terms_ -= Tile.k;
  }

  /// Moves on to the next tile after all threads' copies of it have arrived and all threads have
  /// loaded what they need of the current one. All threads of the block must call it.
  __device__ __forceinline__ void advance() {
    ptx::copy_async_commit();
    ptx::copy_async_wait<Tile.stages - 2>();
    __syncthreads();
    write_ = read_;
    read_ = read_ + stage == Tile.stages * stage ? 0 : read_ + stage;
  }

  /// Pads the current tile from `terms` up to `end` with terms whose product is neutral: fma(-0,
  /// +0, x) == x for every x. All threads of the block must call it; its barriers separate it from
  /// earlier and later loads of the tile.
  __device__ __forceinline__ void pad(int terms, int end, int thread) const {
    T* const a = matmul_shared<T>() + read_;
    T* const b = a + b_offset;
    __syncthreads();
#pragma unroll 1
    for (int term = terms; term < end; ++term) {
#pragma unroll 1
      for (int i = thread; i < Tile.m; i += Tile.threads()) a[StageA::place(i, term)] = -T{0};
#pragma unroll 1
      for (int i = thread; i < Tile.n; i += Tile.threads()) b[StageB::place(i, term)] = T{0};
    }
    __syncthreads();
  }

 private:
  typename StageA::loader a_;
  typename StageB::loader b_;
  int terms_;  // not copied yet; negative when the copies run past the end
  int read_ = 0;
  int write_ = 0;
};

/// A thread's running totals of its elements between chunks of k, in shared memory after the
/// stages. No other thread accesses them, so no barrier is needed.
template <class T, matmul_tile Tile>
__device__ __forceinline__ aligned_vector<T>* shared_totals(int thread) {
  return reinterpret_cast<aligned_vector<T>*>(matmul_shared<T>() +
                                              Tile.stages * Tile.stage_elements()) +
         thread;
}

/// Adds the accumulators, which hold a chunk's chains, to the running totals and starts new chains.
/// Those of the first chunk are copied, unless there are totals of earlier terms.
template <class T, matmul_tile Tile, class Engine>
__device__ __forceinline__ void add_to_totals(Engine& engine, int thread, bool first) {
  aligned_vector<T>* const totals = shared_totals<T, Tile>(thread);
#pragma unroll
  for (int run = 0; run < Engine::runs; ++run) {
    aligned_vector<T> total;
#pragma unroll
    for (int e = 0; e < Engine::width; ++e) total.value[e] = engine.accumulator[run][e];
    if (!first) {
      const aligned_vector<T> before = totals[run * Tile.threads()];
#pragma unroll
      for (int e = 0; e < Engine::width; ++e) total.value[e] = before.value[e] + total.value[e];
    }
    totals[run * Tile.threads()] = total;
#pragma unroll
    for (int e = 0; e < Engine::width; ++e) engine.accumulator[run][e] = T{0};
  }
}

/// Combines the last chunk's chains with the running totals into the totals over all of k.
template <class T, matmul_tile Tile, class Engine>
__device__ __forceinline__ void take_totals(Engine& engine, int thread) {
  const aligned_vector<T>* const totals = shared_totals<T, Tile>(thread);
#pragma unroll
  for (int run = 0; run < Engine::runs; ++run) {
    const aligned_vector<T> total = totals[run * Tile.threads()];
#pragma unroll
    for (int e = 0; e < Engine::width; ++e)
      engine.accumulator[run][e] = total.value[e] + engine.accumulator[run][e];
  }
}

/// Multiplies `count` whole tiles. The operands of a step are loaded while those of the previous
/// step are multiplied. The pipeline's advance overlaps the last step's arithmetic.
template <matmul_tile Tile, class Engine, class Pipeline>
__device__ __forceinline__ void multiply_tiles(Engine& engine, Pipeline& pipeline, int count) {
  constexpr int steps = Tile.k / Engine::k_step;
  static_assert(steps % 2 == 0, "tandem: the register buffers alternate");
  static_assert(Tile.copy_step < steps - 1, "tandem: a copy starts before the pipeline advances");
#pragma unroll 1
  for (int tile = 0; tile < count; ++tile) {
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      if (step == steps - 1) pipeline.advance();
      const int next = (step + 1) % steps * Engine::k_step;
      engine.load((step + 1) % 2, pipeline.a(), pipeline.b(), next);
      if (step == Tile.copy_step) pipeline.copy_next();
      engine.multiply(step % 2);
    }
  }
}

/// Processes all of a slice's k, chunk by chunk; the accumulators end up as the totals. If the
/// kernel `Continues` a product, the running totals are those of its earlier terms.
template <class T, matmul_tile Tile, bool Continues, class Engine, class Pipeline>
__device__ __forceinline__ void multiply_chunks(Engine& engine, Pipeline& pipeline, int terms,
                                                int thread) {
  constexpr int chunk_tiles = static_cast<int>(matmul_chunk) / Tile.k;
  static_assert(matmul_chunk % Tile.k == 0, "tandem: a chunk ends with a tile");
  engine.load(0, pipeline.a(), pipeline.b(), 0);
  const int whole = terms / Tile.k;
#pragma unroll 1
  for (int tile = 0; tile < whole;) {
    const int count = whole - tile < chunk_tiles ? whole - tile : chunk_tiles;
    multiply_tiles<Tile>(engine, pipeline, count);
    tile += count;
    const bool more = tile * Tile.k < terms;
    if (more && count == chunk_tiles)
      add_to_totals<T, Tile>(engine, thread, !Continues && tile == chunk_tiles);
  }
  const int left = terms - whole * Tile.k;
  if (left % Engine::k_step != 0) pipeline.pad(left, round_up(left, Engine::k_step), thread);
#pragma unroll 1
  for (int term = 0; term < left; term += Engine::k_step) {
    engine.load(0, pipeline.a(), pipeline.b(), term);
    engine.multiply(0);
  }
  if constexpr (Continues) ptx::copy_async_wait<0>();  // if terms are few, totals may be in flight
  if (Continues || terms > matmul_chunk) take_totals<T, Tile>(engine, thread);
}

}  // namespace tandem::cuda_impl
