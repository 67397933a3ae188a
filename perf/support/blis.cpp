// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/blis.hpp>

#include <perf/support/cblas.hpp>
#include <perf/support/dynamic_library.hpp>

#include <cstdlib>

namespace perf::blis {

namespace {

/// Selects the kernels that fit this CPU by their number in BLIS 0.9 (bli_type_defs.h), which falls
/// back to much slower generic ones on a CPU that it does not know. Overrides the environment,
/// since a peer is shown at its best.
void choose_kernels() {
  const cblas::kernels widest = cblas::widest_kernels();
  if (widest == cblas::kernels::avx512) setenv("BLIS_ARCH_TYPE", "0", 1);  // skx
  if (widest == cblas::kernels::avx2) setenv("BLIS_ARCH_TYPE", "3", 1);    // haswell
}

const dynamic_library& library() {
  static const dynamic_library opened = [] {
    choose_kernels();
    const dynamic_library found({"libblis.so.4", "libblis.so"});
    // Only products initialise the library themselves.
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

template <class T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, const T* b, T* c) {
  static auto* const function = cblas::gemm_of<T>(library());
  cblas::multiply(function, m, n, k, a, b, c);
}

template void multiply(std::int64_t, std::int64_t, std::int64_t, const float*, const float*,
                       float*);
template void multiply(std::int64_t, std::int64_t, std::int64_t, const double*, const double*,
                       double*);

}  // namespace perf::blis
