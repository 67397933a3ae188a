// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/progress_reporter.hpp>
#include <perf/support/runner.hpp>

#include <algorithm>
#include <cstring>

#include <tandem/tandem.hpp>

namespace {

/// Takes --quick out of the command line; the rest is Google Benchmark's.
perf::settings read_settings(int& argc, char** argv) {
  perf::settings chosen;
  char** end = std::remove_if(argv + 1, argv + argc, [&chosen](const char* argument) {
    const bool quick = std::strcmp(argument, "--quick") == 0;
    chosen.quick |= quick;
    return quick;
  });
  argc = static_cast<int>(end - argv);
  return chosen;
}

}  // namespace

/// Exit status: 0; 1 when an entry failed or differs in its bits; 2 for a wrong command line.
int main(int argc, char** argv) {
  const perf::settings chosen = read_settings(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  perf::runner cases(chosen);
  cases.register_entries();
  perf::progress_reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  cases.release();
  return reporter.failures() + reporter.disagreements() > 0 ? 1 : 0;
}
