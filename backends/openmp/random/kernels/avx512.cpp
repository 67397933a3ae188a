// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v4; runs only on CPUs that have it (openmp.cmake).
#include <tandem/backends/openmp/random/kernels/make_table.hpp>

namespace tandem::openmp_impl {

constinit const random_kernels random_kernels::avx512 = make_random_kernels();

}  // namespace tandem::openmp_impl
