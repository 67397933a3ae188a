// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_pipeline.h>

/// Two steps from the naive matrix product to the library's: register tiles, and asynchronous
/// copies. docs/matmul.md explains them. For learning and measuring, in floats only: row-major
/// matrices whose m and n are multiples of 128 and whose k is a multiple of 8. In the canonical
/// shape: chains of 1024 products, added in ascending order.
namespace perf {

struct ladder_product {
  const float* a;  ///< m x k
  const float* b;  ///< k x n
  float* c;        ///< m x n
  int m;
  int n;
  int k;
};

inline constexpr int ladder_side = 128;     // rows and columns of c that a block computes
inline constexpr int ladder_depth = 8;      // columns of a and rows of b that it copies at once
inline constexpr int ladder_threads = 256;  // 16 x 16, each with 8 x 8 elements
inline constexpr int ladder_chunk = 1024;   // products per chain
// In flight; 8 KiB each, of the 48 KiB of static shared memory.
inline constexpr int ladder_stages = 4;

/// A block's tiles of a and b. a is transposed, so that a thread's rows are contiguous; four floats
/// of padding per row put the 32 elements that a warp stores at once into 32 banks.
struct ladder_stage {
  alignas(16) float a[ladder_depth][ladder_side + 4];
  alignas(16) float b[ladder_depth][ladder_side];
};

/// A thread's elements of c: 2 x 2 squares of 4 x 4, 64 rows and columns apart, so that the threads
/// of a warp read consecutive 16 bytes of a row of b and share those of a.
struct ladder_elements {
  float chain[8][8] = {};
  int row = static_cast<int>(threadIdx.x) / 16 * 4;
  int column = static_cast<int>(threadIdx.x) % 16 * 4;

  __device__ static void load(float (&to)[8], const float* from) {
    *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
    *reinterpret_cast<float4*>(to + 4) = *reinterpret_cast<const float4*>(from + 64);
  }

  /// Performs 64 multiply-adds per 4 loads of 16 bytes.
  __device__ void multiply(const ladder_stage& stage) {
#pragma unroll
    for (int term = 0; term < ladder_depth; ++term) {
      alignas(16) float x[8];
      alignas(16) float y[8];
      load(x, &stage.a[term][row]);
      load(y, &stage.b[term][column]);
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) chain[i][j] = fmaf(x[i], y[j], chain[i][j]);
      }
    }
  }

  /// Ends a chain: adds it to c, which holds the sum of the preceding chains, and starts the next.
  __device__ void finish_chunk(float* c, int n, bool first) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
      for (int half = 0; half < 8; half += 4) {
        const int r = row + i % 4 + i / 4 * 64;
        auto* const place = reinterpret_cast<float4*>(c + r * n + column + half * 16);
        float* const x = &chain[i][half];
        const float4 old = first ? float4{-0.0F, -0.0F, -0.0F, -0.0F} : *place;
        *place = {old.x + x[0], old.y + x[1], old.z + x[2], old.w + x[3]};
        for (int j = 0; j < 4; ++j) x[j] = 0;
      }
    }
  }
};

/// Position of the block's tile of c, which is that of its rows of a and its columns of b.
__device__ inline ladder_product ladder_tile_of(ladder_product p) {
  const int tiles = p.n / ladder_side;
  const int row = static_cast<int>(blockIdx.x) / tiles * ladder_side;
  const int column = static_cast<int>(blockIdx.x) % tiles * ladder_side;
  p.a += static_cast<long long>(row) * p.k;
  p.b += column;
  p.c += static_cast<long long>(row) * p.n + column;
  return p;
}

/// Each thread copies 16 bytes of a and of b, then the block multiplies. While a block waits for
/// memory, only other blocks of its multiprocessor can hide the latency.
static __global__ void __launch_bounds__(ladder_threads, 2)
    register_tile_kernel(const __grid_constant__ ladder_product problem) {
  __shared__ ladder_stage stage;
  const ladder_product p = ladder_tile_of(problem);
  const int thread = static_cast<int>(threadIdx.x);
  const float* a = p.a + static_cast<long long>(thread / 2) * p.k + thread % 2 * 4;
  const float* b = p.b + static_cast<long long>(thread / 32) * p.n + thread % 32 * 4;
  ladder_elements mine;
  for (int k = 0; k < p.k; k += ladder_depth) {
    const float4 of_a = *reinterpret_cast<const float4*>(a + k);
    const float4 of_b = *reinterpret_cast<const float4*>(b + static_cast<long long>(k) * p.n);
    __syncthreads();  // all threads have read what is overwritten next
    float* const to = &stage.a[thread % 2 * 4][thread / 2];
    constexpr int next_term = ladder_side + 4;
    to[0] = of_a.x;
    to[next_term] = of_a.y;
    to[2 * next_term] = of_a.z;
    to[3 * next_term] = of_a.w;
    *reinterpret_cast<float4*>(&stage.b[thread / 32][thread % 32 * 4]) = of_b;
    __syncthreads();
    mine.multiply(stage);
    const int end = k + ladder_depth;
    if (end % ladder_chunk == 0 || end == p.k) mine.finish_chunk(p.c, p.n, end <= ladder_chunk);
  }
}

/// Starts the copies of the columns of a and rows of b from k on; single elements of a, to
/// transpose them.
__device__ inline void start_copies(const ladder_product& p, int k, ladder_stage& stage) {
  const int thread = static_cast<int>(threadIdx.x);
  const float* const a = p.a + static_cast<long long>(thread / ladder_depth) * p.k + k;
  const int term = thread % ladder_depth;
  constexpr int rows_at_once = ladder_threads / ladder_depth;
#pragma unroll
  for (int row = 0; row < ladder_side; row += rows_at_once) {
    __pipeline_memcpy_async(&stage.a[term][row + thread / ladder_depth],
                            a + static_cast<long long>(row) * p.k + term, sizeof(float));
  }
  const int b_row = thread / 32;
  const int b_column = thread % 32 * 4;
  __pipeline_memcpy_async(&stage.b[b_row][b_column],
                          p.b + static_cast<long long>(k + b_row) * p.n + b_column, 16);
}

/// The register tile with copies that bypass the registers, three stages ahead: they overlap with
/// the multiplications, and one barrier per stage is enough.
static __global__ void __launch_bounds__(ladder_threads, 2)
    asynchronous_copies_kernel(const __grid_constant__ ladder_product problem) {
  __shared__ ladder_stage ring[ladder_stages];
  const ladder_product p = ladder_tile_of(problem);
  constexpr int ahead = ladder_stages - 1;
  const int steps = p.k / ladder_depth;
  for (int step = 0; step < ahead; ++step) {
    if (step < steps) start_copies(p, step * ladder_depth, ring[step]);
    __pipeline_commit();  // possibly an empty group, so that group numbers match stages
  }
  ladder_elements mine;
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(ahead - 1);
    __syncthreads();  // all threads' copies have arrived, and the preceding stage is free
    const int next = step + ahead;
    if (next < steps) start_copies(p, next * ladder_depth, ring[next % ladder_stages]);
    __pipeline_commit();
    mine.multiply(ring[step % ladder_stages]);
    const int end = (step + 1) * ladder_depth;
    if (end % ladder_chunk == 0 || end == p.k) mine.finish_chunk(p.c, p.n, end <= ladder_chunk);
  }
}

}  // namespace perf
