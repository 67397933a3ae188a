// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v3; runs only on CPUs that have it (openmp.cmake).
#include <tandem/backends/openmp/histogram/kernels/make_table.hpp>

namespace tandem::openmp_impl {

constinit const histogram_kernels histogram_kernels::avx2 = make_histogram_kernels();

}  // namespace tandem::openmp_impl
