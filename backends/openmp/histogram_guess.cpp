// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/histogram_guess.hpp>

#include <tandem/backends/openmp/histogram_guess_loop.hpp>

namespace tandem::openmp_impl {
namespace {

struct this_file;

/// The tests are those of the -march flags in openmp.cmake.
const guess_kernels& fastest() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_v4) return guess_avx512;
  if (has_v3) return guess_avx2;
#endif
  return guess_baseline;
}

}  // namespace

constinit const guess_kernels guess_baseline = {
    guess_bins<this_file, float>, guess_bins<this_file, double>, compare_edges<this_file>};

const guess_kernels& usable_guess_kernels() {
  static const guess_kernels& kernels = fastest();
  return kernels;
}

}  // namespace tandem::openmp_impl
