// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/entry.hpp>

namespace perf {

/// What the machine can do at most, measured by loops that do nothing else: where the axes of the
/// report's plots end.
///
/// read, copy, triad   memory traffic of one, two and three arrays, in `bytes`
/// update              the same of one array that is read and written in place
/// fma                 multiply-adds on registers, in `flops`; fma_tensor on the matrix units
problem peak_problem(const std::string& name, const std::string& type, double elements,
                     double bytes, double flops);

/// Floats of each array: far beyond any cache.
std::int64_t peak_elements(const settings& chosen);

}  // namespace perf
