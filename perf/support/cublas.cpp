// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/cublas.hpp>

namespace perf {

namespace {

// Declared here rather than taken from cublas_v2.h, which a machine may lack; from cuBLAS' manual.
using handle_t = void*;
template <class T>
using gemm = int(handle_t, int transpose_a, int transpose_b, int m, int n, int k, const T* alpha,
                 const T* a, int a_stride, const T* b, int b_stride, const T* beta, T* c,
                 int c_stride);

const dynamic_library& library() {
  static const dynamic_library opened({"libcublas.so.13", "libcublas.so.12", "libcublas.so"});
  return opened;
}

void require_success(int status, const char* call) {
  if (status != 0)
    throw std::runtime_error(std::string(call) + ": cuBLAS status " + std::to_string(status));
}

/// cuBLAS is column-major, where row-major c = a b reads as c' = b' a'.
template <class T>
void run(const char* name, handle_t handle, std::int64_t m, std::int64_t n, std::int64_t k,
         const T* a, const T* b, T* c) {
  static gemm<T>* const function = library().function<gemm<T>>(name);
  const auto rows = static_cast<int>(m);
  const auto columns = static_cast<int>(n);
  const auto depth = static_cast<int>(k);
  const T one{1};
  const T zero{0};
  require_success(
      function(handle, 0, 0, columns, rows, depth, &one, b, columns, a, depth, &zero, c, columns),
      name);
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

void cublas::multiply(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                      const float* b, float* c) const {
  run("cublasSgemm_v2", handle_, m, n, k, a, b, c);
}

void cublas::multiply(std::int64_t m, std::int64_t n, std::int64_t k, const double* a,
                      const double* b, double* c) const {
  run("cublasDgemm_v2", handle_, m, n, k, a, b, c);
}

}  // namespace perf
