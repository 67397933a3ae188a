// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace perf {

/// Prints one short line per benchmark while the program runs: implementation, time, rate. The file
/// reporter keeps everything.
class progress_reporter : public ::benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;

  /// Benchmarks that failed their check or threw.
  int failures() const { return failures_; }
  /// Benchmarks whose bits differ although they promised the reference's.
  int disagreements() const { return disagreements_; }

 private:
  void print(const Run& middle, double seconds);

  std::string heading_;
  int failures_ = 0;
  int disagreements_ = 0;
};

}  // namespace perf
