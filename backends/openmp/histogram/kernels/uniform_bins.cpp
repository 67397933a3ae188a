// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/histogram/kernels/uniform_bins.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/histogram/kernels/uniform_pairs_loop.hpp>

namespace tandem::openmp_impl {
namespace {

struct this_file;

const guess_kernels& fastest() {
#if defined(__x86_64__)
  const instruction_set widest = widest_instruction_set();
  if (widest == instruction_set::avx512) return guess_avx512;
  if (widest == instruction_set::avx2) return guess_avx2;
#endif
  return guess_baseline;
}

}  // namespace

constinit const guess_kernels guess_baseline = guess_kernels_of<this_file>();

const guess_kernels& usable_guess_kernels() {
  static const guess_kernels& kernels = fastest();
  return kernels;
}

}  // namespace tandem::openmp_impl
