// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main function of every program of benchmarks.
//
// usage: NAME_bench [--quick] [--filter=REGEX] --list    prints the names, measures nothing
//        NAME_bench [--quick] [--filter=REGEX] [--in-turns] --out=FILE
//        NAME_bench [--quick] --agreement=FILE    the hashes of ten runs' results
//        NAME_targets --targets=NAMES --out=FILE    the rows of a table that the file NAMES lists
#include <perf/support/checking.hpp>
#include <perf/support/result_file.hpp>
#include <perf/support/runner.hpp>

#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

struct options {
  perf::settings chosen;
  bool lists = false;
  bool in_turns = false;
  std::string filter = ".";
  std::string targets;
  std::string out;
  std::string agreement;
};

options read_options(int argc, char** argv) {
  options given;
  const auto flag = [](std::string_view argument, std::string_view name, bool& set) {
    set |= argument == name;
    return argument == name;
  };
  const auto value = [](std::string_view argument, std::string_view name, std::string& text) {
    if (argument.starts_with(name)) text = argument.substr(name.size());
    return argument.starts_with(name);
  };
  for (int i = 1; i < argc; ++i) {
    const std::string_view a = argv[i];
    if (!flag(a, "--quick", given.chosen.quick) && !flag(a, "--list", given.lists) &&
        !flag(a, "--in-turns", given.in_turns) && !value(a, "--filter=", given.filter) &&
        !value(a, "--targets=", given.targets) && !value(a, "--out=", given.out) &&
        !value(a, "--agreement=", given.agreement))
      throw std::invalid_argument("unknown option " + std::string(a));
  }
  given.chosen.targets = !given.targets.empty();
  return given;
}

std::set<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::set<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.insert(line);
  return lines;
}

/// Removes the benchmarks that the filter or the file of names leaves out.
void keep_wanted(std::vector<perf::benchmark>& benchmarks, const options& given) {
  const std::regex filter(given.filter, std::regex::extended);
  const auto names = given.chosen.targets ? lines_of(given.targets) : std::set<std::string>();
  std::erase_if(benchmarks, [&](const perf::benchmark& one) {
    if (given.chosen.targets && names.count(one.key()) == 0) return true;
    return !std::regex_search(one.key(), filter);
  });
}

int run(const options& given) {
  if (!given.agreement.empty()) return perf::measure_agreement(given.chosen, given.agreement);
  perf::lineup listed = perf::list_benchmarks(given.chosen);
  keep_wanted(listed.benchmarks, given);
  if (given.lists) {
    for (const perf::benchmark& one : listed.benchmarks) std::printf("%s\n", one.key().c_str());
    return 0;
  }
  perf::result_file out(given.out, listed.context);
  perf::runner all(given.chosen, given.in_turns || given.chosen.targets);
  return all.run(listed.benchmarks, out);
}

}  // namespace

/// Exit status: 0; 1 when a benchmark failed or differs in its bits; 2 for a wrong command line.
/// An interrupt (Ctrl-C) ends the run after the problem that is being measured; a second one ends
/// the program.
int main(int argc, char** argv) {
  std::signal(SIGINT, [](int) {
    perf::runner::stop();
    std::signal(SIGINT, SIG_DFL);
  });
  try {
    return run(read_options(argc, argv)) > 0 ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
