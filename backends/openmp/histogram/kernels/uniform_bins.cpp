// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/histogram/kernels/uniform_bins.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/histogram/kernels/uniform_pairs_loop.hpp>

namespace tandem::openmp_impl {
namespace {

struct this_file;

const uniform_bins_kernels& fastest() {
#if defined(__x86_64__)
  const instruction_set widest = widest_instruction_set();
  if (widest == instruction_set::avx512) return uniform_bins_avx512;
  if (widest == instruction_set::avx2) return uniform_bins_avx2;
#endif
  return uniform_bins_baseline;
}

}  // namespace

constinit const uniform_bins_kernels uniform_bins_baseline = make_uniform_bins_kernels<this_file>();

const uniform_bins_kernels& usable_uniform_bins_kernels() {
  static const uniform_bins_kernels& kernels = fastest();
  return kernels;
}

}  // namespace tandem::openmp_impl
