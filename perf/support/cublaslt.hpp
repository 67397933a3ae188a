// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/blas_product.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

struct CUstream_st;

namespace perf {

/// One product by cublasLt, with the fastest of the algorithms that its heuristic proposes, as a
/// program that tunes its calls would run it.
class cublaslt {
 public:
  /// Workspace of an algorithm, in bytes of device memory: NVIDIA's advice for Hopper.
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

  /// Prepares calls on `stream` with `workspace`, workspace_bytes of device memory. Errors:
  /// std::runtime_error if cublasLt is missing or proposes nothing.
  cublaslt(CUstream_st* stream, const blas_product& product, void* workspace);
  cublaslt(const cublaslt&) = delete;
  cublaslt& operator=(const cublaslt&) = delete;
  ~cublaslt();

  static bool is_present();

  /// Times each proposed algorithm by `seconds_of`, which calls its argument as often as it likes,
  /// and keeps the fastest. Errors: std::runtime_error when none of them works.
  void choose(const std::function<double(const std::function<void()>&)>& seconds_of, const void* a,
              const void* b, void* c);

  /// c = a b in device memory, by the first proposed algorithm until choose() has replaced it.
  /// Errors: std::runtime_error.
  void multiply(const void* a, const void* b, void* c) const;

 private:
  using algorithm = std::array<std::uint64_t, 8>;  ///< cublasLtMatmulAlgo_t

  void* layout(int type, std::int64_t rows, std::int64_t columns, std::int64_t stride,
               std::int64_t batch_stride) const;
  void propose();
  int call(const algorithm& chosen, const void* a, const void* b, void* c) const;

  CUstream_st* stream_;
  blas_product product_;
  void* workspace_;
  void* operation_ = nullptr;
  void* a_ = nullptr;  ///< layouts, in cublasLt's column-major order
  void* b_ = nullptr;
  void* c_ = nullptr;
  std::vector<algorithm> proposed_;
  algorithm chosen_{};
};

}  // namespace perf
