// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups take the place of a space in timeit(), and pass labels on to their members.

#include <string>

#include "distributed/support.hpp"

using namespace tandem::test;

TEST_CASE_TEMPLATE("groups: timeit gives the host's time and that of the slowest member", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  (void)Backend::make();
  const auto members = tandem::shards<Space>(3);
  tandem::sharded<float, 1, Space> x({1 << 16}, members);
  int calls = 0;
  const auto alone = tandem::timeit(members,
                                    [&] {
                                      ++calls;
                                      tandem::fill(members, x, 1.0f);
                                    },
                                    {.seconds = 0.01, .samples = 3});
  CHECK(alone.seconds > 0);
  CHECK(alone.samples == 3);
  CHECK(calls == 2 + alone.samples * alone.calls);
  CHECK(alone.device_seconds.has_value() == !Space::memory_type::host_accessible);
  const auto with =
      tandem::timeit(members, [&](const tandem::group<Space>& on) { tandem::fill(on, x, 2.0f); },
                     {.seconds = 0.01, .samples = 3});
  CHECK(with.seconds > 0);
  CHECK(tandem::to_vector(members, x).back() == 2);
}

TEST_CASE("groups: the time between two events is the longest one of a member") {
  const auto event = [](std::int64_t first, std::int64_t second) {
    std::vector<tandem::host_event> events;
    events.emplace_back(first);
    events.emplace_back(second);
    return tandem::group_event<tandem::serial>(std::move(events));
  };
  CHECK(tandem::elapsed_ms(event(0, 1000000), event(2000000, 6000000)) == 5);
  CHECK(tandem::elapsed_ms(event(0, 1000000), event(7000000, 6000000)) == 7);
}

TEST_CASE_TEMPLATE("groups: members have the label of their group", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  (void)Backend::make();
  const auto members = tandem::shards<Space>(2);
  const auto named = members.named("advect");
  CHECK(members.member(1).label() == nullptr);
  CHECK(std::string(named.member(0).label()) == "advect");
  CHECK(std::string(named.member(1).label()) == "advect");
  tandem::sharded<float, 1, Space> x({1000}, members);
  tandem::fill(named, x, 3.0f);
  CHECK(tandem::to_vector(named, x) == std::vector<float>(1000, 3.0f));
  std::vector<int> counts(3);
  CHECK_THROWS_WITH_AS(tandem::histogram(named, x, {.lo = 2, .hi = 1}, counts),
                       doctest::Contains("advect (histogram): "), tandem::argument_error);
}
