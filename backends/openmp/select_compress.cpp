// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/select_compress.hpp>

namespace tandem::openmp_impl {
namespace {

/// The tests are those of the -march flags in openmp.cmake.
[[maybe_unused]] bool has_avx512() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace

compress_function* usable_compress([[maybe_unused]] std::size_t bytes) {
#if defined(__x86_64__)
  static const bool is_usable = has_avx512();
  if (is_usable && bytes == 4) return compress_words_avx512;
  if (is_usable && bytes == 8) return compress_double_words_avx512;
#endif
  return nullptr;
}

}  // namespace tandem::openmp_impl
