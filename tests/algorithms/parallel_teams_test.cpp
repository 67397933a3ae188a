// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>
#include <type_traits>

#include <tandem/core/contract/host/team_scratch.hpp>

using namespace tandem::test;

namespace {

/// Sums each team's part of x by halving in shared scratch: the block reduction of CUDA tutorials.
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

/// Takes `count` floats from the team's scratch.
struct take_scratch {
  tandem::index_t count;
  TANDEM_FUNCTION void operator()(tandem::team& t) const { t.template scratch<float>(count); }
};

/// Values of three sizes that lanes keep; two of them are declared again in each round.
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

/// Transposes by tiles with lanes in a plane of 4 by 16: each takes four rows.
template <class X, class Y>
struct transpose_tiles {
  X x;
  Y y;

  TANDEM_FUNCTION void operator()(tandem::team_2d& t) const {
    const auto tile = t.shared<float>(16, 17).named("tile");
    const tandem::index_t row = t.index().y * 16;
    const tandem::index_t column = t.index().x * 16;
    t.for_each_lane([&](tandem::lane_2d lane) {
      for (int j = lane.y; j < 16; j += 4) {
        if (row + j < x.extent(0) && column + lane.x < x.extent(1))
          tile(j, lane.x) = x(row + j, column + lane.x);
      }
    });
    t.for_each_lane([&](tandem::lane_2d lane) {
      for (int j = lane.y; j < 16; j += 4) {
        if (column + j < x.extent(1) && row + lane.x < x.extent(0))
          y(column + j, row + lane.x) = tile(lane.x, j);
      }
    });
  }
};

/// Writes indices and extents of a three-dimensional team, per lane.
template <class Y>
struct number_lanes {
  Y y;

  TANDEM_FUNCTION void operator()(tandem::team_3d& t) const {
    const auto cube = t.shared<int>(2, 3, 5);
    tandem::per_lane<int> mine(t);
    t.for_each_lane([&](tandem::lane_3d lane) {
      cube(lane.z, lane.y, lane.x) = 100 * lane.z + 10 * lane.y + lane.x;
      mine[lane] = lane;
    });
    const int sum = t.reduce(mine, tandem::sum<int>{});
    t.for_each(30, [&](int i) {
      const auto at = t.index();
      y(at, i) = static_cast<int>(at.z * 100 + at.y * 10 + at.x) * 1000 +
                 cube(i / 15, i / 5 % 3, i % 5) + 1000000 * sum;
    });
  }
};

}  // namespace

TEST_CASE_TEMPLATE("parallel_teams: teams and lanes of two dimensions transpose by tiles", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using matrix = tandem::array<float, 2, typename Backend::space>;
  const int shapes[][2] = {{83, 150}, {16, 16}};  // the second one needs one team
  for (const auto& [rows, columns] : shapes) {
    const auto values = random_values<float>(static_cast<std::size_t>(rows * columns), 5);
    matrix x(tandem::extents<2>(rows, columns), space);
    matrix y(tandem::extents<2>(columns, rows), 0.0f, space);
    const tandem::view<const float, 2, tandem::layout_right, tandem::host_memory> source(
        values.data(), tandem::extents<2>(rows, columns));
    tandem::copy(space, source, x);
    const tandem::team_shape_2d shape{
        {(rows + 15) / 16, (columns + 15) / 16}, {4, 16}, 16 * 17 * sizeof(float)};
    tandem::parallel_teams(
        space, shape,
        transpose_tiles<decltype(x.const_view()), decltype(y.view())>{x.const_view(), y.view()});
    const auto got = to_host(space, y);
    bool right = true;
    for (int j = 0; j < rows; ++j) {
      for (int i = 0; i < columns; ++i)
        right &= got[static_cast<std::size_t>(i * rows + j)] ==
                 values[static_cast<std::size_t>(j * columns + i)];
    }
    CHECK(right);
  }
}

TEST_CASE_TEMPLATE("parallel_teams: teams and lanes of three dimensions know their place", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<int, 2, typename Backend::space> y(tandem::extents<2>(24, 30), 0, space);
  tandem::parallel_teams(space, tandem::team_shape_3d{{2, 3, 4}, {2, 3, 5}, 30 * sizeof(int)},
                         number_lanes<decltype(y.view())>{y.view()});
  const auto got = to_host(space, y);
  bool right = true;
  for (int team = 0; team < 24; ++team) {
    const int place = team / 12 * 100 + team / 4 % 3 * 10 + team % 4;
    for (int i = 0; i < 30; ++i) {
      const int lane = i / 15 * 100 + i / 5 % 3 * 10 + i % 5;
      right &= got[static_cast<std::size_t>(30 * team + i)] == 1000 * place + lane + 435000000;
    }
  }
  CHECK(right);
}

TEST_CASE_TEMPLATE("parallel_teams: more scratch than a team has, also where its bytes overflow",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto take = [&](tandem::index_t count) {
    tandem::parallel_teams(space, {3, 32, 1024}, take_scratch{count});
    space.fence();
  };
  take(256);
  if constexpr (Backend::space::memory_type::host_accessible) {  // a failing GPU kernel ends the
                                                                 // process
    const tandem::index_t one = 1;
    for (const tandem::index_t count : {one * 257, one << 30, one << 62, (one << 62) + 1, -one})
      CHECK_THROWS_AS(take(count), tandem::extent_error);
    // A checked build refuses what no GPU has; other builds use the memory there is.
    using Error = std::conditional_t<(TANDEM_CHECKED > 0), tandem::argument_error,
                                     tandem::out_of_memory_error>;
    CHECK_THROWS_AS(tandem::parallel_teams(space, {3, 32, SIZE_MAX}, take_scratch{1}), Error);
  }
  take(256);
}

TEST_CASE("parallel_teams: scratch whose bytes overflow for all threads together") {
  for (const int threads : {1, 64, 1024}) {
    CHECK_THROWS_AS(tandem::detail::team_scratch("parallel_teams", {9, 32, SIZE_MAX}, threads),
                    tandem::out_of_memory_error);
  }
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
    CHECK_THROWS_WITH_AS(
        take(1, 16),
        doctest::Contains("team: scratch of 16 elements of 4 bytes: 60 bytes are left"),
        tandem::extent_error);
    CHECK_THROWS_WITH_AS(
        take(65, 0),
        doctest::Contains("team: scratch of 65 elements of 1 bytes: 64 bytes are left"),
        tandem::extent_error);
    CHECK_THROWS_WITH_AS(
        take(63, 1), doctest::Contains("team: scratch of 1 elements of 4 bytes: 0 bytes are left"),
        tandem::extent_error);
    CHECK_THROWS_AS(take(-1, 0), tandem::extent_error);
    CHECK_THROWS_AS(take(0, tandem::index_t{1} << 62), tandem::extent_error);
    CHECK_THROWS_AS(take(0, tandem::index_t{-1}), tandem::extent_error);
    const auto share = [&](tandem::index_t k, tandem::index_t j, tandem::index_t i) {
      tandem::parallel_teams(space, {2, 4, 64}, [=](tandem::team& t) {
        const auto cube = t.shared<char>(k, j, i);
        if (cube.size() != k * j * i) throw tandem::argument_error("test: another size");
      });
    };
    const tandem::index_t big = tandem::index_t{1} << 32;
    share(4, 4, 4);
    share(0, 64, 64);
    CHECK_THROWS_AS(share(4, 4, 5), tandem::extent_error);
    CHECK_THROWS_AS(share(big, big, 1), tandem::extent_error);
    CHECK_THROWS_AS(share(1, -1, -1), tandem::extent_error);
    // Each size fits, but their product is 2^64. A checked build refuses that much scratch before.
    const tandem::index_t all = tandem::index_t{1} << 22;
    CHECK_THROWS(tandem::parallel_teams(space, {1, 1, std::size_t{1} << 22}, [=](tandem::team& t) {
      (void)t.shared<char>(all, all, all / 4);
    }));
  }
}

TEST_CASE_TEMPLATE("parallel_teams: shapes that cannot be are refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto nothing = TANDEM_LAMBDA(tandem::team & t) {
    t.for_each_lane([](int) {});
  };
  CHECK_THROWS_WITH_AS(tandem::parallel_teams(space, {-1, 32, 0}, nothing),
                       doctest::Contains("parallel_teams: teams (-1) < fewest (0)"),
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_teams(space, {1, 0, 0}, nothing),
                       doctest::Contains("parallel_teams: lanes (0) < fewest (1)"),
                       tandem::extent_error);
  const auto message_of = [&](const auto& shape, const auto& kernel) {
    try {
      tandem::parallel_teams(space, shape, kernel);
    } catch (const tandem::error& e) {
      return std::string(e.what());
    }
    return std::string("nothing was thrown");
  };
  const auto names_kernel = [](const std::string& message, const char* what) {
    CAPTURE(message);
    CHECK(message.find(what) == 0);
    CHECK(message.find("(kernel ") != std::string::npos);
    CHECK(message.find("take_scratch") != std::string::npos);
  };
  const take_scratch kernel{0};
  names_kernel(message_of(tandem::team_shape{1, 0, 0}, kernel),
               "parallel_teams: lanes (0) < fewest (1)");
  names_kernel(message_of(tandem::team_shape{1, 1025, 0}, kernel),
               "parallel_teams: lanes (1025) > 1024, the threads of a device's block");
  if constexpr (!Backend::space::memory_type::host_accessible) {
    names_kernel(message_of(tandem::team_shape{1, 32, std::size_t{1} << 20}, kernel),
                 "parallel_teams: block with 1048576 bytes of shared memory > ");
  }
  const auto plane = TANDEM_LAMBDA(tandem::team_2d&){};
  const auto volume = TANDEM_LAMBDA(tandem::team_3d&){};
  // Each extent is refused, although the products are positive.
  CHECK_THROWS_AS(tandem::parallel_teams(space, tandem::team_shape_2d{{-2, -2}, {1, 1}}, plane),
                  tandem::extent_error);
  CHECK_THROWS_AS(tandem::parallel_teams(space, tandem::team_shape_2d{{1, 1}, {-4, -8}}, plane),
                  tandem::extent_error);
  CHECK_THROWS_WITH_AS(
      tandem::parallel_teams(space, tandem::team_shape_2d{{1, 1}, {33, 32}}, plane),
      doctest::Contains("parallel_teams: lanes (1056) > 1024"), tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_teams(space, tandem::team_shape_2d{{1, 1}, {0, 32}}, plane),
                       doctest::Contains("parallel_teams: lanes (0) < fewest (1)"),
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(
      tandem::parallel_teams(space, tandem::team_shape_3d{{1, 1, 1}, {65, 1, 1}}, volume),
      doctest::Contains("parallel_teams: lanes along z (65) > 64"), tandem::argument_error);
  const tandem::index_t many = tandem::index_t{1} << 40;
  CHECK_THROWS_AS(tandem::parallel_teams(space, tandem::team_shape_2d{{many, many}, {1, 1}}, plane),
                  tandem::extent_error);
  tandem::parallel_teams(space, tandem::team_shape_2d{{0, 5}, {1, 1}}, plane);
  tandem::parallel_teams(space, {0, 32, 0}, nothing);
  tandem::parallel_teams(space, {3, 32, 0}, nothing);
  space.fence();
}
