// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/benchmark.hpp>

#include <fstream>
#include <map>
#include <string>

namespace perf {

/// A JSON file of measurements in Google Benchmark's format.
class result_file {
 public:
  result_file(const std::string& path, const std::map<std::string, std::string>& context);
  ~result_file();
  result_file(const result_file&) = delete;
  result_file& operator=(const result_file&) = delete;

  /// Writes one repetition; `label` is what checked() returned.
  void took(const benchmark& current, double seconds, const std::string& label);
  /// Writes why a benchmark has no times.
  void failed(const benchmark& current, const std::string& why);
  /// Completes the file for now, so that a run stopped later leaves valid JSON of what it measured.
  void keep();

 private:
  void write(const benchmark& current, const std::string& rest);

  std::ofstream file_;
  const char* separator_ = "\n";
};

}  // namespace perf
