// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// The interface of C to the BLAS, as far as the peers of matmul are called through it.
namespace perf::cblas {

// The enumerators of cblas.h.
inline constexpr int row_major = 101;
inline constexpr int not_transposed = 111;

template <class T>
using gemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, T alpha,
                  const T* a, int a_stride, const T* b, int b_stride, T beta, T* c, int c_stride);

/// c = a b with a: m x k, b: k x n, c: m x n, row-major.
template <class T>
void multiply(gemm<T>* function, std::int64_t m, std::int64_t n, std::int64_t k, const T* a,
              const T* b, T* c) {
  const auto rows = static_cast<int>(m);
  const auto columns = static_cast<int>(n);
  const auto depth = static_cast<int>(k);
  function(row_major, not_transposed, not_transposed, rows, columns, depth, T{1}, a, depth, b,
           columns, T{0}, c, columns);
}

}  // namespace perf::cblas
