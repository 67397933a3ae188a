// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled with -march=x86-64-v4 -mprefer-vector-width=512; runs only on CPUs that have it
// (openmp.cmake).
#include <tandem/backends/openmp/scan/kernels/make_table.hpp>

namespace tandem::openmp_impl {

constinit const scan_table scan_table::avx512 = make_scan_table<64>();

}  // namespace tandem::openmp_impl
