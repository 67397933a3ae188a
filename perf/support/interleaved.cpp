// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/interleaved.hpp>

#include <perf/support/host_time.hpp>
#include <perf/support/result_file.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

namespace perf {

namespace {

/// Turns per candidate; fewer, but enough for a median, where they take long.
constexpr int repetitions = 40;
constexpr int fewest_repetitions = 7;
constexpr double most_seconds = 0.25;  // of one candidate's turns
/// Turns that take seconds are hardly disturbed, so fewer of them are enough.
constexpr int fewest_long_repetitions = 3;
constexpr double most_seconds_of_long = 3;
/// Seconds from which on a turn does not show how long its threads took to wake.
constexpr double longer_than_waking = 0.1;

/// Least seconds and most runs of one repetition: a device's events have a resolution of 0.5 us,
/// and a batch hides the latency of its first launch.
constexpr double batch_seconds = 250e-6;
constexpr int most_rounds = 50;
/// Least runs on a device, unless they take milliseconds: consecutive runs overlap at their ends.
constexpr int fewest_rounds = 4;
constexpr double long_seconds = 5e-3;
constexpr int most_rounds_on_host = 5000;  // no driver's queue to fill

/// Seconds for which a candidate runs before it is timed, to warm up clocks, pools and caches. The
/// first one of a process runs longer, since an idle machine needs time to raise its clocks.
constexpr double warm_seconds = 10e-3;
constexpr double first_seconds = 0.3;

/// Longer than the threads of OpenMP, which computes the references, and of OpenBLAS spin when they
/// run out of work: spinning, they would take time from what the host's clock measures.
constexpr std::chrono::milliseconds pause_for_threads{40};
/// Candidates with threads take several turns at a time, since each change costs that pause.
constexpr int threads_turns_at_once = 5;

std::set<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::set<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.insert(line);
  return lines;
}

/// The library whose threads a candidate runs on. tandem, Kokkos and hand-written loops share
/// OpenMP's team.
std::string threads_of(const benchmark& current) {
  if (current.backend != "openmp") return "";
  const std::set<std::string> in_team{"tandem", "raw", "max", "mt19937", "kokkos"};
  return in_team.count(current.implementation) != 0 ? "openmp" : current.implementation;
}

/// Seconds of one run, out of `rounds`.
double seconds_each(const candidate& made, std::int64_t first, int rounds) {
  if (made.device_seconds) return made.device_seconds(first, rounds) / rounds;
  const auto start = now();
  for (int r = 0; r < rounds; ++r) made.run(first + r);
  return seconds_since(start) / rounds;
}

}  // namespace

/// A candidate of the current problem and its measurements.
struct interleaved_runner::measured {
  const benchmark* of = nullptr;
  candidate made = {};
  std::string label = {};
  std::string failure = {};
  int rounds = 1;
  std::int64_t next = 0;
  std::vector<double> seconds = {};

  double median() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  bool differs() const { return of->same_bits && label.find("equal=no") != std::string::npos; }
};

interleaved_runner::interleaved_runner(const settings& chosen, const std::string& wanted)
    : interleaved_runner(chosen, [keys = lines_of(wanted)](const std::string& key) {
        return keys.count(key) > 0;
      }) {}

interleaved_runner::interleaved_runner(const settings& chosen,
                                       const std::function<bool(const std::string&)>& wanted)
    : cold_seconds_(first_seconds) {
  for (benchmark& current : listed_benchmarks(chosen)) {
    if (wanted(current.key())) benchmarks_.push_back(std::move(current));
  }
}

void interleaved_runner::prepare(measured& one, const benchmark& current) {
  try {
    one.made = current.make();
    if (one.made.check) one.label = checked(current, one.made, references_.of(current.problem));
  } catch (const std::exception& error) {
    one.failure = error.what();
  }
}

void interleaved_runner::warm_up(measured& one) {
  if (!one.failure.empty()) return;
  try {
    const auto start = now();
    do {
      one.made.run(one.next++);
    } while (seconds_since(start) < warm_seconds + cold_seconds_);
    cold_seconds_ = 0;
    double once = seconds_since(start) / static_cast<double>(one.next);
    if (once < batch_seconds) {  // again, without the cost of the clock and the fence
      once = seconds_each(one.made, one.next, 4);
      one.next += 4;
    }
    const bool on_device = one.of->backend == "cuda";
    const int fewest = on_device && once < long_seconds ? fewest_rounds : 1;
    const int most = on_device ? most_rounds : most_rounds_on_host;
    one.rounds = std::clamp(static_cast<int>(batch_seconds / std::max(once, 1e-9)), fewest, most);
  } catch (const std::exception& error) {
    one.failure = error.what();
  }
}

/// Waits until another library's threads from the last turn sleep, then wakes this candidate's by
/// an untimed run.
void interleaved_runner::make_room(measured& one) {
  const std::string threads = threads_of(*one.of);
  const bool others_spin = !busy_threads_.empty() && busy_threads_ != "tbb";
  if (threads != busy_threads_ && others_spin) std::this_thread::sleep_for(pause_for_threads);
  busy_threads_ = threads;
  const bool is_long = !one.seconds.empty() && one.seconds.back() > longer_than_waking;
  if (!threads.empty() && !is_long) one.made.run(one.next++);
}

void interleaved_runner::take_turn(measured& one) {
  const double spent = std::accumulate(one.seconds.begin(), one.seconds.end(), 0.0) * one.rounds;
  const std::size_t turns = one.seconds.size();
  const bool enough = (turns >= fewest_repetitions && spent > most_seconds) ||
                      (turns >= fewest_long_repetitions && spent > most_seconds_of_long);
  if (enough || !one.failure.empty()) return;
  try {
    make_room(one);
    one.seconds.push_back(seconds_each(one.made, one.next, one.rounds));
    one.next += one.rounds;
  } catch (const std::exception& error) {
    one.failure = error.what();
  }
}

void interleaved_runner::measure(std::vector<measured>& group) {
  for (measured& one : group) prepare(one, *one.of);
  const bool by_host = std::any_of(group.begin(), group.end(), [](const measured& one) {
    return one.of->timed_by == clock::host;
  });
  if (by_host) std::this_thread::sleep_for(pause_for_threads);
  for (measured& one : group) warm_up(one);
  busy_threads_ = threads_of(*group.back().of);
  take_turns(group);
  for (measured& one : group) one.made = {};
}

void interleaved_runner::take_turns(std::vector<measured>& group) {
  const bool have_threads = std::any_of(
      group.begin(), group.end(), [](const measured& one) { return one.of->backend == "openmp"; });
  const int at_once = have_threads ? threads_turns_at_once : 1;
  std::vector<std::size_t> order(group.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random;  // default seed: every run of the program has one order
  for (int r = 0; r < repetitions; r += at_once) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t whose : order) {
      for (int turn = 0; turn < at_once; ++turn) take_turn(group[whose]);
    }
  }
}

void interleaved_runner::write(const std::vector<measured>& group, result_file& file) {
  for (const measured& one : group) {
    const std::string candidate = one.of->implementation + " " + one.of->variant;
    if (!one.failure.empty()) {
      std::printf("    %-20s FAILED: %s\n", candidate.c_str(), one.failure.c_str());
      file.failed(*one.of, one.failure);
    } else {
      std::printf("    %-20s %12.2f us%s\n", candidate.c_str(), one.median() * 1e6,
                  one.differs() ? "  BITS DIFFER" : "");
      for (const double seconds : one.seconds) file.took(*one.of, seconds, one.label);
    }
  }
  std::fflush(stdout);
}

int interleaved_runner::run(const std::string& out) {
  result_file file(out);
  std::ptrdiff_t wrong = 0;
  for (auto first = benchmarks_.begin(); first != benchmarks_.end();) {
    const std::string key = first->problem.key();
    std::vector<measured> group;
    for (; first != benchmarks_.end() && first->problem.key() == key; ++first)
      group.push_back({.of = &*first});
    const auto start = now();
    measure(group);
    std::printf("%s  (%.1f s)\n", key.c_str(), seconds_since(start));
    write(group, file);
    file.keep();
    wrong += std::count_if(group.begin(), group.end(), [](const measured& one) {
      return !one.failure.empty() || one.differs();
    });
  }
  return static_cast<int>(wrong);
}

}  // namespace perf
