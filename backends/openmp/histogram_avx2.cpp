// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v3 and run only where the CPU has that (openmp.cmake).
#include <tandem/backends/openmp/histogram_guess_loop.hpp>
#include <tandem/backends/openmp/histogram_pairs_loop.hpp>

namespace tandem::openmp_impl {
namespace {

struct this_file;

}  // namespace

const guess_kernels guess_avx2 = {guess_bins<this_file, float>, guess_bins<this_file, double>,
                                  compare_edges<this_file>};
constinit const count_kernels count_avx2 = count_kernels_of<this_file>();

}  // namespace tandem::openmp_impl
