// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/support/runner.hpp>

#include <perf/support/host_time.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

namespace perf {

namespace {

/// Idle threads of OpenBLAS and OpenMP spin for a while before they sleep, and would take time from
/// the next candidate.
constexpr std::chrono::milliseconds pause_between_candidates{40};

/// Least device time between two events; in shorter intervals the events' resolution of 0.5 us
/// shows.
constexpr double device_batch_seconds = 100e-6;
constexpr int most_rounds = 20;

/// Least duration of one repetition. Repetitions by the device's clock are shorter, since the host
/// spends several times as long on launching them; a serial baseline needs only a rough figure.
double minimum_seconds(const benchmark& current, const settings& chosen) {
  if (chosen.quick) return current.timed_by == clock::device ? 0.001 : 0.004;
  if (current.backend == "serial") return 0.02;
  return current.timed_by == clock::device ? 0.006 : 0.04;
}

int repetitions(const benchmark& current, const settings& chosen) {
  const bool takes_seconds = current.backend == "serial" && current.problem.flops > 1e9;
  if (takes_seconds) return 1;
  const bool waits_for_link = current.variant == "pageable" || current.variant == "pinned";
  const bool is_long_sort = current.backend == "openmp" && current.problem.algorithm == "sort" &&
                            current.problem.elements >= 1 << 26;  // up to 3 s each
  const bool takes_three = chosen.quick || waits_for_link || is_long_sort;
  return takes_three || current.backend == "serial" ? 3 : 5;
}

}  // namespace

runner::runner(const settings& chosen) : chosen_(chosen), benchmarks_(listed_benchmarks(chosen)) {}

void runner::register_benchmarks() {
  for (const benchmark& current : benchmarks_) {
    auto* registered = ::benchmark::RegisterBenchmark(
        current.key().c_str(),
        [this, &current](::benchmark::State& state) { measure(state, current); });
    // On the host the whole loop is timed, so that reading the clock costs a short run nothing.
    current.timed_by == clock::device ? registered->UseManualTime() : registered->UseRealTime();
    registered->MinTime(minimum_seconds(current, chosen_))
        ->Repetitions(repetitions(current, chosen_));
  }
}

void runner::release() { active_ = {}; }

void runner::stop() noexcept { stopped_ = 1; }

void runner::measure(::benchmark::State& state, const benchmark& current) {
  if (stopped_ != 0) {
    state.SkipWithError("interrupted");
    return;
  }
  if (active_.of != &current) activate(current);
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
  state.counters["elements"] = current.problem.elements;
  state.counters["bytes"] = current.problem.bytes;
  state.counters["flops"] = current.problem.flops;
  state.SetLabel(active_.label);
}

/// Prepares a benchmark once: Google Benchmark calls measure() per repetition and per estimate of
/// the number of iterations.
void runner::activate(const benchmark& current) {
  release();
  active_.of = &current;
  try {
    std::this_thread::sleep_for(pause_between_candidates);
    const reference& wanted = references_.of(current.problem);
    active_.made = current.make();
    const auto start = now();
    active_.label = checked(current, active_.made, wanted);
    warm_up(current, seconds_since(start));
  } catch (const std::exception& error) {
    active_.failure = error.what();
  }
}

/// Warms up clocks, caches and pools unless the check has lasted long enough to do so, and
/// determines how many runs fill a batch of device time.
void runner::warm_up(const benchmark& current, double seconds_so_far) {
  const double enough = chosen_.quick ? 0.002 : current.backend == "cuda" ? 0.02 : 0.005;
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
