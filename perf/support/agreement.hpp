// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/benchmark.hpp>

#include <string>

namespace perf {

/// Runs the program's benchmarks of 2^20 elements ten times each, those on the CPU on ten to one
/// threads, and writes the hashes of the results' bits to the JSON file `path`. Measures no times.
///
/// Returns the number of benchmarks that failed. Errors: std::runtime_error where the file cannot
/// be written.
int measure_agreement(const settings& chosen, const std::string& path);

}  // namespace perf
