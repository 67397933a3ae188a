// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/blas_product.hpp>

struct CUstream_st;

namespace perf {

/// cuBLAS with its own choice of kernel. Floats are not rounded for tensor cores unless `numbers`
/// says so, as in its default mode. Opened at run time, so that the benchmarks need no more of a
/// toolkit than its compiler.
class cublas {
 public:
  /// Works on `stream`. Errors: std::runtime_error if cuBLAS is missing or does not start.
  explicit cublas(CUstream_st* stream);
  cublas(const cublas&) = delete;
  cublas& operator=(const cublas&) = delete;
  ~cublas();

  static bool is_present();

  /// c = a b in device memory. Errors: std::runtime_error, also if cuBLAS has no kernel for the
  /// product.
  void multiply(const blas_product& product, const void* a, const void* b, void* c) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace perf
