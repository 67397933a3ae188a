// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the bench of kernels, by tandem and by hand in turns.
//
// usage: kernels_bench [--quick] [--filter=REGEX] --out=FILE
//        kernels_bench [--quick] [--filter=REGEX] --list    prints the names and measures nothing
#include <perf/support/interleaved.hpp>

#include <cstdio>
#include <exception>
#include <regex>
#include <string>
#include <string_view>

namespace {

void print_names(const perf::settings& chosen, const std::regex& wanted) {
  for (const perf::benchmark& listed : perf::listed_benchmarks(chosen)) {
    if (std::regex_search(listed.key(), wanted)) std::printf("%s\n", listed.key().c_str());
  }
}

}  // namespace

/// Exit status: 0; 1 when a result was wrong; 2 for a wrong command line.
int main(int argc, char** argv) {
  perf::settings chosen;
  std::string filter = ".";
  std::string out;
  bool lists = false;
  const auto value_of = [](std::string_view argument, std::string_view name, std::string& value) {
    if (!argument.starts_with(name)) return false;
    value = argument.substr(name.size());
    return true;
  };
  for (int a = 1; a < argc; ++a) {
    const std::string_view argument = argv[a];
    if (argument == "--quick") {
      chosen.quick = true;
    } else if (argument == "--list") {
      lists = true;
    } else if (!value_of(argument, "--filter=", filter) && !value_of(argument, "--out=", out)) {
      std::fprintf(stderr, "usage: kernels_bench [--quick] [--filter=REGEX] --out=FILE | --list\n");
      return 2;
    }
  }
  try {
    const std::regex wanted(filter, std::regex::extended);
    if (lists) {
      print_names(chosen, wanted);
      return 0;
    }
    perf::interleaved_runner cases(
        chosen, [&](const std::string& key) { return std::regex_search(key, wanted); });
    return cases.run(out) > 0 ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
