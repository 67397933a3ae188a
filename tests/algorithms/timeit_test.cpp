// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"

#include <chrono>
#include <stdexcept>
#include <vector>

using namespace tandem::test;

namespace {

void wait_for_a_millisecond() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  while (std::chrono::steady_clock::now() < end) continue;
}

/// Calls with known seconds: 9 for the two that are not counted, then 8, 1, 4, 2, 8, 1, ...
struct known_calls {
  int number = 0;

  static double run(const void* object, tandem::index_t calls, double& device_seconds) {
    constexpr double seconds[] = {8, 1, 4, 2};
    const int call = static_cast<known_calls*>(const_cast<void*>(object))->number++;
    device_seconds = 0.5;
    return call < 2 ? 9 : seconds[(call - 2) % 4] * static_cast<double>(calls);
  }
};

}  // namespace

TEST_CASE_TEMPLATE("timeit: the time of one call, and the device's own where there is one", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  int calls = 0;
  const auto host = tandem::timeit(space,
                                   [&] {
                                     ++calls;
                                     wait_for_a_millisecond();
                                   },
                                   {.seconds = 0.02, .samples = 5});
  CHECK(host.seconds >= 1e-3);
  CHECK(host.spread >= 0);
  CHECK(host.samples == 5);
  CHECK(host.calls >= 1);
  CHECK(calls == 2 + host.samples * host.calls);
  tandem::array<float, 1, Space> x(tandem::extents<1>(1 << 16), space);
  const auto fill = tandem::timeit(space, [&](const Space& on) { tandem::fill(on, x, 1.0f); },
                                   {.seconds = 0.01, .samples = 3});
  CHECK(fill.seconds > 0);
  CHECK(to_host(space, x) == std::vector<float>(1 << 16, 1.0f));
  CHECK(fill.device_seconds.has_value() == !Space::memory_type::host_accessible);
  if (fill.device_seconds) CHECK(*fill.device_seconds > 0);
}

TEST_CASE("timeit: the median is not moved by one slow call, the spread by none") {
  int call = 0;
  const auto t = tandem::timeit(tandem::serial{},
                                [&] {
                                  for (int i = 0; i < (++call == 5 ? 30 : 1); ++i)
                                    wait_for_a_millisecond();
                                },
                                {.seconds = 0, .samples = 7});
  CHECK(t.calls == 1);
  CHECK(t.seconds < 0.015);
}

TEST_CASE("timeit: median and quarters lie between the samples next to them") {
  using tandem::detail::time_calls;
  known_calls four;
  const auto t = time_calls({&four, known_calls::run}, {.seconds = 0, .samples = 4}, true);
  CHECK(t.seconds == 3);
  CHECK(t.spread == 5 - 1.75);
  CHECK(t.calls == 1);
  CHECK(t.device_seconds == 0.5);
  known_calls many;
  const auto usual = time_calls({&many, known_calls::run}, {}, false);
  CHECK(usual.samples == 21);
  CHECK(many.number == 2 + 21);
  CHECK(!usual.device_seconds.has_value());
}

TEST_CASE("timeit: what it cannot measure is refused, what f throws comes out") {
  const tandem::serial space;
  CHECK_THROWS_AS(tandem::timeit(space, [] {}, {.samples = 0}), tandem::argument_error);
  CHECK_THROWS_AS(tandem::timeit(space, [] {}, {.seconds = -1}), tandem::argument_error);
  CHECK_THROWS_AS(tandem::timeit(space, [] { throw std::runtime_error("f"); }), std::runtime_error);
}
