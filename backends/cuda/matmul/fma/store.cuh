// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/fma/pipeline.cuh>
#include <tandem/backends/cuda/ptx/common.cuh>

/// The epilogue of the FMA kernels. Code that a block runs once must be small: if the epilogue of
/// each element is unrolled, instruction cache misses take a noticeable part of the kernel's time.
namespace tandem::cuda_impl {

/// Reads a vector along a row of c, of which `left` elements are inside. Elements outside are not
/// read and have unspecified values.
template <class T>
__device__ __forceinline__ aligned_vector<T> read_run(const matmul_arguments<T>& problem,
                                                      const T* c, int left) {
  constexpr int width = aligned_vector<T>::width;
  if (problem.vectorized_c && left >= width) return *reinterpret_cast<const aligned_vector<T>*>(c);
  aligned_vector<T> run{};
#pragma unroll
  for (int e = 0; e < width; ++e) {
    if (e < left) run.value[e] = c[e * problem.c_column];
  }
  return run;
}

/// Writes the elements of a vector that are inside c.
template <class T>
__device__ __forceinline__ void write_run(const matmul_arguments<T>& problem, T* c, int left,
                                          const aligned_vector<T>& run) {
  constexpr int width = aligned_vector<T>::width;
  if (problem.vectorized_c && left >= width) {
    *reinterpret_cast<aligned_vector<T>*>(c) = run;
    return;
  }
#pragma unroll
  for (int e = 0; e < width; ++e) {
    if (e < left) c[e * problem.c_column] = run.value[e];
  }
}

/// The positions of a thread's vectors in c. Constructed only when needed, since its members would
/// take registers from the main loop. Rows and columns are relative to the thread's first.
template <class T>
struct run_places {
  T* c;
  index_t row_stride;
  index_t column_stride;
  int rows;  ///< valid rows; zero or less for none
  int columns;

  template <class Engine>
  __device__ __forceinline__ run_places(const matmul_arguments<T>& problem, const Engine& engine,
                                        tile_origin origin)
      : run_places(problem, engine, origin, problem.slice_c()) {}

  /// For a matrix of c, or of a slice's totals, that starts at `first`.
  template <class Engine>
  __device__ __forceinline__ run_places(const matmul_arguments<T>& problem, const Engine& engine,
                                        tile_origin origin, T* first)
      : row_stride(ptx::optimization_barrier(problem.c_row)),  // computed only after the main loop
        column_stride(problem.c_column) {
    const int row = origin.m + engine.row();
    const int column = origin.n + engine.column();
    rows = static_cast<int>(problem.m) - row;
    columns = static_cast<int>(problem.n) - column;
    c = first + row * row_stride + column * column_stride;
  }

  __device__ __forceinline__ bool hold(int row, int column) const {
    return row < rows && column < columns;
  }
  __device__ __forceinline__ T* at(int row, int column) const {
    return c + row * row_stride + column * column_stride;
  }
  /// A run that is contiguous and aligned.
  __device__ __forceinline__ aligned_vector<T>* whole(int row, int column) const {
    return reinterpret_cast<aligned_vector<T>*>(c + row * row_stride + column);
  }
};

/// Writes the tile's totals unchanged. No finish applies, and each run is either entirely inside c
/// or entirely outside (matmul_arguments::plain).
template <class T, class Engine>
__device__ __forceinline__ void store_totals(const run_places<T>& places, const Engine& engine) {
#pragma unroll
  for (int run = 0; run < Engine::runs; ++run) {
    aligned_vector<T> totals;
#pragma unroll
    for (int e = 0; e < Engine::width; ++e) totals.value[e] = engine.accumulator[run][e];
    const int row = Engine::row_offset(run);
    const int column = Engine::column_offset(run);
    if (places.hold(row, column)) *places.whole(row, column) = totals;
  }
}

/// Finishes and writes the elements of a run that are inside c.
template <class T>
__device__ __forceinline__ void finish_run(const matmul_arguments<T>& problem,
                                           const run_places<T>& places, int row, int column,
                                           const aligned_vector<T>& totals) {
  if (!places.hold(row, column)) return;
  T* const c = places.at(row, column);
  const int left = places.columns - column;
  aligned_vector<T> run{};
  if (problem.finish.reads_c()) run = read_run(problem, c, left);
#pragma unroll
  for (int e = 0; e < aligned_vector<T>::width; ++e) {
    if (e < left) {
      run.value[e] = problem.finish(totals.value[e], run.value[e], problem.m - places.rows + row,
                                    problem.n - left + e);
    }
  }
  write_run(problem, c, left, run);
}

/// Finishes and writes the tile's elements that are inside c. They go through shared memory, where
/// each thread has a private part, only so that the finish can be a loop: registers cannot be
/// indexed.
template <matmul_tile Tile, class T, class Engine>
__device__ __forceinline__ void store_finished(const matmul_arguments<T>& problem,
                                               const run_places<T>& places, const Engine& engine,
                                               int thread) {
  constexpr int room = Tile.stages * Tile.stage_elements() / (Tile.threads() * Engine::width);
  auto* const mine = reinterpret_cast<aligned_vector<T>*>(matmul_shared<T>()) + thread;
  __syncthreads();  // all threads have read the stages
#pragma unroll
  for (int first = 0; first < Engine::runs; first += room) {
    const int end = first + room < Engine::runs ? first + room : Engine::runs;
#pragma unroll
    for (int run = first; run < end; ++run) {
#pragma unroll
      for (int e = 0; e < Engine::width; ++e)
        mine[(run - first) * Tile.threads()].value[e] = engine.accumulator[run][e];
    }
#pragma unroll 1
    for (int run = first; run < end; ++run) {
      finish_run(problem, places, Engine::row_offset(run), Engine::column_offset(run),
                 mine[(run - first) * Tile.threads()]);
    }
  }
}

/// Issues copies of the totals of earlier terms from c to the thread's running totals.
template <matmul_tile Tile, class T, class Engine>
__device__ __forceinline__ void fetch_totals(const matmul_arguments<T>& problem,
                                             const Engine& engine, tile_origin origin, int thread) {
  constexpr int width = aligned_vector<T>::width;
  constexpr int bytes = static_cast<int>(sizeof(T));
  const run_places<T> places(problem, engine, origin);
  std::uint32_t total = ptx::shared_address(shared_totals<T, Tile>(thread));
#pragma unroll 1
  for (int run = 0; run < Engine::runs; ++run, total += Tile.threads() * width * bytes) {
    const int row = Engine::row_offset(run);
    const int column = Engine::column_offset(run);
    if (!places.hold(row, column)) continue;
    const T* const c = places.at(row, column);
    const int left = places.columns - column;
    if (problem.vectorized_c && left >= width) {
      ptx::copy_async<width * bytes>(total, c, true);
      continue;
    }
#pragma unroll
    for (int e = 0; e < width; ++e)
      ptx::copy_async<bytes>(total + e * bytes, c + e * problem.c_column, e < left);
  }
  ptx::copy_async_commit();
}

/// Writes the tile's elements that are inside c. All threads of the block must call it.
template <matmul_tile Tile, class T, class Engine>
__device__ __forceinline__ void store_tile(const matmul_arguments<T>& problem, const Engine& engine,
                                           tile_origin origin, int thread) {
  const run_places<T> places(problem, engine, origin);
  if (problem.plain) {
    store_totals(places, engine);
  } else {
    store_finished<Tile>(problem, places, engine, thread);
  }
}

}  // namespace tandem::cuda_impl
