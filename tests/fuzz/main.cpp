// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs random cases of every operation against the oracles until time is up, and shrinks the first
// failing case of each operation to one line that reproduces it.

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>

#include "fuzz/operations.hpp"
#include "fuzz/shrink.hpp"
#include "support/data.hpp"

/// Part of the sanitizers' run-time library, if the binary has one.
extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace tandem::fuzz {
namespace {

using seconds = std::chrono::duration<double>;
using clock = std::chrono::steady_clock;

constexpr const char* usage =
    "usage: tandem_fuzz [options]\n"
    "  --minutes M       run for M minutes; default 0.5\n"
    "  --seed N          seed of the cases; default: the time\n"
    "  --case K          run case K of the seed alone\n"
    "  --cases K         stop before case K\n"
    "  --operation LIST  of these operations alone, separated by commas\n"
    "  --with 'CHOICES'  run one case of the one operation, given as name=value name=value\n"
    "  --list            print the operations\n"
    "Exits with 0 where no case fails, 1 where one does, 77 without a device that it needs.\n";

/// The command-line options.
struct options {
  double minutes = 0.5;
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> single;
  std::uint64_t cases = ~std::uint64_t{0};
  std::string operations;
  std::optional<std::string> with;
};

/// Outcomes of an operation's cases.
struct statistics {
  std::uint64_t cases = 0;
  std::uint64_t refused = 0;
  std::uint64_t failed = 0;
  seconds time{0};
};

char position[96];  // position of the run at a fatal signal

/// Prints which case was running, once.
void print_running_case(const char* what) {
  static std::atomic_flag printed;
  if (printed.test_and_set()) return;
  for (const char* text : {"\nFAILED: ", what, ": ", static_cast<const char*>(position),
                           " --with '", running_case(), "'\n"}) {
    if (write(STDOUT_FILENO, text, std::strlen(text)) < 0) return;
  }
}

/// Prints which case was running, and ends the process.
void report_signal(int number) {
  print_running_case(number == SIGALRM ? "does not end" : "fatal signal");
  _exit(1);
}

/// Seconds that one case may take before it counts as hanging: a hundred times the slowest.
constexpr unsigned case_limit = 300;

void catch_signals() {
  std::signal(SIGALRM, report_signal);
  if (__sanitizer_set_death_callback != nullptr) {  // the sanitizer's own report comes first
    __sanitizer_set_death_callback([] { print_running_case("sanitizer"); });
    return;
  }
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    std::signal(number, report_signal);
}

bool is_asked_for(const options& asked, const char* name) {
  const std::string all = "," + asked.operations + ",";
  return asked.operations.empty() || all.find("," + std::string(name) + ",") != std::string::npos;
}

/// Runs one case, counts it, and reports a failure.
void run_case(const operation& op, draw& d, statistics& counts, const std::string& name) {
  std::snprintf(position, sizeof position, "%s --operation %s", name.c_str(), op.name);
  alarm(case_limit);
  const auto begin = clock::now();
  ++counts.cases;
  const outcome found = try_case(op, d);
  counts.time += clock::now() - begin;
  if (found.refused) ++counts.refused;
  if (!found.failed) return;
  std::printf("\nFAILED: %s --operation %s\n  %s\n  with %s\n", name.c_str(), op.name,
              found.message.c_str(), d.text().c_str());
  std::fflush(stdout);
  if (counts.failed++ > 0) return;  // one line per operation is enough
  alarm(0);
  const shrunk simplest = shrink(op, d.assigned(), found.message);
  std::printf("  %s\n  reproduce: tandem_fuzz --operation %s --with '%s'\n",
              simplest.message.c_str(), op.name, simplest.text.c_str());
  std::fflush(stdout);
}

assignment parse_choices(const std::string& text) {
  assignment given;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("no = in " + word);
    given[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return given;
}

/// The requested operations, with their counts.
using tally = std::vector<std::pair<operation, statistics>>;

void run_random(const options& asked, tally& all) {
  const auto end = clock::now() + seconds(60 * asked.minutes);
  const std::uint64_t first = asked.single.value_or(0);
  const std::uint64_t last = asked.single ? first + 1 : asked.cases;
  for (std::uint64_t k = first; k < last && clock::now() < end; ++k) {
    const std::uint64_t seed = test::mix(test::mix(asked.seed) ^ k);
    const std::size_t number = static_cast<std::size_t>(seed % operations().size());
    for (auto& [op, counts] : all) {
      if (std::strcmp(op.name, operations()[number].name) != 0) continue;
      draw d(seed);
      run_case(op, d, counts,
               "--seed " + std::to_string(asked.seed) + " --case " + std::to_string(k));
    }
  }
}

/// Prints the counts of each operation and returns the exit code.
int report(const tally& all) {
  statistics sum;
  std::printf("\n%-24s %10s %10s %8s %9s\n", "operation", "cases", "refused", "failed", "seconds");
  const auto print = [](const char* name, const statistics& s) {
    std::printf("%-24s %10llu %10llu %8llu %9.1f\n", name, static_cast<unsigned long long>(s.cases),
                static_cast<unsigned long long>(s.refused),
                static_cast<unsigned long long>(s.failed), s.time.count());
  };
  for (const auto& [op, counts] : all) {
    print(op.name, counts);
    sum.cases += counts.cases;
    sum.refused += counts.refused;
    sum.failed += counts.failed;
    sum.time += counts.time;
  }
  print("all", sum);
  return sum.failed == 0 && sum.cases > 0 ? 0 : 1;
}

int run_campaign(const options& asked) {
#ifdef TANDEM_TEST_CUDA
  if (cuda::devices().empty()) {
    std::printf("no CUDA device: no case was run\n");
    return 77;
  }
#endif
  catch_signals();
  tally all;
  for (const operation& op : operations()) {
    if (is_asked_for(asked, op.name)) all.push_back({op, {}});
  }
  std::printf("tandem_fuzz: seed %llu, %zu operations\n",
              static_cast<unsigned long long>(asked.seed), all.size());
  std::fflush(stdout);
  if (asked.with) {
    if (all.size() != 1) throw std::invalid_argument("--with needs one --operation");
    draw d(parse_choices(*asked.with));
    run_case(all[0].first, d, all[0].second, "given");
  } else {
    run_random(asked, all);
  }
  return report(all);
}

/// Reads the command line; prints the usage and exits if it is invalid.
options parse(int argc, char** argv) {
  options asked;
  asked.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                          std::chrono::seconds(1));
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--list") {
      for (const operation& op : operations()) std::printf("%s\n", op.name);
      std::exit(0);
    }
    if (i + 1 == argc || name.rfind("--", 0) != 0) {
      std::fputs(usage, name == "--help" ? stdout : stderr);
      std::exit(name == "--help" ? 0 : 2);
    }
    const std::string value = argv[++i];
    if (name == "--minutes")
      asked.minutes = std::stod(value);
    else if (name == "--seed")
      asked.seed = std::stoull(value);
    else if (name == "--case")
      asked.single = std::stoull(value);
    else if (name == "--cases")
      asked.cases = std::stoull(value);
    else if (name == "--operation")
      asked.operations = value;
    else if (name == "--with")
      asked.with = value;
    else
      throw std::invalid_argument("unknown option " + name);
  }
  return asked;
}

}  // namespace
}  // namespace tandem::fuzz

int main(int argc, char** argv) {
  try {
    return tandem::fuzz::run_campaign(tandem::fuzz::parse(argc, argv));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tandem_fuzz: %s\n", e.what());
    return 2;
  }
}
