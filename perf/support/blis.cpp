// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/blis.hpp>

#include <perf/support/cblas.hpp>
#include <perf/support/dynamic_library.hpp>

#include <cstdlib>

namespace perf::blis {

namespace {

/// Names the kernels that fit this CPU by their number in BLIS 0.9 (bli_type_defs.h): it takes
/// those for any CPU on one that it does not know, a fifth as fast. What the shell says is
/// overruled, since a peer is shown at its best.
void choose_kernels() {
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx512 || avx2) setenv("BLIS_ARCH_TYPE", avx512 ? "0" : "3", 1);  // skx, haswell
#endif
}

const dynamic_library& library() {
  static const dynamic_library opened = [] {
    choose_kernels();
    const dynamic_library found({"libblis.so.4", "libblis.so"});
    // Only products do it by themselves.
    if (found.is_open()) found.function<void()>("bli_init")();
    return found;
  }();
  return opened;
}

}  // namespace

bool is_present() { return library().is_open(); }

std::string kernels() {
  if (!is_present()) return "absent";
  const int number = library().function<int()>("bli_arch_query_id")();
  return library().function<const char*(int)>("bli_arch_string")(number);
}

void set_threads(int threads) {
  // dim_t, 64 bits wide where Debian builds it.
  static auto* const set = library().function<void(std::int64_t)>("bli_thread_set_num_threads");
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

}  // namespace perf::blis
