// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan/engines.hpp>
#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/ptx/mma.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>
#include <tandem/core/contract/matmul_epilogue.hpp>

#include <cstddef>
#include <cstdint>

namespace tandem::cuda_impl {

/// An operand as the kernels read it. The outer index is the row of a or the column of b. Strides
/// are in elements.
template <class T>
struct matmul_operand {
  const T* data = nullptr;
  index_t outer_stride = 0;
  index_t k_stride = 0;
  index_t batch_stride = 0;

  /// Number of distinct matrices in a batch.
  index_t planes(index_t batch) const { return batch_stride == 0 ? 1 : batch; }
};

/// The arguments of every matmul kernel. c has elements of T; a and b have elements of In.
/// blockIdx.z is the batch, blockIdx.y the slice of k, blockIdx.x the tile of c.
template <class T, class In = T>
struct matmul_arguments {
  matmul_operand<In> a;
  matmul_operand<In> b;
  T* c = nullptr;
  index_t c_row = 0;
  index_t c_column = 0;
  index_t c_batch = 0;
  index_t m = 0;
  index_t n = 0;
  index_t k = 0;
  index_t slice_k = 0;        ///< terms per slice of k: all of them, or matmul_chunk
  index_t c_slice = 0;        ///< stride in elements of c between the totals of consecutive slices
  index_t b_columns = 0;      ///< columns of b that may be read: n, or more if its rows are packed
  bool plain = false;         ///< c receives the totals unchanged, 16 bytes at a time
  bool vectorized_c = false;  ///< 16 bytes at a time can be written along a row of c
  tandem::detail::element_epilogue<tandem::detail::matmul_sum_t<T>> finish;

  __device__ __forceinline__ index_t slice_first() const { return blockIdx.y * slice_k; }
  __device__ __forceinline__ index_t slice_terms() const {
    const index_t left = k - slice_first();
    return left < slice_k ? left : slice_k;
  }
  __device__ __forceinline__ const In* slice_a() const {
    return a.data + blockIdx.z * a.batch_stride + slice_first() * a.k_stride;
  }
  __device__ __forceinline__ const In* slice_b() const {
    return b.data + blockIdx.z * b.batch_stride + slice_first() * b.k_stride;
  }
  __device__ __forceinline__ T* slice_c() const {
    return c + blockIdx.z * c_batch + blockIdx.y * c_slice;
  }
};

/// First row and column of a tile of c.
struct tile_origin {
  int m;
  int n;
};

/// Returns this block's tile in an m x n matrix. Concurrent blocks cover a band of `band` tiles
/// down and as many across as necessary, so that they share rows of a and columns of b in L2.
template <class Tile>
__device__ __forceinline__ tile_origin find_tile(index_t m, index_t n, const Tile& tile) {
  constexpr int band = 8;
  const int tiles_m = static_cast<int>((m + tile.m - 1) / tile.m);
  const int tiles_n = static_cast<int>((n + tile.n - 1) / tile.n);
  const int block = static_cast<int>(blockIdx.x);
  const int first = block / (band * tiles_n) * band;
  const int height = tiles_m - first < band ? tiles_m - first : band;
  const int inside = block % (band * tiles_n);
  return {(first + inside % height) * tile.m, inside / height * tile.n};
}

/// Finishes element (row, column) of c from the total of its products. Reads `c` only if beta is
/// nonzero.
template <class T, class Sum>
__device__ __forceinline__ void store_element(const tandem::detail::element_epilogue<Sum>& finish,
                                              Sum total, index_t row, index_t column, T* c) {
  Sum old{0};
  if (finish.reads_c()) old = static_cast<Sum>(*c);
  *c = ptx::convert<T>(finish(total, old, row, column));
}

/// Maximum grid size along y and z: slices of k and matrices of a batch per launch.
inline constexpr index_t matmul_grid_limit = 65535;

/// Whether `width` adjacent elements in a row of c, each of `bytes` bytes, can always be written
/// together.
template <class T, class In>
bool rows_are_vectorizable(const matmul_arguments<T, In>& c, index_t batch, index_t width,
                           std::size_t bytes = sizeof(T)) {
  return c.c_column == 1 && (c.m == 1 || c.c_row % width == 0) &&
         (batch == 1 || c.c_batch % width == 0) &&
         reinterpret_cast<std::uintptr_t>(c.c) % (static_cast<std::size_t>(width) * bytes) == 0;
}

/// Whether a finished element equals its total. (Multiplying by 1 preserves everything but the bits
/// of a NaN.)
template <class Sum>
bool is_identity(const tandem::detail::element_epilogue<Sum>& finish) {
  return finish.alpha == Sum{1} && !finish.reads_c() && finish.bias == nullptr &&
         finish.activation == matmul_activation::none;
}

/// Returns the arguments for matrices `first`, first + 1, .. of the batch, with k undivided. C is
/// T, or the type in which T accumulates, for kernels that a flag tells which of the two c has.
template <class C, class T, class In>
matmul_arguments<C, In> bind_as(const matmul_problem<T, In>& p, index_t first) {
  return {.a = {p.a + first * p.a_batch, p.a_row, p.a_column, p.a_batch},
          .b = {p.b + first * p.b_batch, p.b_column, p.b_row, p.b_batch},
          .c = reinterpret_cast<C*>(p.c + first * p.c_batch),
          .c_row = p.c_row,
          .c_column = p.c_column,
          .c_batch = p.c_batch,
          .m = p.m,
          .n = p.n,
          .k = p.k,
          .slice_k = p.k,
          .b_columns = p.n,
          .finish = tandem::detail::epilogue_of(p)};
}

/// Returns the arguments of a kernel whose c has elements of T.
template <class T, class In>
matmul_arguments<T, In> bind(const matmul_problem<T, In>& p, index_t first) {
  matmul_arguments<T, In> arguments = bind_as<T>(p, first);
  arguments.vectorized_c = rows_are_vectorizable(arguments, p.batch, vector_width<T>);
  return arguments;
}

/// Enqueues the kernel of a candidate tile with the plan's accesses, for `batch` matrices (at most
/// 65535). Defined in fma/kernel.cuh and hopper/f64, and instantiated in several files, which build
/// in parallel.
template <class T, int Candidate>
void launch_candidate(const cuda& space, const fma_plan& plan, const matmul_arguments<T>& arguments,
                      index_t batch);

// Bias and activation run after the store. If they were inlined for each of a thread's elements,
// the code would be long enough to miss the instruction cache once per tile, and ptxas would spill
// the other elements around gelu's call. So elements are stored as alpha * total + beta * c; if
// there is an epilogue, each thread then reads its elements back in a loop. This works only if c
// has the type in which matmul accumulates, which holds that sum exactly.

/// Returns `finish` without bias and activation, in a form the compiler can see through.
template <class Sum>
__device__ __forceinline__ tandem::detail::element_epilogue<Sum> without_epilogue(
    const tandem::detail::element_epilogue<Sum>& finish) {
  return {.alpha = finish.alpha, .beta = finish.beta};
}

/// Applies bias and activation to element (row, column) of c, which this thread has stored.
template <class Sum>
__device__ __forceinline__ void apply_epilogue(const tandem::detail::element_epilogue<Sum>& finish,
                                               index_t row, index_t column, Sum* element) {
  *element = finish.finished(*element, row, column);
}

}  // namespace tandem::cuda_impl
