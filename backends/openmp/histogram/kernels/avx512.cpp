// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v4 and run only where the CPU has that (openmp.cmake).
#include <tandem/backends/openmp/histogram/kernels/uniform_pairs_loop.hpp>

namespace tandem::openmp_impl {
namespace {

struct this_file;

}  // namespace

constinit const guess_kernels guess_avx512 = guess_kernels_of<this_file>();
constinit const count_kernels count_avx512 = count_kernels_of<this_file>();

}  // namespace tandem::openmp_impl
