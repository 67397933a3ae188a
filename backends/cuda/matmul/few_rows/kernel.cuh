// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/common/passes.cuh>
#include <tandem/backends/cuda/matmul/few_rows/policy.hpp>
#include <tandem/core/math.hpp>

/// The kernel for few rows of floats or doubles. Each thread runs the chains of one column and
/// loads batches of its terms ahead into registers; rows of a are in shared memory.
namespace tandem::cuda_impl {

/// Where the chunks' totals meet if separate blocks compute them.
template <class T>
struct few_rows_totals {
  T* data = nullptr;            ///< batch x m x n per chunk
  unsigned* arrived = nullptr;  ///< one counter per matrix and block of columns
};

/// Reads the terms of this thread's column of b, a batch at a time. If b is contiguous along k, the
/// lanes of a warp load runs of their columns together; exchange() then gives each lane its own.
template <class T, bool KMajor, class Policy>
class few_rows_column {
  using vector = aligned_vector<T>;
  static constexpr int terms = Policy::terms;
  static constexpr int together = KMajor ? 32 / terms : 1;  // columns per load of the warp

 public:
  __device__ __forceinline__ few_rows_column(const matmul_arguments<T>& p, T* shared)
      : tile_(shared), left_(static_cast<int>(p.slice_terms())) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int thread = static_cast<int>(blockIdx.x * few_rows_block + threadIdx.x);
    const int column = KMajor ? thread - lane + lane / terms : thread;
    term_ = KMajor ? lane % terms : 0;
    columns_left_ = static_cast<int>(p.n) - column;
    source_ = p.slice_b() + column * p.b.outer_stride + term_ * p.b.k_stride;
    load_stride_ = KMajor ? together * p.b.outer_stride : p.b.k_stride;
    batch_stride_ = terms * p.b.k_stride;
    whole_ = KMajor ? columns_left_ > 32 - together : columns_left_ > 0;
  }

  /// Issues the loads of the next batch. Terms and columns that do not exist are not read.
  __device__ __forceinline__ void load(T (&x)[terms]) {
    const T* from = source_;
    if (whole_ && left_ >= terms) {
#pragma unroll
      for (int i = 0; i < terms; ++i, from += load_stride_) x[i] = __ldcs(from);
    } else {
#pragma unroll
      for (int i = 0; i < terms; ++i, from += load_stride_) {
        const bool exists =
            KMajor ? term_ < left_ && i * together < columns_left_ : i < left_ && columns_left_ > 0;
        x[i] = exists ? __ldcs(from) : T{0};
      }
    }
    source_ += batch_stride_;
    left_ -= terms;
  }

  /// Turns a loaded batch into consecutive terms of this lane's column.
  __device__ __forceinline__ void exchange(T (&x)[terms]) const {
    if constexpr (KMajor) {
      const int lane = static_cast<int>(threadIdx.x) % 32;
      __syncwarp();
#pragma unroll
      for (int i = 0; i < terms; ++i)
        tile_[(i * together + lane / terms) * Policy::pitch + term_] = x[i];
      __syncwarp();
#pragma unroll
      for (int i = 0; i < terms; i += vector::width) {
        const vector some = *reinterpret_cast<const vector*>(tile_ + lane * Policy::pitch + i);
#pragma unroll
        for (int e = 0; e < vector::width; ++e) x[i + e] = some.value[e];
      }
    }
  }

 private:
  T* tile_;  // this warp's
  const T* source_;
  index_t load_stride_;
  index_t batch_stride_;
  int left_;          // terms not loaded yet
  int columns_left_;  // counted from the first column that this lane loads
  int term_;          // first term of a batch that this lane loads
  bool whole_;        // all columns that this lane loads exist
};

/// Copies `terms` terms from term `first` on of the rows of a to shared memory, row by row. All are
/// in flight at once. What does not exist is not written.
template <class T>
__device__ __forceinline__ void stage_a(const matmul_arguments<T>& p, int first, int terms,
                                        T* shared) {
  const std::uint32_t target = ptx::shared_address(shared);
  const T* row = p.slice_a() + first * p.a.k_stride;
#pragma unroll 1
  for (int i = 0; i < p.m; ++i, row += p.a.outer_stride) {
#pragma unroll 1
    for (int term = static_cast<int>(threadIdx.x); term < terms; term += few_rows_block) {
      const auto at = static_cast<std::uint32_t>((i * matmul_chunk + term) * sizeof(T));
      ptx::copy_async<sizeof(T)>(target + at, row + term * p.a.k_stride, true);
    }
  }
  ptx::copy_async_commit();
  ptx::copy_async_wait<0>();
}

/// Continues the chains with the first `left` terms of a batch, or with all of them.
template <class Policy, int Rows, class T>
__device__ __forceinline__ void multiply_batch(const T* a, const T (&x)[Policy::terms], int left,
                                               T (&chain)[Rows]) {
  using vector = aligned_vector<T>;
  const bool whole = left >= Policy::terms;
#pragma unroll
  for (int i = 0; i < Policy::terms; i += vector::width) {
#pragma unroll
    for (int row = 0; row < Rows; ++row) {
      const vector some = *reinterpret_cast<const vector*>(a + row * matmul_chunk + i);
#pragma unroll
      for (int e = 0; e < vector::width; ++e)
        if (whole || i + e < left) chain[row] = tandem::fma(some.value[e], x[i + e], chain[row]);
    }
  }
}

/// Adds the chunks' totals of this thread's column in ascending order, if all blocks have stored
/// theirs. Returns whether they have, which is so in the last block of the group alone.
template <class T, int Rows>
__device__ __forceinline__ bool add_in_last_block(const matmul_arguments<T>& p,
                                                  const few_rows_totals<T>& totals, int column,
                                                  T (&total)[Rows]) {
  const index_t slice = gridDim.z * p.m * p.n;
  T* const first = totals.data + blockIdx.z * p.m * p.n + column;
#pragma unroll
  for (int row = 0; row < Rows; ++row)
    if (row < p.m && column < p.n) first[blockIdx.y * slice + row * p.n] = total[row];
  __syncthreads();
  bool is_last = false;
  if (threadIdx.x == 0) {
    unsigned* const arrived = totals.arrived + blockIdx.z * gridDim.x + blockIdx.x;
    is_last = ptx::atom_inc_acq_rel(arrived, gridDim.y - 1) == gridDim.y - 1;
  }
  if (__syncthreads_or(is_last) == 0) return false;
#pragma unroll
  for (int row = 0; row < Rows; ++row)
    if (row < p.m && column < p.n)
      total[row] = sum_in_order<8>(first + row * p.n, slice, index_t{gridDim.y});
  return true;
}

/// Computes c = finish(a * b) for at most Rows rows. A block has a warp per 32 columns, for one
/// chunk of k or for all of them.
template <class T, bool KMajor, int Rows>
__global__ void __launch_bounds__(few_rows_block,
                                  few_rows_policy<T, KMajor, Rows>::min_blocks_per_sm)
    few_rows_kernel(const __grid_constant__ matmul_arguments<T> p,
                    const __grid_constant__ few_rows_totals<T> totals) {
  using policy = few_rows_policy<T, KMajor, Rows>;
  ptx::launch_dependents();
  ptx::grid_dependency_wait();
  extern __shared__ __align__(16) unsigned char tandem_few_rows_shared[];
  T* const a = reinterpret_cast<T*>(tandem_few_rows_shared);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  few_rows_column<T, KMajor, policy> b(
      p,
      reinterpret_cast<T*>(tandem_few_rows_shared + policy::a_bytes + warp * policy::warp_bytes));
  T x[policy::batches][policy::terms];
  T chain[Rows] = {};
  T total[Rows];
#pragma unroll
  for (T& sum : total) sum = -T{0};  // -0 + x == x for every x
#pragma unroll
  for (int i = 0; i < policy::batches - 1; ++i) b.load(x[i]);
  const int terms = static_cast<int>(p.slice_terms());
#pragma unroll 1
  for (int first = 0; first < terms; first += matmul_chunk) {
    if (first > 0) __syncthreads();
    const int left = terms - first;
    const int end = left < matmul_chunk ? left : static_cast<int>(matmul_chunk);
    stage_a(p, first, end, a);
    __syncthreads();
#pragma unroll 1
    for (int at = 0; at < end; at += policy::batches * policy::terms) {
#pragma unroll
      for (int i = 0; i < policy::batches; ++i) {
        b.load(x[(i + policy::batches - 1) % policy::batches]);
        b.exchange(x[i]);
        const int here = at + i * policy::terms;
        multiply_batch<policy, Rows>(a + here, x[i], end - here, chain);
      }
    }
#pragma unroll
    for (int row = 0; row < Rows; ++row) {
      total[row] += chain[row];
      chain[row] = T{0};
    }
  }
  const int column = static_cast<int>(blockIdx.x * few_rows_block + threadIdx.x);
  if (gridDim.y > 1 && !add_in_last_block(p, totals, column, total)) return;
    // Not unrolled: that many epilogues would take the registers of the loop above.
#pragma unroll 1
  for (int row = 0; row < Rows; ++row)
    if (row < p.m && column < p.n)
      store_element(p.finish, total[row], row, column,
                    p.c + blockIdx.z * p.c_batch + row * p.c_row + column * p.c_column);
}

}  // namespace tandem::cuda_impl
