// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/agreement.hpp>
#include <perf/support/interleaved.hpp>
#include <perf/support/progress_reporter.hpp>
#include <perf/support/runner.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include <tandem/tandem.hpp>

namespace {

struct options {
  perf::settings chosen;
  /// File that names the benchmarks of a table of targets; empty for the report's benchmarks.
  std::string targets;
  std::string out;  ///< file for the table's measurements
  /// File for the results' hashes; empty where times are measured.
  std::string agreement;
};

/// Removes the options that Google Benchmark does not know from the command line: --quick,
/// --targets=FILE with --out=FILE, and --agreement=FILE.
options read_options(int& argc, char** argv) {
  options given;
  const auto value_of = [](std::string_view argument, std::string_view name, std::string& value) {
    if (!argument.starts_with(name)) return false;
    value = argument.substr(name.size());
    return true;
  };
  char** end = std::remove_if(argv + 1, argv + argc, [&](const char* argument) {
    const bool quick = std::string_view(argument) == "--quick";
    given.chosen.quick |= quick;
    return quick || value_of(argument, "--targets=", given.targets) ||
           value_of(argument, "--out=", given.out) ||
           value_of(argument, "--agreement=", given.agreement);
  });
  argc = static_cast<int>(end - argv);
  given.chosen.targets = !given.targets.empty();
  return given;
}

int measure_other(const options& given) {
  try {
    if (!given.agreement.empty())
      return perf::measure_agreement(given.chosen, given.agreement) > 0 ? 1 : 0;
    perf::interleaved_runner cases(given.chosen, given.targets);
    return cases.run(given.out) > 0 ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

}  // namespace

/// Exit status: 0; 1 when a benchmark failed or differs in its bits; 2 for a wrong command line.
/// An interrupt (Ctrl-C) ends the run after the benchmark that is measured, and what has been
/// measured is written; a second one ends the program.
int main(int argc, char** argv) {
  const options given = read_options(argc, argv);
  if (given.chosen.targets || !given.agreement.empty()) return measure_other(given);
  std::signal(SIGINT, [](int) {
    perf::runner::stop();
    std::signal(SIGINT, SIG_DFL);
  });
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  perf::runner cases(given.chosen);
  cases.register_benchmarks();
  perf::progress_reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  cases.release();
  return reporter.failures() + reporter.disagreements() > 0 ? 1 : 0;
}
