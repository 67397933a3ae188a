// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/host_blas.hpp>

#include <cstdlib>

namespace perf {

namespace {

/// Instruction sets for which BLAS libraries have x86-64 kernels, as far as this CPU supports them.
enum class instructions { any, avx2, avx512 };

instructions widest() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    return instructions::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return instructions::avx2;
#endif
  return instructions::any;
}

/// Selects kernels by an environment variable, which the library reads when it is opened: one older
/// than the CPU falls back to much slower kernels. Overrides the user's choice, since a peer is
/// shown at its best.
void choose_kernels(const char* variable, const char* avx512, const char* avx2) {
  if (widest() == instructions::avx512) setenv(variable, avx512, 1);
  if (widest() == instructions::avx2) setenv(variable, avx2, 1);
}

// The enumerators of cblas.h.
constexpr int row_major = 101;
constexpr int not_transposed = 111;

template <class T>
using gemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, T alpha,
                  const T* a, int a_stride, const T* b, int b_stride, T beta, T* c, int c_stride);

}  // namespace

const host_blas& host_blas::openblas() {
  static const host_blas opened = [] {
    choose_kernels("OPENBLAS_CORETYPE", "SkylakeX", "Haswell");
    unsetenv("OPENBLAS_L2_SIZE");
    return host_blas(
        "openblas", dynamic_library({"libopenblas.so.0", "libopenblas.so"}),
        [](const dynamic_library& library) {
          return std::string(library.function<const char*()>("openblas_get_corename")());
        },
        [](const dynamic_library& library, int threads) {
          library.function<void(int)>("openblas_set_num_threads")(threads);
        });
  }();
  return opened;
}

const host_blas& host_blas::blis() {
  static const host_blas opened = [] {
    choose_kernels("BLIS_ARCH_TYPE", "0", "3");  // skx and haswell in bli_type_defs.h of BLIS 0.9
    const dynamic_library found({"libblis.so.4", "libblis.so"});
    // Only products initialise the library themselves.
    if (found.is_open()) found.function<void()>("bli_init")();
    return host_blas(
        "blis", found,
        [](const dynamic_library& library) {
          const int number = library.function<int()>("bli_arch_query_id")();
          return std::string(library.function<const char*(int)>("bli_arch_string")(number));
        },
        [](const dynamic_library& library, int threads) {
          // dim_t, 64 bits wide in Debian's build.
          library.function<void(std::int64_t)>("bli_thread_set_num_threads")(threads);
        });
  }();
  return opened;
}

template <class T>
void host_blas::multiply(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, const T* b,
                         T* c) const {
  auto* const function = library_.function<gemm<T>>(sizeof(T) == 4 ? "cblas_sgemm" : "cblas_dgemm");
  const auto columns = static_cast<int>(n);
  const auto depth = static_cast<int>(k);
  function(row_major, not_transposed, not_transposed, static_cast<int>(m), columns, depth, T{1}, a,
           depth, b, columns, T{0}, c, columns);
}

template void host_blas::multiply(std::int64_t, std::int64_t, std::int64_t, const float*,
                                  const float*, float*) const;
template void host_blas::multiply(std::int64_t, std::int64_t, std::int64_t, const double*,
                                  const double*, double*) const;

}  // namespace perf
