// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/cublas.hpp>
#include <perf/support/dynamic_library.hpp>

namespace perf {

namespace {

// Declared here rather than taken from cublas_v2.h, which a machine may lack; from cuBLAS' manual.
using handle_t = void*;
using gemm_ex = int(handle_t, int transpose_a, int transpose_b, int m, int n, int k,
                    const void* alpha, const void* a, int a_type, int a_stride, const void* b,
                    int b_type, int b_stride, const void* beta, void* c, int c_type, int c_stride,
                    int compute_type, int algorithm);
using gemm_strided_batched_ex = int(handle_t, int transpose_a, int transpose_b, int m, int n, int k,
                                    const void* alpha, const void* a, int a_type, int a_stride,
                                    long long a_batch, const void* b, int b_type, int b_stride,
                                    long long b_batch, const void* beta, void* c, int c_type,
                                    int c_stride, long long c_batch, int batch, int compute_type,
                                    int algorithm);

constexpr int its_own_choice = -1;  // CUBLAS_GEMM_DEFAULT

const dynamic_library& library() {
  static const dynamic_library opened({"libcublas.so.13", "libcublas.so.12", "libcublas.so"});
  return opened;
}

void require_success(int status, const char* call) {
  if (status != 0)
    throw std::runtime_error(std::string(call) + ": cuBLAS status " + std::to_string(status));
}

}  // namespace

bool cublas::is_present() { return library().is_open(); }

cublas::cublas(CUstream_st* stream) {
  require_success(library().function<int(handle_t*)>("cublasCreate_v2")(&handle_), "cublasCreate");
  require_success(
      library().function<int(handle_t, CUstream_st*)>("cublasSetStream_v2")(handle_, stream),
      "cublasSetStream");
}

cublas::~cublas() {
  if (handle_ != nullptr) library().function<int(handle_t)>("cublasDestroy_v2")(handle_);
}

/// cuBLAS is column-major and sees row-major c = a b as c' = b' a'.
void cublas::multiply(const blas_product& product, const void* a, const void* b, void* c) const {
  const blas_types types = types_of(product.numbers);
  const blas_factor one(product.numbers, 1);
  const blas_factor zero(product.numbers, 0);
  const auto m = static_cast<int>(product.m);
  const auto n = static_cast<int>(product.n);
  const auto k = static_cast<int>(product.k);
  const auto b_stride = static_cast<int>(product.b_stride());
  const int transpose = product.b_transposed ? 1 : 0;
  if (product.batch == 1) {
    static auto* const function = library().function<gemm_ex>("cublasGemmEx");
    require_success(
        function(handle_, transpose, 0, n, m, k, one.address(), b, types.in, b_stride, a, types.in,
                 k, zero.address(), c, types.out, n, types.compute, its_own_choice),
        "cublasGemmEx");
  } else {
    static auto* const function =
        library().function<gemm_strided_batched_ex>("cublasGemmStridedBatchedEx");
    require_success(function(handle_, transpose, 0, n, m, k, one.address(), b, types.in, b_stride,
                             product.b_size(), a, types.in, k, product.a_size(), zero.address(), c,
                             types.out, n, product.c_size(), static_cast<int>(product.batch),
                             types.compute, its_own_choice),
                    "cublasGemmStridedBatchedEx");
  }
}

}  // namespace perf
