// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/openmp/histogram/kernels/counters.hpp>

#include <tandem/backends/openmp/cpu/instruction_set.hpp>
#include <tandem/backends/openmp/histogram/kernels/pair_loop.hpp>

namespace tandem::openmp_impl {
namespace {

struct this_file;

const counter_kernels& fastest() {
#if defined(__x86_64__)
  const instruction_set widest = widest_instruction_set();
  if (widest == instruction_set::avx512) return counters_avx512;
  if (widest == instruction_set::avx2) return counters_avx2;
#endif
  return counters_baseline;
}

}  // namespace

constinit const counter_kernels counters_baseline = make_counter_kernels<this_file>();

const counter_kernels& usable_counter_kernels() {
  static const counter_kernels& kernels = fastest();
  return kernels;
}

}  // namespace tandem::openmp_impl
