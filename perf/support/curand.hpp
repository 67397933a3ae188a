// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace perf {

/// cuRAND's generators as a host calls them. Opened at run time, as cublas is.
class curand {
 public:
  enum class generator : int { xorwow = 101, philox = 161 };

  /// Seeds a generator, which costs time, and lets it order its numbers in the fastest way for the
  /// device. Errors: std::runtime_error if cuRAND is missing or does not start.
  curand(CUstream_st* stream, generator kind);
  curand(const curand&) = delete;
  curand& operator=(const curand&) = delete;
  ~curand();

  static bool is_present();

  /// Fill n elements in device memory. Errors: std::runtime_error.
  void fill_bits(std::uint32_t* x, std::size_t n) const;
  void fill_uniform(float* x, std::size_t n) const;
  void fill_uniform(double* x, std::size_t n) const;
  void fill_normal(float* x, std::size_t n) const;

 private:
  void* generator_ = nullptr;
};

}  // namespace perf
