// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/histogram/kernels/counters.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/histogram/kernels/pair_loop.hpp>

namespace tandem::openmp_impl {
namespace {

struct this_file;

const count_kernels& fastest() {
#if defined(__x86_64__)
  const instruction_set widest = widest_instruction_set();
  if (widest == instruction_set::avx512) return count_avx512;
  if (widest == instruction_set::avx2) return count_avx2;
#endif
  return count_baseline;
}

}  // namespace

constinit const count_kernels count_baseline = count_kernels_of<this_file>();

const count_kernels& usable_count_kernels() {
  static const count_kernels& kernels = fastest();
  return kernels;
}

}  // namespace tandem::openmp_impl
