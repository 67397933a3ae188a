// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planted.hpp"

using namespace zoo;
using tandem::array;
using tandem::parallel_teams;
using tandem::per_lane;
using tandem::team;

namespace {

constexpr int lanes = 32;
constexpr int teams = 4;
constexpr tandem::team_shape shape{teams, lanes, 16384};

int first_of(const team& t) { return static_cast<int>(t.index()) * lanes; }

}  // namespace

TEST_CASE("zoo of teams: lanes of one phase and missing barriers") {
  array<float> values({teams * lanes}, 1.0f);
  const auto x = values.view().named("x");
  const auto run = [](const char* name, const auto& kernel, const auto& related,
                      const std::string& value = "") {
    expect(
        __FILE__, name, "race", [&] { parallel_teams(shape, kernel); }, related,
        teams_are::the_same, value);
  };
  const auto after_load = [=](team& t) {
    float* const tile = t.scratch<float>(lanes);
    const int first = first_of(t);
    t.for_each_lane([&](int lane) {
      tile[lane] = x(first + lane);              // no barrier behind a load, other
      x(first + lane) = tile[lanes - 1 - lane];  // no barrier behind a load
    });
  };
  run("no barrier behind a load", after_load,
      [](index_t a, index_t b) { return a + b == lanes - 1; });

  const auto before_load = [=](team& t) {
    float* const tile = t.scratch<float>(lanes);
    const int first = first_of(t);
    t.for_each_lane([&](int lane) { tile[lane] = x(first + lane); });
    t.for_each_lane([&](int lane) {
      x(first + lane) = tile[(lane + 1) % lanes];  // no barrier before the next load
      tile[lane] = 2;                              // no barrier before the next load, other
    });
  };
  run("no barrier before the next load", before_load,
      [](index_t a, index_t b) { return (a + 1) % lanes == b || (b + 1) % lanes == a; });

  const auto tree = [=](team& t) {
    float* const sums = t.scratch<float>(lanes);
    t.for_each_lane([&](int lane) { sums[lane] = 1; });
    t.for_each_lane([&](int lane) {
      for (int half = lanes / 2; half > 0; half /= 2) {
        if (lane < half) sums[lane] += sums[lane + half];  // tree in one phase
      }
    });
  };
  run("tree in one phase", tree, differ);

  const auto scan = [=](team& t) {
    int* const sums = t.scratch<int>(lanes);
    t.for_each_lane([&](int lane) { sums[lane] = lane; });
    t.for_each_lane([&](int lane) {
      if (lane > 0) sums[lane] += sums[lane - 1];  // scan in one buffer
    });
  };
  run("scan in one buffer", scan, are_neighbours);

  const auto histogram = [=](team& t) {
    int* const bins = t.scratch<int>(8);
    t.for_each(8, [&](int i) { bins[i] = 0; });
    t.for_each_lane([&](int lane) {
      ++bins[lane % 8];  // bins of a team without atomics
    });
  };
  run("bins of a team without atomics", histogram,
      [](index_t a, index_t b) { return a != b && a % 8 == b % 8; });

  const auto leader = [=](team& t) {
    float* const result = t.scratch<float>(1);
    t.for_each_lane([&](int lane) {
      if (lane == 0) result[0] = 5;           // leader's result in its own phase, other
      x(first_of(t) + lane) = result[0] + 1;  // leader's result in its own phase
    });
  };
  run("leader's result in its own phase", leader, differ, "lane 0, phase 1 writes 5");

  const auto items = [=](team& t) {
    float* const tile = t.scratch<float>(100);
    t.for_each(100, [&](int i) { tile[i] = 0; });
    t.for_each(99, [&](int i) {
      tile[i] = static_cast<float>(i);  // items that overlap
      tile[i + 1] = 2;                  // items that overlap, other
    });
  };
  run("items that overlap", items, are_neighbours);

  const auto matrix = [=](team& t) {
    float* const tile = t.scratch<float>(110);
    t.for_each(11, 10, [&](int i, int j) { tile[10 * i + j] = 0; });
    t.for_each(10, 10, [&](int i, int j) {
      tile[10 * i + j] = static_cast<float>(j);  // rows that overlap
      tile[10 * i + j + 10] = 2;                 // rows that overlap, other
    });
  };
  run("rows that overlap", matrix, [](index_t a, index_t b) { return a - b == 10 || b - a == 10; });

  const auto pitch = [=](team& t) {
    float* const tile = t.scratch<float>(lanes * (lanes + 1));
    t.for_each_lane([&](int lane) {
      for (int i = 0; i <= lanes; ++i) {
        tile[lane * lanes + i] = static_cast<float>(lane);  // padded tile with the plain pitch
      }
    });
  };
  run("padded tile with the plain pitch", pitch, are_neighbours);

  const auto between = [=](team& t) {
    int* const flag = t.scratch<int>(1);
    t.for_each_lane([&](int lane) {
      if (lane == 0) flag[0] = 3;
    });
    const int seen = flag[0];  // read before the next phase writes, other
    t.for_each_lane([&](int lane) {
      if (lane == seen) flag[0] = 4;  // read before the next phase writes
    });
  };
  run("read before the next phase writes", between, any);
}

TEST_CASE("zoo of teams: teams that share elements") {
  array<float> values({teams * lanes}, 1.0f);
  array<int> counts({4}, 0);
  const auto x = values.view().named("x");
  const auto c = counts.view().named("c");
  const auto run = [](const char* name, const char* kind, const auto& kernel, const auto& lanes_are,
                      teams_are which = teams_are::two) {
    expect(
        __FILE__, name, kind, [&] { parallel_teams(shape, kernel); }, lanes_are, which);
  };
  const auto same_lane = [](index_t a, index_t b) { return a == b && a >= 0; };
  const auto leaders = [](index_t a, index_t b) { return a == 0 && b == 0; };
  const auto output = [=](team& t) {
    t.for_each_lane([&](int lane) {
      x(lane) = static_cast<float>(t.index());  // output tile of two teams
    });
  };
  run("output tile of two teams", "race", output, same_lane);
  const auto are_neighbours_or_edge = [](index_t a, index_t b) {
    return are_neighbours(a, b) || a + b == lanes - 1;
  };
  run(
      "halo of the next team", "race",
      [=](team& t) {
        t.for_each_lane([&](int lane) {
          const int i = first_of(t) + lane;
          const float next = i + 1 < teams * lanes ? x(i + 1) : 0;  // halo of the next team, other
          x(i) = next + 1;                                          // halo of the next team
        });
      },
      are_neighbours_or_edge, teams_are::any);
  run(
      "total of all teams", "race",
      [=](team& t) {
        t.for_each_lane([&](int lane) {
          if (lane == 0) c(0) += 1;  // total of all teams
        });
      },
      leaders);
  run(
      "last team by a plain counter", "mixed atomic",
      [=](team& t) {
        t.for_each_lane([&](int lane) {
          if (lane == 0) tandem::atomic_add(c(1), 1);  // last team by a plain counter, other
        });
        t.for_each_lane([&](int lane) {
          if (lane == 0 && c(1) == teams) x(0) = 1;  // last team by a plain counter
        });
      },
      leaders);
  run(
      "phases do not order teams", "race",
      [=](team& t) {
        t.for_each_lane([&](int lane) {
          if (t.index() == 0) x(lane) = 9;  // phases do not order teams, other
        });
        t.for_each_lane([&](int lane) {
          if (t.index() == 1) x(lanes + lane) = x(lane);  // phases do not order teams
        });
      },
      same_lane);
}

TEST_CASE("zoo of teams: scratch") {
  array<float> values({teams * lanes}, 1.0f);
  const auto x = values.view().named("x");
  const auto run = [](const char* name, const char* kind, const auto& kernel, const auto& related) {
    expect(
        __FILE__, name, kind, [&] { parallel_teams(shape, kernel); }, related);
  };
  const auto is_last = [](index_t a, index_t) { return a == lanes - 1; };
  const auto neighbour = [](team& t) {
    float* const a = t.scratch<float>(lanes);
    float* const b = t.scratch<float>(lanes);
    t.for_each_lane([&](int lane) { b[lane] = 1; });
    t.for_each_lane([&](int lane) {
      a[lane + 1] = 2;  // overrun into the neighbour
    });
  };
  run("overrun into the neighbour", "out of range", neighbour, is_last);
  const auto halo = [=](team& t) {
    float* const tile = t.scratch<float>(lanes + 1);
    t.for_each_lane([&](int lane) {
      tile[lane + 2] = x(first_of(t) + lane);  // halo off by one
    });
  };
  run("halo off by one", "out of range", halo, is_last);
  const auto padded = [](team& t) {
    float* const tile = t.scratch<float>(lanes * lanes);
    t.for_each_lane([&](int lane) {
      tile[lane * (lanes + 1) + 31] = 1;  // plain tile with the padded pitch
    });
  };
  run("plain tile with the padded pitch", "out of range", padded, is_one);
  const auto before = [](team& t) {
    t.scratch<float>(lanes);
    float* const b = t.scratch<float>(lanes);
    t.for_each_lane([&](int lane) {
      b[lane - 1] = 2;  // overrun to the left
    });
  };
  run("overrun to the left", "out of range", before, [](index_t a, index_t) { return a == 0; });
  const auto unwritten = [=](team& t) {
    float* const tile = t.scratch<float>(lanes + 2);
    t.for_each_lane([&](int lane) { tile[lane + 1] = x(first_of(t) + lane); });
    t.for_each_lane([&](int lane) {
      x(first_of(t) + lane) = tile[lane] + 1;  // halo without a value
    });
  };
  run("halo without a value", "unwritten", unwritten, [](index_t a, index_t) { return a == 0; });
  const auto other_team = [=](team& t) {
    float* const tile = t.scratch<float>(lanes);
    t.for_each_lane([&](int lane) {
      if (t.index() != 2) tile[lane] = 1;
    });
    t.for_each_lane([&](int lane) {
      x(first_of(t) + lane) = tile[lane];  // what another team left
    });
  };
  run("what another team left", "unwritten", other_team, is_one);
  const auto sums = [](team& t) {
    double* const sum = t.scratch<double>(lanes);
    t.for_each_lane([&](int lane) {
      sum[lane] += 1;  // sum without its zero
    });
  };
  run("sum without its zero", "unwritten", sums, is_one);
}

TEST_CASE("zoo of teams: state outside phases") {
  array<float> values({teams * lanes}, 1.0f);
  const auto x = values.view().named("x");
  const auto run = [](const char* name, const char* kind, const auto& kernel) {
    expect(
        __FILE__, name, kind, [&] { parallel_teams(shape, kernel); }, any);
  };
  run("stale state of a lane", "lane state", [=](team& t) {
    int mine = 0;
    t.for_each_lane([&](int lane) {
      mine = lane;  // stale state of a lane, other
    });
    t.for_each_lane([&](int lane) {
      x(first_of(t) + lane) = static_cast<float>(mine);  // stale state of a lane
    });
  });
  run("sum in a local variable", "lane state", [=](team& t) {
    float sum = 0;
    t.for_each_lane([&](int lane) {
      sum += x(first_of(t) + lane);  // sum in a local variable
    });
  });
  run("leader's local variable", "lane state", [=](team& t) {
    float result = 0;
    t.for_each_lane([&](int lane) {
      if (lane == 0) result = x(first_of(t));  // leader's local variable, other
    });
    t.for_each_lane([&](int lane) {
      x(first_of(t) + lane) = result;  // leader's local variable
    });
  });
  run("element of another lane", "lane state", [=](team& t) {
    per_lane<float> kept(t);
    t.for_each_lane([&](int lane) { kept[lane] = x(first_of(t) + lane); });
    t.for_each_lane([&](int lane) {
      x(first_of(t) + lane) = kept[(lane + 1) % lanes];  // element of another lane
    });
  });
  run("per_lane between phases", "lane state", [=](team& t) {
    per_lane<int> kept(t);
    if (kept[0] == 0) t.for_each_lane([&](int) {});  // per_lane between phases
  });
  run("store between phases", "outside phases", [=](team& t) {
    x(first_of(t)) = 1;  // store between phases
    t.for_each_lane([&](int) {});
  });
  run("phase that depends on a lane", "lane state", [=](team& t) {
    bool is_done = false;
    t.for_each_lane([&](int lane) {
      is_done = lane % 2 == 0;  // phase that depends on a lane, other
    });
    if (!is_done) t.for_each_lane([&](int) {});  // phase that depends on a lane
  });
}

TEST_CASE("zoo of teams: planes of lanes, shared views and atomics of a team") {
  array<float> values({teams * lanes}, 1.0f);
  const auto x = values.view().named("x");
  constexpr tandem::team_shape_2d plane{{2, 2}, {4, 8}, 4096};
  const auto run = [&](const char* name, const auto& kernel) {
    expect(
        __FILE__, name, "race", [&] { parallel_teams(plane, kernel); }, differ);
  };
  const auto rows = [=] {
    parallel_teams(plane, [](tandem::team_2d& t) {
      const auto tile = t.shared<float>(4, 8).named("tile");
      t.for_each_lane([&](tandem::lane_2d lane) { tile(lane.y, 3) = static_cast<float>(lane.x); });
    });
  };
  CHECK_THROWS_WITH_AS(rows(), doctest::Contains("race: tile("), tandem::kernel_error);
  CHECK_THROWS_WITH_AS(rows(), doctest::Contains(", 3) in parallel_teams"), tandem::kernel_error);
  run("row sums without a barrier", [=](tandem::team_2d& t) {
    const auto tile = t.shared<float>(4, 8).named("tile");
    t.for_each_lane([&](tandem::lane_2d lane) {
      tile(lane.y, lane.x) = x(lane.x);  // row sums without a barrier, other
      if (lane.x < 7)
        x(t.index() * 32 + lane) = tile(lane.y, lane.x + 1);  // row sums without a barrier
    });
  });
  expect_failure<tandem::extent_error>(
      __FILE__, "index outside a shared view",
      "view 'tile': index 8 of dimension 1 is outside its extent 8", "team ", [&] {
        parallel_teams(plane, [](tandem::team_2d& t) {
          const auto tile = t.shared<float>(4, 8).named("tile");
          t.for_each_lane([&](tandem::lane_2d lane) {
            tile(lane.y, lane.x + 1) = 1;  // index outside a shared view
          });
        });
      });
  // Correct: collectives, and counts by atomics among lanes.
  parallel_teams(plane, [=](tandem::team_2d& t) {
    const auto bins = t.shared<int>(4);
    per_lane<int> mine(t);
    t.for_each(4, [&](int i) { bins(i) = 0; });
    t.for_each_lane([&](tandem::lane_2d lane) {
      tandem::atomic_add(bins(lane.x % 4), 1, tandem::scope::team);
      mine[lane] = lane.y;
    });
    const int total = t.inclusive_scan(mine);
    const int first = t.broadcast(mine, 0);
    t.for_each_lane([&](tandem::lane_2d lane) {
      x(t.index() * 32 + lane) = static_cast<float>(mine[lane] + bins(lane.x % 4) + total + first);
    });
  });
  CHECK(values(127) == 48 + 8 + 48 + 0);
}
