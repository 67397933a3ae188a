// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/matmul_driver.hpp>

namespace tandem::openmp_impl {
namespace {

/// What this CPU runs of three kernels, fastest first. The tests are those of the -march flags in
/// openmp.cmake; what they leave out (movbe, lzcnt, f16c) came with or before them in every CPU.
template <class T>
std::vector<const matmul_kernels<T>*> usable([[maybe_unused]] const matmul_kernels<T>* avx512,
                                             [[maybe_unused]] const matmul_kernels<T>* avx2,
                                             const matmul_kernels<T>* baseline) {
  std::vector<const matmul_kernels<T>*> result;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_v4) result.push_back(avx512);
  if (has_v3) result.push_back(avx2);
#endif
  result.push_back(baseline);
  return result;
}

}  // namespace

template <>
const std::vector<const matmul_kernels<float>*>& usable_matmul_kernels() {
#if defined(__x86_64__)
  static const auto kernels = usable(&matmul_avx512_f32, &matmul_avx2_f32, &matmul_baseline_f32);
#else
  static const auto kernels = usable<float>(nullptr, nullptr, &matmul_baseline_f32);
#endif
  return kernels;
}

template <>
const std::vector<const matmul_kernels<double>*>& usable_matmul_kernels() {
#if defined(__x86_64__)
  static const auto kernels = usable(&matmul_avx512_f64, &matmul_avx2_f64, &matmul_baseline_f64);
#else
  static const auto kernels = usable<double>(nullptr, nullptr, &matmul_baseline_f64);
#endif
  return kernels;
}

}  // namespace tandem::openmp_impl
