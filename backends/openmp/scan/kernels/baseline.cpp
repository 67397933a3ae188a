// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiled for any CPU.
#include <tandem/backends/openmp/scan/kernels/make_table.hpp>

namespace tandem::openmp_impl {

constinit const scan_table scan_table::baseline = make_scan_table<16>();

}  // namespace tandem::openmp_impl
