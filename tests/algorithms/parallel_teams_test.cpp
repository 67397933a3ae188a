// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;

namespace {

/// Sums each team's part of x by halving in shared scratch, the tutorial's block reduction.
template <class X, class Y>
struct block_sums {
  X x;
  Y y;

  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    int* partial = t.template scratch<int>(t.lanes());
    const tandem::index_t begin = t.index() * t.lanes();
    t.for_each_lane(
        [&](int lane) { partial[lane] = begin + lane < x.extent(0) ? x(begin + lane) : 0; });
    for (int half = t.lanes() / 2; half > 0; half /= 2) {
      t.for_each_lane([&](int lane) {
        if (lane < half) partial[lane] += partial[lane + half];
      });
    }
    t.for_each_lane([&](int lane) {
      if (lane == 0) y(t.index()) = partial[0];
    });
  }
};

}  // namespace

TEST_CASE_TEMPLATE("parallel_teams: a block reduction through shared scratch", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const int lanes : {1, 32, 64, 256, 1024}) {
    const auto values = random_below<int>(10007, 1000, 3);
    auto x = to_space(space, values);
    const int teams = (10007 + lanes - 1) / lanes;
    tandem::array<int, 1, typename Backend::space> y(tandem::extents<1>(teams), -1, space);
    const auto bytes = static_cast<std::size_t>(lanes) * sizeof(int);
    tandem::parallel_teams(
        space, {teams, lanes, bytes},
        block_sums<decltype(x.const_view()), decltype(y.view())>{x.const_view(), y.view()});
    const auto got = to_host(space, y);
    long total = 0;
    for (const int part : got) total += part;
    long wanted = 0;
    for (const int value : values) wanted += value;
    CHECK(total == wanted);
  }
}

TEST_CASE_TEMPLATE("parallel_teams: a lane keeps its value from phase to phase", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<int, 2, typename Backend::space> y(tandem::extents<2>(13, 96), 0, space);
  auto v = y.view();
  tandem::parallel_teams(
      space, {13, 96, 96 * sizeof(int)}, TANDEM_LAMBDA(tandem::team & t) {
        int* shared = t.scratch<int>(96);
        tandem::per_lane<int> mine(t, 5);
        t.for_each_lane([&](int lane) {
          mine[lane] += lane;
          shared[lane] = lane;
        });
        t.for_each_lane([&](int lane) { mine[lane] += shared[95 - lane]; });
        t.for_each(96, [&](int i) { shared[i] = static_cast<int>(t.index()); });
        t.for_each_lane([&](int lane) { v(t.index(), lane) = mine[lane] + 1000 * shared[lane]; });
      });
  const auto got = to_host(space, y);
  bool right = true;
  for (int team = 0; team < 13; ++team) {
    for (int lane = 0; lane < 96; ++lane) {
      right &= got[static_cast<std::size_t>(96 * team + lane)] == 5 + 95 + 1000 * team;
    }
  }
  CHECK(right);
}

TEST_CASE_TEMPLATE("parallel_teams: more teams than a machine has places", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const int teams = 100001;
  tandem::array<int, 1, typename Backend::space> y(tandem::extents<1>(teams), 0, space);
  auto v = y.view();
  tandem::parallel_teams(
      space, {teams, 32, 0}, TANDEM_LAMBDA(tandem::team & t) {
        t.for_each_lane([&](int lane) {
          if (lane == 31) v(t.index()) = static_cast<int>(t.index()) + 1;
        });
      });
  const auto got = to_host(space, y);
  bool right = true;
  for (int i = 0; i < teams; ++i) right &= got[static_cast<std::size_t>(i)] == i + 1;
  CHECK(right);
}

TEST_CASE_TEMPLATE("parallel_teams: shapes that cannot be are refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto nothing = TANDEM_LAMBDA(tandem::team & t) {
    t.for_each_lane([](int) {});
  };
  CHECK_THROWS_WITH_AS(tandem::parallel_teams(space, {-1, 32, 0}, nothing),
                       "parallel_teams: teams (-1) < fewest (0)", tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_teams(space, {1, 0, 0}, nothing),
                       "parallel_teams: lanes (0) < fewest (1)", tandem::extent_error);
  tandem::parallel_teams(space, {0, 32, 0}, nothing);
  tandem::parallel_teams(space, {3, 32, 0}, nothing);
  space.fence();
}
