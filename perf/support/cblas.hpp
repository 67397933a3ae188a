// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/dynamic_library.hpp>

#include <cstdint>

/// The part of the CBLAS interface through which the peers of matmul are called.
namespace perf::cblas {

// The enumerators of cblas.h.
inline constexpr int row_major = 101;
inline constexpr int not_transposed = 111;

template <class T>
using gemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, T alpha,
                  const T* a, int a_stride, const T* b, int b_stride, T beta, T* c, int c_stride);

/// Instruction sets for which BLAS libraries have x86-64 kernels, as far as this CPU supports them.
enum class kernels { any, avx2, avx512 };

inline kernels widest_kernels() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    return kernels::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return kernels::avx2;
#endif
  return kernels::any;
}

/// A library's product of matrices of T, float or double.
template <class T>
gemm<T>* gemm_of(const dynamic_library& library) {
  return library.function<gemm<T>>(sizeof(T) == 4 ? "cblas_sgemm" : "cblas_dgemm");
}

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
