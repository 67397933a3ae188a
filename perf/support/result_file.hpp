// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/entry.hpp>

#include <fstream>
#include <string>

namespace perf {

/// A JSON file of measurements in the form of Google Benchmark's, for the same readers.
class result_file {
 public:
  explicit result_file(const std::string& path);
  ~result_file();
  result_file(const result_file&) = delete;
  result_file& operator=(const result_file&) = delete;

  /// One repetition. `label` as checked() made it.
  void took(const entry& line, double seconds, const std::string& label);
  /// Why an entry has no figures.
  void failed(const entry& line, const std::string& why);
  /// Ends the file as it stands, so that a run that is stopped later leaves what it has measured.
  void keep();

 private:
  void write(const entry& line, const std::string& rest);

  std::ofstream file_;
  const char* separator_ = "\n";
};

}  // namespace perf
