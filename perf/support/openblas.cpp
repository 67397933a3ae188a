// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/openblas.hpp>

#include <perf/support/cblas.hpp>
#include <perf/support/dynamic_library.hpp>

#include <cstdlib>

namespace perf::openblas {

namespace {

/// Names the kernels that fit this CPU: an OpenBLAS older than the CPU falls back to SSE, a quarter
/// of its best. What the shell says is overruled, since a peer is shown at its best.
void choose_kernels() {
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx512 || avx2) setenv("OPENBLAS_CORETYPE", avx512 ? "SkylakeX" : "Haswell", 1);
  unsetenv("OPENBLAS_L2_SIZE");
#endif
}

const dynamic_library& library() {
  static const dynamic_library opened = [] {
    choose_kernels();
    return dynamic_library({"libopenblas.so.0", "libopenblas.so"});
  }();
  return opened;
}

}  // namespace

bool is_present() { return library().is_open(); }

std::string kernels() {
  if (!is_present()) return "absent";
  return library().function<const char*()>("openblas_get_corename")();
}

void set_threads(int threads) {
  static auto* const set = library().function<void(int)>("openblas_set_num_threads");
  set(threads);
}

void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b,
              float* c) {
  static auto* const function = library().function<cblas::gemm<float>>("cblas_sgemm");
  cblas::multiply(function, m, n, k, a, b, c);
}

void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, const double* b,
              double* c) {
  static auto* const function = library().function<cblas::gemm<double>>("cblas_dgemm");
  cblas::multiply(function, m, n, k, a, b, c);
}

}  // namespace perf::openblas
