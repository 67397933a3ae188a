// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/benchmark.hpp>

namespace perf {

/// The machine's peaks, measured by loops that do nothing else; the report gives shares of them.
///
/// read, copy, triad   memory traffic of one, two and three arrays, in `bytes`
/// update              memory traffic of one array that is read and written in place, in `bytes`
/// fma                 multiply-adds on registers, in `flops`; fma_tensor on tensor cores
problem peak_problem(const std::string& name, const std::string& type, double elements,
                     double bytes, double flops);

/// Floats per array, far more than any cache holds.
std::int64_t peak_elements(const settings& chosen);

}  // namespace perf
