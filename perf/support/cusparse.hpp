// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

struct CUstream_st;

namespace perf {

/// cuSPARSE's product of a matrix in compressed rows and a vector, in double. Opened at run time,
/// as cublas is.
class cusparse {
 public:
  enum class algorithm : int { automatic = 0, csr_1 = 2, csr_2 = 3 };

  /// y = a x in device memory.
  struct product {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t elements;
    const int* offsets;
    const int* column;
    const double* value;
    const double* x;
    double* y;
  };

  /// Prepares a product, which may take longer than the product itself. allocate(bytes) returns
  /// device memory that outlives this object. Errors: std::runtime_error if cuSPARSE is missing
  /// or does not start.
  cusparse(CUstream_st* stream, const product& computed, algorithm chosen,
           const std::function<void*(std::size_t bytes)>& allocate);
  cusparse(const cusparse&) = delete;
  cusparse& operator=(const cusparse&) = delete;
  ~cusparse();

  static bool is_present();

  /// Computes the product. Errors: std::runtime_error.
  void multiply() const;

 private:
  void create(const product& computed);
  /// Calls a function that takes the product's operands, the algorithm and `last`.
  template <class Last>
  void call(const char* name, Last last) const;

  void* handle_ = nullptr;
  void* matrix_ = nullptr;
  void* x_ = nullptr;
  void* y_ = nullptr;
  algorithm chosen_;
  void* scratch_ = nullptr;
};

}  // namespace perf
