// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled for any CPU.
#include <tandem/backends/openmp/histogram/kernels/make_table.hpp>

namespace tandem::openmp_impl {

constinit const histogram_kernels histogram_kernels::baseline = make_histogram_kernels();

}  // namespace tandem::openmp_impl
