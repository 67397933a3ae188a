// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/openblas.hpp>

#include <perf/support/cblas.hpp>
#include <perf/support/dynamic_library.hpp>

#include <cstdlib>

namespace perf::openblas {

namespace {

/// Selects the kernels that fit this CPU: an OpenBLAS older than the CPU falls back to SSE.
/// Overrides the environment, since a peer is shown at its best.
void choose_kernels() {
  const cblas::kernels widest = cblas::widest_kernels();
  if (widest == cblas::kernels::avx512) setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);
  if (widest == cblas::kernels::avx2) setenv("OPENBLAS_CORETYPE", "Haswell", 1);
  unsetenv("OPENBLAS_L2_SIZE");
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

template <class T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, const T* b, T* c) {
  static auto* const function = cblas::gemm_of<T>(library());
  cblas::multiply(function, m, n, k, a, b, c);
}

template void multiply(std::int64_t, std::int64_t, std::int64_t, const float*, const float*,
                       float*);
template void multiply(std::int64_t, std::int64_t, std::int64_t, const double*, const double*,
                       double*);

}  // namespace perf::openblas
