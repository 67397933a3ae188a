// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include <tandem/config.hpp>

namespace perf {

/// Types of a product: the elements of a and b, of c, and of the accumulator.
enum class blas_numbers {
  f32,       ///< float throughout, without tensor cores' rounding
  f64,       ///< double throughout
  tf32,      ///< floats, rounded to 11 significant bits before they are multiplied
  bf16,      ///< bf16 to bf16, accumulated in float
  bf16_f32,  ///< bf16 to float
  f16,       ///< half to half, accumulated in float
  f16_f32,   ///< half to float
  i8         ///< 8-bit integers to 32-bit ones
};

/// c = a b with contiguous row-major matrices, `batch` of each: a is m x k, c is m x n, b is k x n
/// or, with b_transposed, stored n x k.
struct blas_product {
  blas_numbers numbers = blas_numbers::f32;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  bool b_transposed = false;

  TANDEM_FUNCTION std::int64_t a_size() const { return m * k; }
  TANDEM_FUNCTION std::int64_t b_size() const { return k * n; }
  TANDEM_FUNCTION std::int64_t c_size() const { return m * n; }
  /// Leading dimension of b as stored.
  std::int64_t b_stride() const { return b_transposed ? k : n; }
};

/// Types as cuBLAS and cublasLt number them: cudaDataType of a and b, of c and of alpha and beta,
/// and cublasComputeType_t. Values from cuBLAS' manual.
struct blas_types {
  int in;
  int out;
  int scale;
  int compute;
};

constexpr blas_types types_of(blas_numbers numbers) {
  constexpr int r32f = 0, r64f = 1, r16f = 2, r8i = 3, r32i = 10, r16bf = 14;
  constexpr int compute_32f = 68, compute_64f = 70, compute_32i = 72, compute_tf32 = 77;
  // By the order of blas_numbers.
  constexpr blas_types types[] = {
      {r32f, r32f, r32f, compute_32f},  {r64f, r64f, r64f, compute_64f},
      {r32f, r32f, r32f, compute_tf32}, {r16bf, r16bf, r32f, compute_32f},
      {r16bf, r32f, r32f, compute_32f}, {r16f, r16f, r32f, compute_32f},
      {r16f, r32f, r32f, compute_32f},  {r8i, r32i, r32i, compute_32i}};
  return types[static_cast<int>(numbers)];
}

/// alpha or beta of a product, in the type that cuBLAS reads through a void pointer.
class blas_factor {
 public:
  constexpr blas_factor(blas_numbers numbers, int value)
      : numbers_(numbers),
        as_float_(static_cast<float>(value)),
        as_double_(value),
        as_int_(value) {}
  const void* address() const {
    if (numbers_ == blas_numbers::f64) return &as_double_;
    if (numbers_ == blas_numbers::i8) return &as_int_;
    return &as_float_;
  }

 private:
  blas_numbers numbers_;
  float as_float_;
  double as_double_;
  std::int32_t as_int_;
};

}  // namespace perf
