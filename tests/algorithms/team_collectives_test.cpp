// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives and atomics of a team, early exits from kernels, and what kernels require.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <tandem/require_in_kernel.hpp>

using namespace tandem::test;

namespace {

constexpr int teams = 5;

/// Runs a team's collectives; each lane stores its part of the results.
template <class X, class Y>
struct all_collectives {
  X x;
  Y reduced, inclusive, exclusive, others;

  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    const tandem::index_t team = t.index();
    tandem::per_lane<float> mine(t);
    tandem::per_lane<float> up_to(t);
    tandem::per_lane<float> before(t);
    t.for_each_lane([&](int lane) { up_to[lane] = before[lane] = mine[lane] = x(team, lane); });
    const float total = t.reduce(mine);
    const float largest = t.reduce(mine, tandem::maximum<>{});
    const auto least = t.reduce(mine, tandem::minloc<float>{});
    const float scanned = t.inclusive_scan(up_to);
    const float again = t.exclusive_scan(before, tandem::sum<>{});
    const float last = t.broadcast(mine, t.lanes() - 1);
    t.for_each_lane([&](int lane) {
      reduced(team, lane) = total;
      inclusive(team, lane) = up_to[lane];
      exclusive(team, lane) = before[lane];
      const float facts[6] = {largest, least.value, static_cast<float>(least.index),
                              scanned, again,       last};
      others(team, lane) = facts[lane % 6];
    });
  }
};

/// Sums by the aligned adjacent tree, stated recursively: the largest power of two below count goes
/// left.
float tree_sum(const float* x, int count) {
  if (count == 1) return x[0];
  int half = 1;
  while (2 * half < count) half *= 2;
  return tree_sum(x, half) + tree_sum(x + half, count - half);
}

/// Computes what lane i has after `steps` steps of a Kogge-Stone scan over 32 lanes, stated
/// recursively.
float scanned_to(const float* group, int i, int steps) {
  if (steps == 0) return group[i];
  const int distance = 1 << (steps - 1);
  const float own = scanned_to(group, i, steps - 1);
  return i < distance ? own : scanned_to(group, i - distance, steps - 1) + own;
}

std::vector<float> inclusive_sums(const float* x, int count) {
  std::vector<float> result;
  float before = 0;
  for (int i = 0; i < count; ++i) {
    const int first = i / 32 * 32;
    const float own = scanned_to(x + first, i - first, 5);
    result.push_back(first > 0 ? before + own : own);
    if (i % 32 == 31) before = result.back();
  }
  return result;
}

template <class Y>
struct leave_early {
  Y y;

  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    if (t.index() % 3 == 1) return;
    tandem::per_lane<int> left(t);
    t.for_each_lane([&](int lane) { left[lane] = lane % 7; });
    int rounds = 0;
    tandem::per_lane<bool> is_busy(t, true);
    while (t.any(is_busy)) {
      ++rounds;
      t.for_each_lane([&](int lane) {
        if (left[lane] > 0) --left[lane];
        is_busy[lane] = left[lane] > 0;
      });
    }
    tandem::per_lane<bool> is_low(t);
    t.for_each_lane([&](int lane) { is_low[lane] = lane < 32; });
    if (!t.all(is_low)) rounds += 100;
    if (rounds > 100) return;
    t.for_each_lane([&](int lane) {
      if (lane == 0) y(t.index()) = rounds;
    });
  }
};

/// Packs the positions of the multiples of three: a stream compaction by an exclusive scan.
template <class Y>
struct pack_threes {
  Y y;

  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    tandem::per_lane<int> place(t);
    t.for_each_lane([&](int lane) { place[lane] = lane % 3 == 0 ? 1 : 0; });
    const int count = t.exclusive_scan(place);
    t.for_each_lane([&](int lane) {
      if (lane % 3 == 0) y(t.index(), place[lane]) = lane;
      if (lane == 0) y(t.index(), t.lanes() - 1) = -count;
    });
  }
};

template <class X>
struct halve_even {
  X x;

  TANDEM_FUNCTION void operator()(int i) const {
    tandem::require_in_kernel(x(i) % 2 == 0, "an even number", x(i));
    x(i) /= 2;
  }
};

/// Counts a team's items by atomics among its lanes, and stores the results of the other atomic
/// operations.
template <class X, class Y>
struct count_in_team {
  X x;
  Y y;

  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    constexpr auto team = tandem::scope::team;
    const auto bins = t.shared<unsigned>(16);
    const auto reals = t.shared<float>(2);
    t.for_each(16, [&](int i) { bins(i) = i == 10 || i == 12 ? 0xffffffffu : 0; });
    t.for_each(2, [&](int i) { reals(i) = 0; });
    t.for_each(x.extent(1), [&](tandem::index_t i) {
      const auto value = static_cast<unsigned>(x(t.index(), i));
      tandem::atomic_add(bins(value % 8), 1u, team);
      tandem::atomic_max(bins(8), value, team);
      tandem::atomic_or(bins(9), value, team);
      tandem::atomic_and(bins(10), ~value, team);
      tandem::atomic_xor(bins(11), value, team);
      tandem::atomic_min(bins(12), value, team);
      if (tandem::atomic_compare_exchange(bins(13), 0u, 7u, team) == 0)
        tandem::atomic_exchange(bins(14), 9u, team);
      tandem::atomic_add(reals(0), 0.5f, team);
      tandem::atomic_max(reals(1), static_cast<float>(value), team);
    });
    t.for_each(18, [&](int i) {
      y(t.index(), i) = i < 16 ? bins(i) : static_cast<unsigned>(2 * reals(i - 16));
    });
  }
};

}  // namespace

TEST_CASE_TEMPLATE("require_in_kernel: what fails is thrown, and the space works on", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const int n = 5000;
  std::vector<int> values(n, 6);
  auto x = to_space(space, values);
  const halve_even<decltype(x.view())> kernel{x.view()};
  const auto run = [&] {
    tandem::parallel_for(space, n, kernel);
    space.fence();
  };
  run();
  CHECK(to_host(space, x) == std::vector<int>(n, 3));
  values[4321] = 35;
  tandem::copy(space, values, x);
  space.fence();
  bool was_thrown = false;
  try {
    run();
  } catch (const tandem::requirement_error& e) {
    was_thrown = true;
    CHECK(e.text() == "an even number");
    CHECK(e.value() == "35");
    const std::string message = e.what();
    CAPTURE(message);
    CHECK(message.find("require_in_kernel: an even number (value 35) at ") == 0);
    CHECK(e.place().find("team_collectives_test.cpp:") != std::string::npos);
    CHECK(e.place().find("parallel_for (kernel ") != std::string::npos);
    CHECK(e.place().find("halve_even") != std::string::npos);
    const bool is_on_host = Backend::space::memory_type::host_accessible;
    const std::string who = is_on_host ? ", i = 4321" : ", block (";
    CHECK(e.place().find(who) != std::string::npos);
  }
  CHECK(was_thrown);
  tandem::copy(space, std::vector<int>(n, 8), x);
  run();
  CHECK(to_host(space, x) == std::vector<int>(n, 4));
}

TEST_CASE_TEMPLATE("require_in_kernel: a team's message names kernel and team", Backend,
                   TANDEM_TEST_BACKENDS) {
  if constexpr (Backend::space::memory_type::host_accessible) {
    const auto run = [space = Backend::make()] {
      tandem::parallel_teams(space, {8, 4, 0}, [](tandem::team& t) {
        t.for_each_lane([&](int lane) {
          tandem::require_in_kernel(t.index() != 5 || lane != 2, "no failure", lane);
        });
      });
    };
    CHECK_THROWS_WITH_AS(run(), doctest::Contains("parallel_teams (kernel "),
                         tandem::requirement_error);
    CHECK_THROWS_WITH_AS(run(), doctest::Contains(", team 5"), tandem::requirement_error);
  }
}

TEST_CASE_TEMPLATE("team: collectives combine in the order that numerics.md states", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using matrix = tandem::array<float, 2, typename Backend::space>;
  for (const int lanes : {1, 2, 31, 32, 33, 64, 100, 257, 1000, 1024}) {
    CAPTURE(lanes);
    const auto values = random_values<float>(static_cast<std::size_t>(teams * lanes), 17);
    const tandem::extents<2> sizes(teams, lanes);
    matrix x(sizes, space);
    const tandem::view<const float, 2, tandem::layout_right, tandem::host_memory> source(
        values.data(), sizes);
    tandem::copy(space, source, x);
    matrix reduced(sizes, 0.0f, space), inclusive(sizes, 0.0f, space),
        exclusive(sizes, 0.0f, space), others(sizes, 0.0f, space);
    tandem::parallel_teams(
        space, {teams, lanes, 0},
        all_collectives<decltype(x.const_view()), decltype(x.view())>{
            x.const_view(), reduced.view(), inclusive.view(), exclusive.view(), others.view()});
    const auto totals = to_host(space, reduced);
    const auto prefixes = to_host(space, inclusive);
    const auto shifted = to_host(space, exclusive);
    const auto facts = to_host(space, others);
    int wrong = 0;
    for (int team = 0; team < teams; ++team) {
      const auto first = static_cast<std::size_t>(team * lanes);
      const float* const own = values.data() + first;
      const auto wanted = inclusive_sums(own, lanes);
      int least = 0;
      float most = own[0];
      for (int i = 0; i < lanes; ++i) {
        if (own[i] < own[least]) least = i;
        if (own[i] > most) most = own[i];
      }
      const float expected[6] = {most,          own[least],    static_cast<float>(least),
                                 wanted.back(), wanted.back(), own[lanes - 1]};
      for (int lane = 0; lane < lanes; ++lane) {
        const auto i = first + static_cast<std::size_t>(lane);
        const float prior = lane > 0 ? wanted[static_cast<std::size_t>(lane - 1)] : 0.0f;
        wrong += same_bits(totals[i], tree_sum(own, lanes)) ? 0 : 1;
        wrong += same_bits(prefixes[i], wanted[static_cast<std::size_t>(lane)]) ? 0 : 1;
        wrong += same_bits(shifted[i], prior) ? 0 : 1;
        wrong += same_bits(facts[i], expected[lane % 6]) ? 0 : 1;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE_TEMPLATE("team: a kernel may return, or end a loop, where all its lanes do", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const int lanes : {5, 32, 64}) {
    tandem::array<int, 1, typename Backend::space> y(tandem::extents<1>(10), -1, space);
    tandem::parallel_teams(space, {10, lanes, 0}, leave_early<decltype(y.view())>{y.view()});
    const auto got = to_host(space, y);
    const int rounds = lanes == 64 ? -1 : lanes == 5 ? 4 : 6;
    for (int team = 0; team < 10; ++team)
      CHECK(got[static_cast<std::size_t>(team)] == (team % 3 == 1 ? -1 : rounds));
  }
}

TEST_CASE_TEMPLATE("team: an exclusive scan packs what lanes keep", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const int lanes = 200;
  tandem::array<int, 2, typename Backend::space> y(tandem::extents<2>(3, lanes), -1, space);
  tandem::parallel_teams(space, {3, lanes, 0}, pack_threes<decltype(y.view())>{y.view()});
  const auto got = to_host(space, y);
  for (std::size_t team = 0; team < 3; ++team) {
    CHECK(got[team * 200 + 199] == -67);
    for (std::size_t i = 0; i < 67; ++i) CHECK(got[team * 200 + i] == static_cast<int>(3 * i));
  }
}

TEST_CASE_TEMPLATE("team: atomics among the lanes of a team", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const int items = 1000;
  const auto values = random_below<int>(4 * items, 5000, 8);
  tandem::array<int, 2, typename Backend::space> x(tandem::extents<2>(4, items), space);
  const tandem::view<const int, 2, tandem::layout_right, tandem::host_memory> source(
      values.data(), tandem::extents<2>(4, items));
  tandem::copy(space, source, x);
  tandem::array<unsigned, 2, typename Backend::space> y(tandem::extents<2>(4, 18), 0u, space);
  tandem::parallel_teams(
      space, {4, 96, 256},
      count_in_team<decltype(x.const_view()), decltype(y.view())>{x.const_view(), y.view()});
  const auto got = to_host(space, y);
  for (std::size_t team = 0; team < 4; ++team) {
    std::vector<unsigned> wanted(18, 0u);
    wanted[10] = wanted[12] = 0xffffffffu;
    for (std::size_t i = 0; i < items; ++i) {
      const auto value = static_cast<unsigned>(values[team * items + i]);
      ++wanted[value % 8];
      wanted[8] = std::max(wanted[8], value);
      wanted[9] |= value;
      wanted[10] &= ~value;
      wanted[11] ^= value;
      wanted[12] = std::min(wanted[12], value);
    }
    wanted[13] = 7;
    wanted[14] = 9;
    wanted[16] = items;
    wanted[17] = 2 * wanted[8];
    CHECK(std::vector<unsigned>(got.begin() + static_cast<long>(18 * team),
                                got.begin() + static_cast<long>(18 * team + 18)) == wanted);
  }
}

TEST_CASE_TEMPLATE("team: broadcast refuses a lane that the team does not have", Backend,
                   TANDEM_TEST_BACKENDS) {
  if constexpr (Backend::space::memory_type::host_accessible) {
    const auto take = [space = Backend::make()](int lane) {
      tandem::parallel_teams(space, {2, 8, 0}, [=](tandem::team& t) {
        tandem::per_lane<int> mine(t, 1);
        if (t.broadcast(mine, lane) != 1) throw tandem::argument_error("test: another value");
      });
    };
    take(7);
    CHECK_THROWS_WITH_AS(take(8), doctest::Contains("team: broadcast from lane 8 of 8; in "),
                         tandem::extent_error);
    CHECK_THROWS_WITH_AS(take(8), doctest::Contains("parallel_teams (kernel "),
                         tandem::extent_error);
    CHECK_THROWS_AS(take(-1), tandem::extent_error);
  }
}

#if TANDEM_CHECKED == 1
TEST_CASE_TEMPLATE("team: a checked build refuses phases and collectives inside a phase", Backend,
                   TANDEM_TEST_BACKENDS) {
  if constexpr (Backend::space::memory_type::host_accessible) {
    const auto space = Backend::make();
    const auto nested_phase = [](tandem::team& t) {
      t.for_each_lane([&](int) { t.for_each(3, [](int) {}); });
    };
    const auto nested_sum = [](tandem::team& t) {
      tandem::per_lane<int> mine(t);
      t.for_each_lane([&](int) { t.reduce(mine); });
    };
    const auto nested_scratch = [](tandem::team& t) {
      t.for_each_lane([&](int) { t.scratch<int>(1); });
    };
    const auto check = [&](const auto& kernel, const std::string& what) {
      const auto run = [&] { tandem::parallel_teams(space, {1, 4, 64}, kernel); };
      CHECK_THROWS_WITH_AS(run(),
                           doctest::Contains(("team: " + what +
                                              " inside a phase: the team calls it, not a "
                                              "lane; in lane 0; in parallel_teams (kernel ")
                                                 .c_str()),
                           tandem::kernel_error);
      CHECK_THROWS_WITH_AS(run(), doctest::Contains("), team 0"), tandem::kernel_error);
    };
    check(nested_phase, "for_each");
    check(nested_sum, "reduce");
    check(nested_scratch, "scratch");
    CHECK_THROWS_AS(
        tandem::parallel_teams(space, {1, 4, std::size_t{228} << 10}, [](tandem::team&) {}),
        tandem::argument_error);
  }
}
#endif

TEST_CASE("require_in_kernel: a requirement without a text fails as others do") {
  CHECK_THROWS_WITH_AS(tandem::require_in_kernel(false, nullptr, 7),
                       doctest::Contains("no text (value 7)"), tandem::requirement_error);
}
