// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams on groups: each runs on the member that holds its rows, with its number in the whole.

#include "distributed/support.hpp"

using namespace tandem::test;

namespace {

/// Sums a team's `count` elements of x, scaled by the team's number, in shared scratch.
struct block_sums {
  int count;

  template <class X, class Y>
  TANDEM_FUNCTION void operator()(tandem::team& t, const X& x, const Y& y) const {
    int* partial = t.template scratch<int>(t.lanes());
    const tandem::index_t begin = t.index() * count;
    const tandem::index_t n = x.extent(0);
    const int each = count;
    const int lanes = t.lanes();
    t.for_each_lane([=](int lane) {
      partial[lane] = 0;
      for (int i = lane; i < each && begin + i < n; i += lanes) partial[lane] += x(begin + i);
    });
    t.for_each_lane([=, &t](int lane) {
      int total = 0;
      for (int l = 0; l < lanes; ++l) total += partial[l];
      if (lane == 0) y(t.index()) = total * static_cast<int>(t.index() + t.teams());
    });
  }
};

/// Transposes nothing: writes the numbers of a team and its lanes to its tile.
struct number_tiles {
  template <class Out, class Table>
  TANDEM_FUNCTION void operator()(tandem::team_2d& t, const Out& out, const Table& table) const {
    const auto team = t.index();
    const auto rows = t.lane_extents()[0];
    const auto columns = t.lane_extents()[1];
    const auto all = t.team_extents()[0];
    t.for_each_lane([=](tandem::lane_2d lane) {
      out(team.y * rows + lane.y, team.x * columns + lane.x) =
          static_cast<int>(1000 * tandem::index_t{team} + all) + table(lane.x);
    });
  }
};

struct number_volume {
  template <class Out>
  TANDEM_FUNCTION void operator()(tandem::team_3d& t, const Out& out) const {
    const auto team = t.index();
    t.for_each_lane([=](tandem::lane_3d lane) {
      tandem::atomic_add(out(team.z, team.y, team.x), static_cast<int>(lane) + 1);
    });
  }
};

struct deposit_by_team {
  tandem::fixed_point<float> scale;

  template <class Cells>
  TANDEM_FUNCTION void operator()(tandem::team& t, const Cells& cells) const {
    const auto number = static_cast<float>(t.index());
    const auto by = scale;
    t.for_each_lane([=](int lane) { cells(lane % 3).add(by, number); });
  }
};

struct fail_at {
  tandem::index_t team;

  template <class Y>
  TANDEM_FUNCTION void operator()(tandem::team& t, const Y& y) const {
    if (t.index() == team) (void)t.template scratch<int>(100);
    y(t.index()) = 1;
  }
};

/// A cut of the rows of `teams` teams that have `each` rows, the last one what is left of `rows`.
tandem::cut rows_of(const tandem::cut& teams, tandem::index_t each, tandem::index_t rows) {
  std::vector<tandem::index_t> sizes;
  for (int p = 0; p < teams.parts(); ++p) {
    sizes.push_back(std::min(rows, teams.end(p) * each) - std::min(rows, teams.begin(p) * each));
  }
  return tandem::cut::of(sizes);
}

}  // namespace

TEST_CASE_TEMPLATE("groups: teams with scratch have the rows of their number", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const auto check = [&](int n, int teams, int each) {
    const auto values = random_below<int>(static_cast<std::size_t>(n), 1000, 3);
    tandem::array<int, 1, Space> x0({n}, space);
    tandem::array<int, 1, Space> y0({teams}, space);
    tandem::copy(space, values, x0);
    const tandem::team_shape shape{teams, 8, 8 * sizeof(int)};
    tandem::parallel_teams(space, shape, block_sums{each}, std::as_const(x0), y0);
    const auto wanted = tandem::to_vector(space, y0);
    for_each_cut<Space>(teams, [&](const auto& members, const tandem::cut& where) {
      tandem::sharded<int, 1, Space> x({n}, members, rows_of(where, each, n), tandem::halo{1});
      tandem::sharded<int, 1, Space> y({teams}, members, where);
      tandem::copy(members, values, x);
      tandem::parallel_teams(members, shape, block_sums{each}, std::as_const(x), y);
      CHECK(tandem::to_vector(members, y) == wanted);
    });
  };
  check(1003, 101, 10);
  check(100, 4, 32);
  check(97, 4, 32);
  check(1, 1, 64);
}

TEST_CASE_TEMPLATE("groups: teams of two and three dimensions", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  tandem::array<int, 2, Space> tiles0({36, 10}, 0, space);
  tandem::array<int, 3, Space> volume0({9, 3, 2}, 0, space);
  const tandem::array<int, 1, Space> table0({5}, 7, space);
  const tandem::team_shape_2d shape{{9, 2}, {4, 5}};
  const tandem::team_shape_3d deep{{9, 3, 2}, {2, 2, 3}};
  tandem::parallel_teams(space, shape, number_tiles{}, tiles0, table0);
  tandem::parallel_teams(space, deep, number_volume{}, volume0);
  const auto tiles_wanted = tandem::to_vector(space, tiles0);
  const auto volume_wanted = tandem::to_vector(space, volume0);
  for_each_cut<Space>(9, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<int, 2, Space> tiles({36, 10}, 0, members, rows_of(where, 4, 36));
    tandem::sharded<int, 3, Space> volume({9, 3, 2}, 0, members, where);
    tandem::sharded<int, 1, Space> table({5}, 7, members, tandem::replicated);
    tandem::parallel_teams(members, shape, number_tiles{}, tiles, std::as_const(table));
    tandem::parallel_teams(members, deep, number_volume{}, volume);
    CHECK(tandem::to_vector(members, tiles) == tiles_wanted);
    CHECK(tandem::to_vector(members, volume) == volume_wanted);
  });
}

TEST_CASE_TEMPLATE("groups: teams without sharded arguments, and cells that are added up", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  using cell = tandem::order_free_sum<float>;
  const deposit_by_team add{cell::scale(200.0f, 1000)};
  for (const int parts : member_counts()) {
    const auto members = tandem::shards<Space>(parts);
    tandem::sharded<cell, 1, Space> cells({3}, cell{}, members, tandem::replicated);
    tandem::parallel_teams(members, {101, 6}, add, cells);
    tandem::merge(members, cells);
    const auto found = tandem::to_vector(members, cells);
    for (const cell& one : found) CHECK(one.value(add.scale) == 2 * 5050.0f);
  }
}

TEST_CASE_TEMPLATE("groups: what teams refuse", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  tandem::sharded<int, 1, Space> x({100}, 1, members, tandem::cut::of({20, 30, 50}));
  tandem::sharded<int, 1, Space> y({10}, 1, members, tandem::cut::of({2, 3, 5}));
  tandem::sharded<int, 1, Space> z({10}, 1, members, tandem::cut::of({3, 3, 4}));
  tandem::sharded<int, 1, Space> copies({10}, 1, members, tandem::replicated);
  const auto run = [&](tandem::index_t teams, const auto& from, auto& to) {
    tandem::parallel_teams(members, {teams, 8, 32}, block_sums{10}, from, to);
  };
  run(10, x, y);
  CHECK_THROWS_WITH_AS(
      run(10, x, z),
      "parallel_teams: sharded arguments cut the teams at 0, 2, 5, 10 and 0, 3, 6, "
      "10",
      tandem::extent_error);
  CHECK_THROWS_WITH_AS(run(4, x, y),
                       "parallel_teams: a cut of a sharded argument at row (20) splits the rows of "
                       "one of teams (4)",
                       tandem::extent_error);
  CHECK_THROWS_AS(run(8, x, y), tandem::extent_error);  // 13 or 14 rows each: not 20, nor 50
  CHECK_THROWS_WITH_AS(run(60, x, y),
                       "parallel_teams: rows of a sharded argument (100) cannot be shared equally "
                       "by teams (60)",
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(run(10, x, copies),
                       "parallel_teams: a replicated argument is const: pass it by std::as_const, "
                       "or a sharded array",
                       tandem::argument_error);
  CHECK_THROWS_AS(run(-1, x, y), tandem::extent_error);
  CHECK_THROWS_AS(tandem::parallel_teams(members, {10, 0}, block_sums{10}, x, y),
                  tandem::extent_error);
  tandem::sharded<int, 1, Space> none({0}, members);
  tandem::parallel_teams(members, {0, 8}, block_sums{10}, std::as_const(copies), none);
}

TEST_CASE("groups: an error of a team names its number in the whole") {
  const auto members = tandem::shards<tandem::openmp>(3);
  tandem::sharded<int, 1, tandem::openmp> y({10}, 1, members, tandem::cut::of({2, 3, 5}));
  std::string text;
  try {
    tandem::parallel_teams(members, {10, 2, 8}, fail_at{4}, y);
  } catch (const tandem::extent_error& e) {
    text = e.what();
  }
  CHECK(text.find("team 4") != std::string::npos);
  CHECK(text.find("member 1 of 3") != std::string::npos);
}
