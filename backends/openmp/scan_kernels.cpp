// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/scan_kernels.hpp>

#include <tandem/backends/openmp/scan_instance.hpp>

namespace tandem::openmp_impl {
namespace {

struct this_file {
  static constexpr int vector_bytes = 16;
};

/// The tests are those of the -march flags in openmp.cmake.
const scan_table& fastest() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_v4) return scan_avx512;
  if (has_v3) return scan_avx2;
#endif
  return scan_baseline;
}

}  // namespace

constinit const scan_table scan_baseline = make_scan_table<this_file>();

const scan_table& usable_scan_table() {
  static const scan_table& table = fastest();
  return table;
}

}  // namespace tandem::openmp_impl
