// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/dynamic_library.hpp>

#include <cstdint>

struct CUstream_st;

namespace perf {

/// cuBLAS without tensor-core rounding: fp32 in fp32 (its default mode; TF32 is opt-in there), fp64
/// in fp64. Opened when the program runs, so that tandem's benchmarks need no more of a toolkit
/// than its compiler.
class cublas {
 public:
  /// Works on `stream`. Errors: std::runtime_error where cuBLAS is missing or does not start.
  explicit cublas(CUstream_st* stream);
  cublas(const cublas&) = delete;
  cublas& operator=(const cublas&) = delete;
  ~cublas();

  static bool is_present();

  /// c = a b with a: m x k, b: k x n, c: m x n, row-major, in memory of the device.
  void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b,
                float* c) const;
  void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, const double* b,
                double* c) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace perf
