// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/scan/kernels/table.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/scan/kernels/make_table.hpp>

namespace tandem::openmp_impl {
namespace {

struct this_file {
  static constexpr int vector_bytes = 16;
};

const scan_table& fastest() {
#if defined(__x86_64__)
  const instruction_set widest = widest_instruction_set();
  if (widest == instruction_set::avx512) return scan_avx512;
  if (widest == instruction_set::avx2) return scan_avx2;
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
