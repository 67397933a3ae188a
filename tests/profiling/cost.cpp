// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of reporting operations to profilers if none is loaded: the time of a loop of one index
// with and without the object that reports it.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include <tandem/tandem.hpp>

namespace {

using tandem::detail::profile_kind;

constexpr int calls = 20000;
constexpr int rounds = 101;
constexpr double most_ns = 2.0;  // per operation, begin and end together

/// The loop's body: an increment in memory, which no compiler removes.
struct increment {
  volatile int* count;
  void operator()(int) const { *count = *count + 1; }
};

[[gnu::noinline]] void silent_loop(const tandem::serial& space, const increment& f) {
  dispatch_for(space, "increment", tandem::range{0, 1}, f);
}

[[gnu::noinline]] void reported_loop(const tandem::serial& space, const increment& f) {
  const tandem::detail::profiled region(space, "increment", profile_kind::loop, {1});
  dispatch_for(space, "increment", tandem::range{0, 1}, f);
}

template <class Loop>
double nanoseconds_per_call(const Loop& loop) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) loop();
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  return time.count() / calls;
}

}  // namespace

int main() {
  const tandem::serial space;
  volatile int count = 0;
  const increment f{&count};
  double silent = std::numeric_limits<double>::infinity();
  double reported = silent;
  for (int round = 0; round < rounds; ++round) {
    silent = std::min(silent, nanoseconds_per_call([&] { silent_loop(space, f); }));
    reported = std::min(reported, nanoseconds_per_call([&] { reported_loop(space, f); }));
  }
  const double cost = reported - silent;
  std::printf("%.2f ns without the report, %.2f with it: %.2f ns per operation, at most %.0f\n",
              silent, reported, cost, most_ns);
  const bool called = count == 2 * calls * rounds;
  return called && cost <= most_ns ? EXIT_SUCCESS : EXIT_FAILURE;
}
