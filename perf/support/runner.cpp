// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/runner.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <numeric>
#include <random>
#include <set>
#include <thread>

namespace perf {

namespace {

using host_time = std::chrono::steady_clock::time_point;

host_time now() { return std::chrono::steady_clock::now(); }
double seconds_since(host_time start) {
  return std::chrono::duration<double>(now() - start).count();
}

/// How long a turn lasts and how many turns a candidate takes: `turns`, but only `fewest` if these
/// take longer than `most_seconds`, and only `fewest_long` if they take longer than `long_seconds`.
struct pace {
  double turn_seconds;
  int turns;
  int fewest = 3;
  double most_seconds = 0.25;
  int fewest_long = 3;
  double long_seconds = 3;
};

/// Turns are batches of 250 us, since a device's events have a resolution of 0.5 us and a batch
/// hides the latency of its first launch. One by one, a candidate takes fewer and longer turns; a
/// baseline of one thread needs only a rough figure.
pace pace_of(const benchmark& current, const settings& chosen, bool in_turns) {
  if (in_turns) return {.turn_seconds = 250e-6, .turns = 40, .fewest = 7};
  const bool on_device = current.timed_by == clock::device;
  if (chosen.quick) return {.turn_seconds = on_device ? 0.001 : 0.004, .turns = 3};
  if (current.backend == "serial" || current.variant == "threads_1")
    return {.turn_seconds = 0.02, .turns = 3, .fewest_long = 1, .long_seconds = 1};
  return {.turn_seconds = on_device ? 0.006 : 0.04, .turns = 5};
}

/// Most runs of a batch: on a device they must fit the driver's queue.
constexpr int most_rounds = 50;
constexpr int most_rounds_on_host = 100'000;
/// Least runs on a device, unless they take milliseconds: consecutive runs overlap at their ends.
constexpr int fewest_rounds = 4;
constexpr double long_run = 5e-3;
/// Seconds beyond which a turn does not show how long its threads took to wake.
constexpr double longer_than_waking = 0.1;

/// Seconds for which a candidate runs before it is timed, to warm up clocks, pools and caches. The
/// first one of a process runs longer, since an idle machine needs time to raise its clocks.
double warm_up_seconds(bool is_cold, bool quick) { return quick ? 2e-3 : is_cold ? 0.31 : 10e-3; }

/// Longer than the threads of OpenMP, which computes the references, and of OpenBLAS spin when they
/// run out of work: spinning, they would take time from what the host's clock measures.
constexpr std::chrono::milliseconds pause_for_threads{40};
/// Candidates with threads take several turns at a time, since each change costs that pause.
constexpr int threads_turns_at_once = 5;

/// The library whose threads a candidate runs on. tandem, Kokkos and hand-written loops share
/// OpenMP's team.
std::string threads_of(const benchmark& current) {
  if (current.backend != "openmp") return "";
  const std::set<std::string> in_team{"tandem", "raw", "raw_tuned", "max", "mt19937", "kokkos"};
  return in_team.count(current.implementation) != 0 ? "openmp" : current.implementation;
}

/// Seconds of one run: the mean of batches of `rounds` until they take half of `least` seconds.
double seconds_each(const candidate& made, std::int64_t& next, int rounds, double least) {
  double total = 0;
  std::int64_t runs = 0;
  do {
    const auto start = now();
    if (made.device_seconds) {
      total += made.device_seconds(next, rounds);
    } else {
      for (int r = 0; r < rounds; ++r) made.run(next + r);
      total += seconds_since(start);
    }
    next += rounds;
    runs += rounds;
  } while (total < least / 2);
  return total / static_cast<double>(runs);
}

}  // namespace

double runner::measured::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

bool runner::measured::differs() const {
  return of->same_bits && label.find("equal=no") != std::string::npos;
}

template <class Step>
void runner::measured::attempt(const Step& step) {
  if (!failure.empty()) return;
  try {
    step();
  } catch (const std::exception& error) {
    failure = error.what();
  }
}

void runner::prepare(measured& one) {
  one.attempt([&] {
    const benchmark& current = *one.of;
    one.made = current.make();
    if (one.made.check) one.label = checked(current, one.made, references_.of(current.problem));
  });
}

void runner::warm_up(measured& one) {
  one.attempt([&] {
    const double least = pace_of(*one.of, chosen_, in_turns_).turn_seconds;
    const double enough = warm_up_seconds(is_cold_, chosen_.quick);
    const auto start = now();
    do {
      one.made.run(one.next++);
    } while (seconds_since(start) < enough);
    is_cold_ = false;
    double once = seconds_since(start) / static_cast<double>(one.next);
    // Again, without the cost of the clock and the fence.
    if (once < least) once = seconds_each(one.made, one.next, 4, 0);
    const bool on_device = one.of->backend == "cuda";
    const int fewest = on_device && once < long_run ? fewest_rounds : 1;
    const int most = on_device ? most_rounds : most_rounds_on_host;
    one.rounds =
        static_cast<int>(std::clamp(least / std::max(once, 1e-9), double(fewest), double(most)));
  });
}

/// Waits until another library's threads from the last turn sleep, then wakes this candidate's by
/// an untimed run.
void runner::make_room(measured& one) {
  const std::string threads = threads_of(*one.of);
  const bool others_spin = !busy_threads_.empty() && busy_threads_ != "tbb";
  if (threads != busy_threads_ && others_spin) std::this_thread::sleep_for(pause_for_threads);
  busy_threads_ = threads;
  const bool is_long = !one.seconds.empty() && one.seconds.back() > longer_than_waking;
  if (!threads.empty() && !is_long) one.made.run(one.next++);
}

bool runner::has_enough(const measured& one) const {
  const pace limits = pace_of(*one.of, chosen_, in_turns_);
  const double spent = std::accumulate(one.seconds.begin(), one.seconds.end(), 0.0) * one.rounds;
  const auto turns = static_cast<int>(one.seconds.size());
  return turns >= limits.turns || (turns >= limits.fewest && spent > limits.most_seconds) ||
         (turns >= limits.fewest_long && spent > limits.long_seconds);
}

void runner::take_turn(measured& one) {
  if (has_enough(one)) return;
  one.attempt([&] {
    make_room(one);
    const double least = in_turns_ ? 0 : pace_of(*one.of, chosen_, false).turn_seconds;
    one.seconds.push_back(seconds_each(one.made, one.next, one.rounds, least));
  });
}

/// Takes all turns of all candidates in a random order that changes per round: a candidate that
/// runs right after one that heats the machine finds a lower clock, and should not do so every
/// time.
void runner::take_turns(std::vector<measured>& group) {
  const bool have_threads = std::any_of(
      group.begin(), group.end(), [](const measured& one) { return one.of->backend == "openmp"; });
  const int at_once = have_threads ? threads_turns_at_once : 1;
  const int turns = pace_of(*group.front().of, chosen_, in_turns_).turns;
  std::vector<std::size_t> order(group.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random;  // default seed: every run of the program has one order
  for (int r = 0; r < turns; r += at_once) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t whose : order) {
      for (int turn = 0; turn < at_once; ++turn) take_turn(group[whose]);
    }
  }
}

void runner::measure(std::vector<measured>& group) {
  for (measured& one : group) prepare(one);
  const bool by_host = std::any_of(group.begin(), group.end(), [](const measured& one) {
    return one.of->timed_by == clock::host;
  });
  if (by_host) std::this_thread::sleep_for(pause_for_threads);
  for (measured& one : group) warm_up(one);
  busy_threads_ = threads_of(*group.back().of);
  take_turns(group);
  for (measured& one : group) one.made = {};
}

void runner::report(const std::vector<measured>& group, result_file& out) {
  const problem& solved = group.front().of->problem;
  if (solved.key() != heading_) std::printf("%s\n", solved.key().c_str());
  heading_ = solved.key();
  const double amount = solved.flops > 0 ? solved.flops : solved.bytes;
  const char* const unit = solved.flops > 0 ? "GFLOP/s" : "GB/s";
  for (const measured& one : group) {
    const benchmark& of = *one.of;
    std::printf("    %-7s %-13s %-10s ", of.backend.c_str(), of.implementation.c_str(),
                of.variant.c_str());
    if (!one.failure.empty()) {
      std::printf("FAILED: %s\n", one.failure.c_str());
      out.failed(of, one.failure);
      continue;
    }
    std::printf("%12.2f us", one.median() * 1e6);
    if (amount > 0) std::printf("  %9.1f %s", amount / one.median() * 1e-9, unit);
    std::printf("%s\n", one.differs() ? "  BITS DIFFER" : "");
    for (const double seconds : one.seconds) out.took(of, seconds, one.label);
  }
  std::fflush(stdout);
  out.keep();
}

int runner::run(const std::vector<benchmark>& benchmarks, result_file& out) {
  std::ptrdiff_t wrong = 0;
  for (auto first = benchmarks.begin(); first != benchmarks.end() && stopped_ == 0;) {
    const std::string key = first->problem.key();
    std::vector<measured> group;
    do {
      group.push_back({.of = &*first++});
    } while (in_turns_ && first != benchmarks.end() && first->problem.key() == key);
    measure(group);
    report(group, out);
    wrong += std::count_if(group.begin(), group.end(), [](const measured& one) {
      return !one.failure.empty() || one.differs();
    });
  }
  return static_cast<int>(wrong);
}

}  // namespace perf
