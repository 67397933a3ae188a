// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled for every processor that the compiler's default flags allow.
#include <tandem/backends/openmp/random/kernels/make_table.hpp>

namespace tandem::openmp_impl {

constinit const random_kernels random_kernels::baseline = make_random_kernels();

}  // namespace tandem::openmp_impl
