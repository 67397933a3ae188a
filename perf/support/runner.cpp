// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/runner.hpp>

#include <perf/support/host_time.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

namespace perf {

namespace {

/// An OpenBLAS or OpenMP thread that has run out of work spins for about 30 ms and would take time
/// from the next contender.
constexpr std::chrono::milliseconds pause_between_contenders{40};

/// Seconds of device time between two events: short of it the events' own resolution of 0.5 us
/// shows.
constexpr double device_batch_seconds = 100e-6;
constexpr int most_rounds = 20;

/// Time that one repetition lasts at least. A device's clock gets less, since the host spends
/// several times as much on launching what it counts; a serial baseline needs no more than a rough
/// figure.
double minimum_seconds(const entry& line, const settings& chosen) {
  if (chosen.quick) return line.timed_by == clock::device ? 0.001 : 0.004;
  if (line.where == "serial") return 0.02;
  return line.timed_by == clock::device ? 0.006 : 0.04;
}

int repetitions(const entry& line, const settings& chosen) {
  const bool takes_seconds = line.where == "serial" && line.problem.flops > 1e9;
  if (takes_seconds) return 1;
  const bool waits_for_link = line.how == "pageable" || line.how == "pinned";
  return chosen.quick || waits_for_link || line.where == "serial" ? 3 : 5;
}

}  // namespace

runner::runner(const settings& chosen) : chosen_(chosen), entries_(listed_entries(chosen)) {}

void runner::register_entries() {
  for (const entry& line : entries_) {
    auto* registered = benchmark::RegisterBenchmark(
        line.key().c_str(), [this, &line](benchmark::State& state) { measure(state, line); });
    // On the host the whole loop is timed, so that the clock's own cost does not show at 1 us.
    line.timed_by == clock::device ? registered->UseManualTime() : registered->UseRealTime();
    registered->MinTime(minimum_seconds(line, chosen_))->Repetitions(repetitions(line, chosen_));
  }
}

void runner::release() { active_ = {}; }

void runner::measure(benchmark::State& state, const entry& line) {
  if (active_.of != &line) activate(line);
  if (!active_.failure.empty()) {
    state.SkipWithError(active_.failure.c_str());
    return;
  }
  std::int64_t round = 0;
  if (active_.made.device_seconds) {
    for (auto _ : state) {
      state.SetIterationTime(active_.made.device_seconds(round, active_.rounds) / active_.rounds);
      round += active_.rounds;
    }
  } else {
    for (auto _ : state) active_.made.run(round++);
  }
  state.counters["elements"] = line.problem.elements;
  state.counters["bytes"] = line.problem.bytes;
  state.counters["flops"] = line.problem.flops;
  state.SetLabel(active_.label);
}

/// Google Benchmark calls measure() once for each repetition and for each guess at the number of
/// iterations; what is slow and the same for all of them is done here, once.
void runner::activate(const entry& line) {
  release();
  active_.of = &line;
  try {
    std::this_thread::sleep_for(pause_between_contenders);
    const reference& wanted = references_.of(line.problem);
    active_.made = line.make();
    const auto start = now();
    active_.label = checked(line, active_.made, wanted);
    warm_up(line, seconds_since(start));
  } catch (const std::exception& error) {
    active_.failure = error.what();
  }
}

/// Brings clocks, caches and pools to their working state, unless the check has lasted long enough
/// to do so, and finds out how many runs fill a batch of device time.
void runner::warm_up(const entry& line, double seconds_so_far) {
  const double enough = chosen_.quick ? 0.002 : line.where == "cuda" ? 0.02 : 0.005;
  const auto start = now();
  for (std::int64_t round = 1; seconds_so_far + seconds_since(start) < enough; ++round)
    active_.made.run(round);
  if (!active_.made.device_seconds) return;
  active_.made.device_seconds(0, 1);
  const double once = active_.made.device_seconds(1, 4) / 4;
  active_.rounds =
      std::clamp(static_cast<int>(device_batch_seconds / std::max(once, 1e-9)), 1, most_rounds);
}

}  // namespace perf
