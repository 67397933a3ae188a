// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of a team: their order as docs/numerics.md states it, and what leaves a kernel early.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>

using namespace tandem::test;

namespace {

constexpr int teams = 5;

/// What a team's collectives give, of which each lane stores its own part.
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
      const float facts[6] = {largest, least.value, static_cast<float>(least.index), scanned, again, last};
      others(team, lane) = facts[lane % 6];
    });
  }
};

/// The aligned adjacent tree, stated by recursion: the largest power of two below count goes left.
float tree_sum(const float* x, int count) {
  if (count == 1) return x[0];
  int half = 1;
  while (2 * half < count) half *= 2;
  return tree_sum(x, half) + tree_sum(x + half, count - half);
}

/// Kogge-Stone over 32 lanes stated by recursion: what lane i has after `steps` steps.
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

/// Positions of the multiples of three, packed: a stream compaction by an exclusive scan.
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

}  // namespace

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
    matrix reduced(sizes, 0.0f, space), inclusive(sizes, 0.0f, space), exclusive(sizes, 0.0f, space),
        others(sizes, 0.0f, space);
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
    CHECK_THROWS_WITH_AS(take(8), "team: broadcast from lane 8 of 8", tandem::extent_error);
    CHECK_THROWS_AS(take(-1), tandem::extent_error);
  }
}
