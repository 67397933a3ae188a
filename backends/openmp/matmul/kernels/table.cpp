// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/matmul/driver.hpp>

namespace tandem::openmp_impl {
namespace {

/// What this CPU runs of three kernels, fastest first.
template <class Kernels>
std::vector<const Kernels*> usable(const Kernels* avx512, const Kernels* avx2,
                                   const Kernels* baseline) {
  std::vector<const Kernels*> result;
  const instruction_set widest = widest_instruction_set();
  if (widest >= instruction_set::avx512) result.push_back(avx512);
  if (widest >= instruction_set::avx2) result.push_back(avx2);
  result.push_back(baseline);
  return result;
}

}  // namespace

template <>
const std::vector<const matmul_kernels<float>*>& usable_matmul_kernels<float>() {
#if defined(__x86_64__)
  static const auto kernels = usable(&matmul_avx512_f32, &matmul_avx2_f32, &matmul_baseline_f32);
#else
  static const auto kernels = usable<matmul_kernels<float>>(nullptr, nullptr, &matmul_baseline_f32);
#endif
  return kernels;
}

template <>
const std::vector<const matmul_kernels<double>*>& usable_matmul_kernels<double>() {
#if defined(__x86_64__)
  static const auto kernels = usable(&matmul_avx512_f64, &matmul_avx2_f64, &matmul_baseline_f64);
#else
  static const auto kernels =
      usable<matmul_kernels<double>>(nullptr, nullptr, &matmul_baseline_f64);
#endif
  return kernels;
}

template <>
const std::vector<const widening_kernels*>& usable_matmul_kernels<float, bf16>() {
#if defined(__x86_64__)
  static const auto kernels =
      usable(&matmul_avx512_from_bf16, &matmul_avx2_from_bf16, &matmul_baseline_from_bf16);
#else
  static const auto kernels =
      usable<widening_kernels>(nullptr, nullptr, &matmul_baseline_from_bf16);
#endif
  return kernels;
}

template <>
const std::vector<const widening_kernels*>& usable_matmul_kernels<float, half>() {
#if defined(__x86_64__)
  static const auto kernels =
      usable(&matmul_avx512_from_half, &matmul_avx2_from_half, &matmul_baseline_from_half);
#else
  static const auto kernels =
      usable<widening_kernels>(nullptr, nullptr, &matmul_baseline_from_half);
#endif
  return kernels;
}

}  // namespace tandem::openmp_impl
