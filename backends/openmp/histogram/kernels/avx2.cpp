// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v3 and run only where the CPU has that (openmp.cmake).
#include <tandem/backends/openmp/histogram/kernels/uniform_pairs_loop.hpp>

namespace tandem::openmp_impl {
namespace {

struct this_file;

}  // namespace

constinit const uniform_bins_kernels uniform_bins_avx2 = make_uniform_bins_kernels<this_file>();
constinit const counter_kernels counters_avx2 = make_counter_kernels<this_file>();

}  // namespace tandem::openmp_impl
