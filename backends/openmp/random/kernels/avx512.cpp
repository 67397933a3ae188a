// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v4 and run only where the CPU has that (openmp.cmake).
#include <tandem/backends/openmp/random/kernels/make_table.hpp>

namespace tandem::openmp_impl {

constinit const random_kernels random_kernels::avx512 = make_random_kernels();

}  // namespace tandem::openmp_impl
