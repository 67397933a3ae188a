// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/few_rows/policy.hpp>
#include <tandem/backends/cuda/matmul/mma/fragments.cuh>
#include <tandem/core/math.hpp>
#include <tandem/core/numbers/half.hpp>

/// What a warp does with a stage in shared memory: fused multiply-adds or tensor cores. Both kinds
/// of chains load their operands from the stage, multiply them, and add chunks' sums to totals.
namespace tandem::cuda_impl {

/// Loads 16 aligned bytes from shared memory.
template <class T>
__device__ __forceinline__ void load_shared_vector(std::uint32_t source, T* x) {
  if constexpr (sizeof(T) == 4) {
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                 : "r"(source)
                 : "memory");
  } else {
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];"
                 : "=d"(x[0]), "=d"(x[1])
                 : "r"(source)
                 : "memory");
  }
}

template <class T>
__device__ __forceinline__ void load_shared_element(std::uint32_t source, T& x) {
  if constexpr (sizeof(T) == 4) {
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(source) : "memory");
  } else {
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(x) : "r"(source) : "memory");
  }
}

/// The chains of one column per thread, for Policy::rows rows of floats or doubles.
template <class Policy>
class fma_chains {
 public:
  using element = typename Policy::element;
  using sum = element;

  __device__ __forceinline__ fma_chains() {
#pragma unroll
    for (sum& total : totals_) total = -sum{0};  // -0 + x == x for every x
  }

  /// Loads the thread's column of b and the first row of a.
  __device__ __forceinline__ void load(std::uint32_t stage) {
    const int column = static_cast<int>(threadIdx.x);
    stage_ = stage;
    load_row(0);
#pragma unroll
    for (int i = 0; i < Policy::terms; i += Policy::k_major ? width : 1) {
      if constexpr (Policy::k_major) {
        load_shared_vector(stage + Policy::b_offset(column, i * size), &x_[i]);
      } else {
        load_shared_element(stage + Policy::b_offset(i, column * size), x_[i]);
      }
    }
  }

  /// Continues the chains with the first `left` terms of the stage, or with all of them.
  __device__ __forceinline__ void multiply(int left) {
    const bool whole = left >= Policy::terms;
#pragma unroll
    for (int row = 0; row < Policy::rows; ++row) {
      if (row > 0) load_row(row);
      if (whole) {
#pragma unroll
        for (int i = 0; i < Policy::terms; ++i)
          chains_[row] = tandem::fma(a_[i], x_[i], chains_[row]);
      } else {
#pragma unroll
        for (int i = 0; i < Policy::terms; ++i)
          if (i < left) chains_[row] = tandem::fma(a_[i], x_[i], chains_[row]);
      }
    }
  }

  /// Ends the chunk.
  __device__ __forceinline__ void add_chunk() {
#pragma unroll
    for (int row = 0; row < Policy::rows; ++row) {
      totals_[row] += chains_[row];
      chains_[row] = sum{0};
    }
  }

  /// Stores the totals in rows of Policy::columns sums.
  __device__ __forceinline__ void store(sum* tile) const {
#pragma unroll
    for (int row = 0; row < Policy::rows; ++row)
      tile[row * Policy::columns + threadIdx.x] = totals_[row];
  }

 private:
  static constexpr int size = static_cast<int>(sizeof(element));
  static constexpr int width = 16 / size;

  __device__ __forceinline__ void load_row(int row) {
#pragma unroll
    for (int i = 0; i < Policy::terms; i += width)
      load_shared_vector(stage_ + Policy::a_offset(row, i * size), &a_[i]);
  }

  std::uint32_t stage_ = 0;
  element x_[Policy::terms];
  element a_[Policy::terms];  // of one row
  sum chains_[Policy::rows] = {};
  sum totals_[Policy::rows];
};

/// The sums of 16 columns per warp, for Policy::rows rows, on tensor cores. Columns of b are the
/// rows of the instruction's first operand.
template <class Policy>
class mma_chains {
 public:
  using element = typename Policy::element;
  using sum = float;

  __device__ __forceinline__ mma_chains() {
#pragma unroll
    for (int i = 0; i < blocks * 4; ++i) totals_[i / 4][i % 4] = -0.0f;  // -0 + x == x for every x
  }

  /// Loads the fragments of a stage.
  __device__ __forceinline__ void load(std::uint32_t stage) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int column = static_cast<int>(threadIdx.x) / 32 * few_rows_tensor_columns;
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      if (step % 2 == 0) {
#pragma unroll
        for (int i = 0; i < blocks; ++i)
          ptx::load_matrices(rows_[i][step / 2],
                             stage + Policy::a_offset(i * 8 + lane % 8, step * 32 + lane / 8 * 16),
                             false);
      }
      if constexpr (Policy::k_major) {
        const int row = column + lane / 8 % 2 * 8 + lane % 8;
        ptx::load_matrices(columns_[step],
                           stage + Policy::b_offset(row, step * 32 + lane / 16 * 16), false);
      } else if constexpr (tandem::detail::is_16bit_float<element>) {
        const int term = step * 16 + lane / 16 * 8 + lane % 8;
        ptx::load_matrices(columns_[step],
                           stage + Policy::b_offset(term, column * 2 + lane / 8 % 2 * 16), true);
      } else {
        // Lane l takes columns 2 (l / 4) and 2 (l / 4) + 1 as rows l / 4 and l / 4 + 8.
        const int term = step * 8 + lane % 4;
        const int byte = column * 4 + lane / 4 * 8;
        load_pair(stage + Policy::b_offset(term, byte), &columns_[step][0]);
        load_pair(stage + Policy::b_offset(term + 4, byte), &columns_[step][2]);
      }
    }
  }

  /// Continues the sums. Terms beyond the last are zero.
  __device__ __forceinline__ void multiply(int) {
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      round(columns_[step]);
#pragma unroll
      for (int i = 0; i < blocks; ++i) {
        std::uint32_t(&rows)[4] = rows_[i][step / 2];
        if (step % 2 == 0) round(rows);
        multiply_mma<element>(sums_[i], columns_[step], rows[step % 2 * 2], rows[step % 2 * 2 + 1]);
      }
    }
  }

  /// Ends the chunk.
  __device__ __forceinline__ void add_chunk() {
#pragma unroll
    for (int i = 0; i < blocks * 4; ++i) {
      totals_[i / 4][i % 4] += sums_[i / 4][i % 4];
      sums_[i / 4][i % 4] = 0.0f;
    }
  }

  /// Stores the totals in rows of Policy::columns sums.
  __device__ __forceinline__ void store(sum* tile) const {
    constexpr int columns = Policy::columns;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    constexpr bool pairs = !Policy::k_major && !tandem::detail::is_16bit_float<element>;
    sum* const from =
        tile + lane % 4 * 2 * columns + threadIdx.x / 32 * 16 + lane / 4 * (1 + pairs);
#pragma unroll
    for (int i = 0; i < blocks * 4; ++i)
      from[(i / 4 * 8 + i % 2) * columns + i / 2 % 2 * (pairs ? 1 : 8)] = totals_[i / 4][i % 4];
  }

 private:
  static constexpr int steps = Policy::k_bytes / 32;
  static constexpr int blocks = Policy::rows / 8;

  /// Loads 8 aligned bytes from shared memory.
  static __device__ __forceinline__ void load_pair(std::uint32_t source, std::uint32_t* x) {
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
                 : "=r"(x[0]), "=r"(x[1])
                 : "r"(source)
                 : "memory");
  }

  /// Rounds floats to tf32.
  static __device__ __forceinline__ void round(std::uint32_t (&x)[4]) {
    if constexpr (!tandem::detail::is_16bit_float<element>) {
#pragma unroll
      for (std::uint32_t& word : x) word = ptx::round_tf32(word);
    }
  }

  std::uint32_t rows_[blocks][steps / 2][4];
  std::uint32_t columns_[steps][4];
  float sums_[blocks][4] = {};
  float totals_[blocks][4];
};

}  // namespace tandem::cuda_impl
