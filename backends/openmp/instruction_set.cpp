// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/instruction_set.hpp>

namespace tandem::openmp_impl {

/// The tests are those of the -march flags in openmp.cmake; what they leave out (movbe, lzcnt,
/// f16c) came with or before them in every CPU.
instruction_set widest_instruction_set() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_v4) return instruction_set::avx512;
  if (has_v3) return instruction_set::avx2;
#endif
  return instruction_set::baseline;
}

}  // namespace tandem::openmp_impl
