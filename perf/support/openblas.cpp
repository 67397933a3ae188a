// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/openblas.hpp>

#include <perf/support/dynamic_library.hpp>

#include <cstdlib>

#include <omp.h>

namespace perf::openblas {

namespace {

// The enumerators of cblas.h.
constexpr int row_major = 101;
constexpr int not_transposed = 111;

template <class T>
using gemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, T alpha,
                  const T* a, int a_stride, const T* b, int b_stride, T beta, T* c, int c_stride);

/// Names the kernels that fit this CPU, unless the environment does: an OpenBLAS older than the CPU
/// falls back to SSE, four times slower than the best it has.
void choose_kernels() {
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx512 || avx2) setenv("OPENBLAS_CORETYPE", avx512 ? "SkylakeX" : "Haswell", 0);
#endif
}

const dynamic_library& library() {
  static const dynamic_library opened = [] {
    choose_kernels();
    const dynamic_library found({"libopenblas.so.0", "libopenblas.so"});
    if (found.is_open())
      found.function<void(int)>("openblas_set_num_threads")(omp_get_max_threads());
    return found;
  }();
  return opened;
}

template <class T>
void run(gemm<T>* function, std::int64_t m, std::int64_t n, std::int64_t k, const T* a, const T* b,
         T* c) {
  const auto rows = static_cast<int>(m);
  const auto columns = static_cast<int>(n);
  const auto depth = static_cast<int>(k);
  function(row_major, not_transposed, not_transposed, rows, columns, depth, T{1}, a, depth, b,
           columns, T{0}, c, columns);
}

}  // namespace

bool is_present() { return library().is_open(); }

std::string kernels() {
  if (!is_present()) return "absent";
  return library().function<const char*()>("openblas_get_corename")();
}

void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b,
              float* c) {
  static gemm<float>* const function = library().function<gemm<float>>("cblas_sgemm");
  run(function, m, n, k, a, b, c);
}

void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, const double* b,
              double* c) {
  static gemm<double>* const function = library().function<gemm<double>>("cblas_dgemm");
  run(function, m, n, k, a, b, c);
}

}  // namespace perf::openblas
