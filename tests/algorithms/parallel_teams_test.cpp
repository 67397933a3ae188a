// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>

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

/// Takes `count` floats of the team's scratch.
struct take_scratch {
  tandem::index_t count;
  TANDEM_FUNCTION void operator()(tandem::team& t) const { t.template scratch<float>(count); }
};

/// More than the 64 bytes per lane that a CPU keeps behind the scratch, in values of two sizes.
struct seven_words {
  std::int64_t of[7];
};
template <class Y>
struct keep_much {
  Y y;

  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    char* const odd = t.template scratch<char>(3);
    tandem::per_lane<char> small(t, 'a');
    for (int round = 0; round < 2; ++round) {
      tandem::per_lane<seven_words> first(t, seven_words{{1, 2, 3, 4, 5, 6, 7}});
      tandem::per_lane<seven_words> second(t, seven_words{{10, 20, 30, 40, 50, 60, 70}});
      t.for_each_lane([&](int lane) {
        first[lane].of[6] += lane;
        second[lane].of[0] += t.index();
        small[lane] = static_cast<char>(small[lane] + 1);
        if (lane < 3) odd[lane] = 'b';
      });
      t.for_each_lane([&](int lane) {
        y(t.index(), lane) = first[lane].of[6] + 1000 * second[lane].of[0] +
                             1000000 * (small[lane] - 'a') + (odd[lane % 3] - 'b');
      });
    }
  }
};

}  // namespace

TEST_CASE_TEMPLATE("parallel_teams: more scratch than a team has, also where its bytes overflow",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto take = [&](tandem::index_t count) {
    tandem::parallel_teams(space, {3, 32, 1024}, take_scratch{count});
    space.fence();
  };
  take(256);
  if constexpr (Backend::space::memory_type::host_accessible) {  // a GPU's kernel ends its process
    const tandem::index_t one = 1;
    for (const tandem::index_t count : {one * 257, one << 30, one << 62, (one << 62) + 1, -one})
      CHECK_THROWS_AS(take(count), tandem::extent_error);
    CHECK_THROWS_AS(tandem::parallel_teams(space, {3, 32, SIZE_MAX}, take_scratch{1}),
                    tandem::out_of_memory_error);
  }
  take(256);
}

TEST_CASE_TEMPLATE("parallel_teams: lanes keep more than their room", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<std::int64_t, 2, typename Backend::space> y(tandem::extents<2>(300, 37), 0, space);
  tandem::parallel_teams(space, {300, 37, 3}, keep_much<decltype(y.view())>{y.view()});
  const auto got = to_host(space, y);
  bool right = true;
  for (int team = 0; team < 300; ++team) {
    for (int lane = 0; lane < 37; ++lane)
      right &= got[static_cast<std::size_t>(37 * team + lane)] ==
               7 + lane + 1000 * (10 + team) + 2000000;
  }
  CHECK(right);
}

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

TEST_CASE_TEMPLATE("parallel_teams: a CPU refuses scratch beyond the team's", Backend,
                   TANDEM_TEST_BACKENDS) {
  if constexpr (Backend::space::memory_type::host_accessible) {
    const auto space = Backend::make();
    const auto take = [&](tandem::index_t bytes, tandem::index_t floats) {
      tandem::parallel_teams(space, {2, 4, 64}, [=](tandem::team& t) {
        char* const first = t.scratch<char>(bytes);
        float* const second = t.scratch<float>(floats);
        const auto between = reinterpret_cast<char*>(second) - first;
        if (between < bytes || between > bytes + 3 || between % 4 != 0)
          throw tandem::argument_error("test: the second scratch is not behind the first");
        for (tandem::index_t i = 0; i < bytes; ++i) first[i] = 1;
        for (tandem::index_t i = 0; i < floats; ++i) second[i] = 1;
      });
    };
    take(0, 0);
    take(0, 16);
    take(1, 15);
    take(5, 14);
    take(64, 0);
    CHECK_THROWS_WITH_AS(take(1, 16), "team: scratch of 16 elements of 4 bytes: 60 bytes are left",
                         tandem::extent_error);
    CHECK_THROWS_WITH_AS(take(65, 0), "team: scratch of 65 elements of 1 bytes: 64 bytes are left",
                         tandem::extent_error);
    CHECK_THROWS_WITH_AS(take(63, 1), "team: scratch of 1 elements of 4 bytes: 0 bytes are left",
                         tandem::extent_error);
    CHECK_THROWS_AS(take(-1, 0), tandem::extent_error);
    CHECK_THROWS_AS(take(0, tandem::index_t{1} << 62), tandem::extent_error);
    CHECK_THROWS_AS(take(0, tandem::index_t{-1}), tandem::extent_error);
  }
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
