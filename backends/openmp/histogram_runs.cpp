// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/histogram_runs.hpp>

#include <tandem/backends/openmp/histogram_runs_loop.hpp>
#include <tandem/backends/openmp/instruction_set.hpp>

namespace tandem::openmp_impl {
namespace {

struct this_file;

const count_kernels& fastest() {
#if defined(__x86_64__)
  if (widest_instruction_set() != instruction_set::baseline) return count_avx2;
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
