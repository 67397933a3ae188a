// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/common/passes.cuh>
#include <tandem/backends/cuda/matmul/few_rows/chains.cuh>
#include <tandem/backends/cuda/matmul/few_rows/policy.hpp>

#include <type_traits>

/// The kernel for few rows. A block copies its columns of b to shared memory several stages ahead,
/// so that enough bytes are in flight whatever its registers hold, and multiplies them by rows of
/// a.
namespace tandem::cuda_impl {

/// The arguments of the kernel, whose c has elements of T.
template <class T, class In, class Sum>
struct few_rows_arguments {
  matmul_arguments<T, In> problem;
  int chunk = 0;                ///< terms of k between two totals
  int row_groups = 1;           ///< groups of rows that different blocks compute, along blockIdx.z
  Sum* totals = nullptr;        ///< batch x m x n per slice, if separate blocks compute slices
  unsigned* arrived = nullptr;  ///< one counter per matrix, group of rows and block of columns
};

/// A block's part of the product.
struct few_rows_part {
  int row;
  int rows;  ///< that exist, from `row` on
  int column;
  int columns;  ///< that exist, from `column` on
  index_t batch;
  int terms;
};

template <class Policy, class T, class In, class Sum>
__device__ __forceinline__ few_rows_part part_of(const few_rows_arguments<T, In, Sum>& p) {
  few_rows_part part;
  const int item = static_cast<int>(blockIdx.z) / p.row_groups;
  part.row = (static_cast<int>(blockIdx.z) - item * p.row_groups) * Policy::rows;
  part.rows = static_cast<int>(p.problem.m) - part.row;
  part.column = static_cast<int>(blockIdx.x * Policy::columns);
  part.columns = static_cast<int>(p.problem.n) - part.column;
  part.batch = item;
  part.terms = static_cast<int>(p.problem.slice_terms());
  return part;
}

/// Copies successive stages to shared memory. Terms and columns that do not exist become zero.
template <class Policy>
class few_rows_copier {
  using In = typename Policy::element;
  static constexpr int threads = Policy::threads;
  static constexpr int width = Policy::width;
  static constexpr int pieces = Policy::run_bytes / Policy::piece;  // of a row of b
  static constexpr int row_step = threads / pieces;
  static constexpr int a_pieces = Policy::k_bytes / Policy::piece;
  static constexpr int a_step = threads / a_pieces;
  static_assert(row_step > 0 && a_step > 0);

 public:
  template <class T>
  __device__ __forceinline__ few_rows_copier(const matmul_arguments<T, In>& p,
                                             const few_rows_part& part)
      : left_(part.terms), columns_(part.columns), rows_(part.rows) {
    const int row = static_cast<int>(threadIdx.x) / pieces;
    const int element = static_cast<int>(threadIdx.x) % pieces * width;
    const index_t row_stride = Policy::k_major ? p.b.outer_stride : p.b.k_stride;
    const index_t stride = Policy::k_major ? p.b.k_stride : p.b.outer_stride;
    b_ = p.b.data + part.batch * p.b.batch_stride + p.slice_first() * p.b.k_stride +
         part.column * p.b.outer_stride + row * row_stride + element * stride;
    b_step_ = row_step * row_stride;
    b_next_ = Policy::terms * p.b.k_stride;
    const int a_row = static_cast<int>(threadIdx.x) / a_pieces;
    const int term = static_cast<int>(threadIdx.x) % a_pieces * width;
    a_ = p.a.data + part.batch * p.a.batch_stride + (part.row + a_row) * p.a.outer_stride +
         (p.slice_first() + term) * p.a.k_stride;
    a_step_ = a_step * p.a.outer_stride;
    a_next_ = Policy::terms * p.a.k_stride;
  }

  /// Issues the copies of the next stage as one group, which is empty after the last.
  __device__ __forceinline__ void issue(std::uint32_t stage) {
    if (left_ >= Policy::terms && columns_ >= Policy::columns) {
      copy_b<true>(stage);
      copy_a(stage);
    } else if (left_ > 0) {
      copy_b<false>(stage);
      copy_a(stage);
    }
    ptx::copy_async_commit();
    b_ += b_next_;
    a_ += a_next_;
    left_ -= Policy::terms;
  }

 private:
  /// Elements of a piece that exist if those from its first one on are `left`.
  static __device__ __forceinline__ int valid(int left) {
    return left < 0 ? 0 : left < width ? left : width;
  }

  template <bool Whole>
  __device__ __forceinline__ void copy_b(std::uint32_t stage) const {
    const int first = static_cast<int>(threadIdx.x) / pieces;
    const int element = static_cast<int>(threadIdx.x) % pieces * width;
    const int existing = valid((Policy::k_major ? left_ : columns_) - element);
#pragma unroll
    for (int i = 0; i < Policy::runs / row_step; ++i) {
      const int row = first + i * row_step;
      const std::uint32_t to = stage + Policy::b_offset(row, element * Policy::size);
      if constexpr (Whole) {
        ptx::copy_async<Policy::piece>(to, b_ + i * b_step_, true);
      } else {
        const bool exists = row < (Policy::k_major ? columns_ : left_);
        ptx::copy_async_padded<Policy::piece>(to, b_ + i * b_step_,
                                              exists ? existing * Policy::size : 0);
      }
    }
  }

  /// Copies a. Rows that do not exist keep any values, whose sums are not stored.
  __device__ __forceinline__ void copy_a(std::uint32_t stage) const {
    const int first = static_cast<int>(threadIdx.x) / a_pieces;
    const int term = static_cast<int>(threadIdx.x) % a_pieces * width;
    const int existing = valid(left_ - term) * Policy::size;
#pragma unroll
    for (int i = 0; i < (Policy::rows + a_step - 1) / a_step; ++i) {
      const int row = first + i * a_step;
      if (row < rows_ && row < Policy::rows)
        ptx::copy_async_padded<Policy::piece>(stage + Policy::a_offset(row, term * Policy::size),
                                              a_ + i * a_step_, existing);
    }
  }

  const In* a_;
  const In* b_;
  index_t a_step_, a_next_;
  index_t b_step_, b_next_;
  int left_;     // terms not copied yet
  int columns_;  // that exist, from the block's first on
  int rows_;
};

/// Replaces the block's totals, in rows of Policy::columns sums, by the sums over all slices in
/// ascending order, if all blocks have stored theirs. Returns whether they have, which is so in the
/// last block of the group alone.
template <class Policy, class T, class In, class Sum>
__device__ __forceinline__ bool add_in_last_block(const few_rows_arguments<T, In, Sum>& p,
                                                  const few_rows_part& part, Sum* tile) {
  constexpr int threads = Policy::threads;
  constexpr int columns = Policy::columns;
  constexpr int elements = Policy::rows * columns / threads;
  const index_t matrix = p.problem.m * p.problem.n;
  const index_t slice = static_cast<index_t>(gridDim.z) / p.row_groups * matrix;
  const int slices = static_cast<int>(gridDim.y);
  Sum* from[elements];
#pragma unroll
  for (int i = 0; i < elements; ++i) {
    const int at = static_cast<int>(threadIdx.x) + i * threads;
    const int row = at / columns;
    const int column = at - row * columns;
    // An element that does not exist is read as the last one that does: loads need no branch.
    from[i] = p.totals + part.batch * matrix + (part.row + min(row, part.rows - 1)) * p.problem.n +
              part.column + min(column, part.columns - 1);
    if (row < part.rows && column < part.columns) from[i][blockIdx.y * slice] = tile[at];
  }
  __syncthreads();
  bool is_last = false;
  if (threadIdx.x == 0) {
    unsigned* const arrived = p.arrived + blockIdx.z * gridDim.x + blockIdx.x;
    is_last = ptx::atom_inc_acq_rel(arrived, gridDim.y - 1) == gridDim.y - 1;
  }
  if (__syncthreads_or(is_last) == 0) return false;
  Sum total[elements];
#pragma unroll
  for (Sum& sum : total) sum = -Sum{0};  // -0 + x == x for every x
  constexpr int ahead = 8;
#pragma unroll 1
  for (int first = 0; first < slices; first += ahead) {
    Sum some[ahead][elements];
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      const index_t offset = min(first + i, slices - 1) * slice;
#pragma unroll
      for (int e = 0; e < elements; ++e) some[i][e] = from[e][offset];
    }
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
#pragma unroll
      for (int e = 0; e < elements; ++e) total[e] += first + i < slices ? some[i][e] : -Sum{0};
    }
  }
#pragma unroll
  for (int i = 0; i < elements; ++i) tile[threadIdx.x + i * threads] = total[i];
  return true;
}

/// Finishes the block's totals and stores them in c.
template <class Policy, class T, class In, class Sum>
__device__ __forceinline__ void finish_part(const few_rows_arguments<T, In, Sum>& p,
                                            const few_rows_part& part, const Sum* tile) {
  constexpr int columns = Policy::columns;
  T* const c = p.problem.c + part.batch * p.problem.c_batch;
  // Not unrolled: that many epilogues would take the registers of the loop over stages.
#pragma unroll 1
  for (int at = static_cast<int>(threadIdx.x); at < Policy::rows * columns; at += Policy::threads) {
    const int inside = at / columns;
    if (inside >= part.rows || at - inside * columns >= part.columns) continue;
    const index_t row = part.row + inside;
    const index_t column = part.column + at - inside * columns;
    store_element(p.problem.finish, tile[at], row, column,
                  c + row * p.problem.c_row + column * p.problem.c_column);
  }
}

/// Computes c = finish(a * b) for at most Rows rows per block, for one slice of k or for all of it.
template <class T, class In, bool Tensor, bool KMajor, int Rows, int Piece, int Warps, int Stages>
__global__ void __launch_bounds__(32 * Warps) few_rows_kernel(
    const __grid_constant__ few_rows_arguments<T, In, std::conditional_t<Tensor, float, In>> p) {
  using policy = few_rows_policy<In, Tensor, KMajor, Rows, Piece, Warps, Stages>;
  using chains = std::conditional_t<Tensor, mma_chains<policy>, fma_chains<policy>>;
  using sum = typename chains::sum;
  ptx::grid_dependency_wait();
  extern __shared__ __align__(1024) unsigned char tandem_few_rows_shared[];
  const std::uint32_t begin = ptx::shared_address(tandem_few_rows_shared);
  const auto next = [begin](std::uint32_t& stage) {
    stage += policy::stage_bytes;
    if (stage == begin + policy::shared_bytes) stage = begin;
  };
  const few_rows_part part = part_of<policy>(p);
  few_rows_copier<policy> copier(p.problem, part);
  chains some;
  std::uint32_t filling = begin;
#pragma unroll 1
  for (int i = 0; i < Stages - 1; ++i, next(filling)) copier.issue(filling);
  std::uint32_t stage = begin;
  int chunk = p.chunk;
#pragma unroll 1
  for (int left = part.terms; left > 0; left -= policy::terms, next(stage), next(filling)) {
    ptx::copy_async_wait<Stages - 2>();
    __syncthreads();  // also: all warps have loaded the stage that is filled next
    some.load(stage);
    copier.issue(filling);
    some.multiply(left);
    chunk -= policy::terms;
    if (chunk <= 0 || left <= policy::terms) {
      some.add_chunk();
      chunk = p.chunk;
    }
  }
  ptx::copy_async_wait<0>();
  __syncthreads();
  sum* const tile = reinterpret_cast<sum*>(tandem_few_rows_shared);
  some.store(tile);
  __syncthreads();
  if (gridDim.y > 1 && !add_in_last_block<policy>(p, part, tile)) return;
  finish_part<policy>(p, part, tile);
}

}  // namespace tandem::cuda_impl
