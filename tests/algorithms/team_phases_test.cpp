// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <vector>

using namespace tandem::test;

namespace {

/// Counts how many times each item of a phase is called.
template <class Calls, class Index>
struct count_calls {
  Calls calls;
  Index count;

  TANDEM_FUNCTION void operator()(tandem::team& t) const {
    const auto& of = calls;
    t.for_each(count, [&](Index i) { of(static_cast<int>(i)) += 1; });
  }
};

/// Writes a matrix in the team's scratch in one phase over its items. The next phase, which reads
/// what other lanes have written, adds it to `sums` rotated by 180 degrees.
template <class Sums, class Rows, class Columns>
struct turn_matrix {
  Sums sums;
  Rows rows;
  Columns columns;

  template <class Team>
  TANDEM_FUNCTION void operator()(Team& t) const {
    const auto& of = sums;
    const auto last_row = static_cast<int>(rows) - 1;
    const auto last_column = static_cast<int>(columns) - 1;
    const auto matrix = t.template shared<int>(rows, columns);
    t.for_each(rows, columns, [&](Rows i, Columns j) {
      matrix(i, j) = 1000 * static_cast<int>(i) + static_cast<int>(j) + 1;
    });
    t.for_each(rows, columns, [&](Rows i, Columns j) {
      const auto row = static_cast<int>(i);
      const auto column = static_cast<int>(j);
      of(row * (last_column + 1) + column) += matrix(last_row - row, last_column - column);
    });
  }
};

}  // namespace

TEST_CASE_TEMPLATE("parallel_teams: a phase calls each item once, whatever their number", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr int lanes = 32;
  constexpr int most = 9 * lanes;
  const auto calls_of = [&]<class Index>(Index count, int team = 32) {
    tandem::array<int, 1, typename Backend::space> calls({most}, 0, space);
    const auto v = calls.view();
    tandem::parallel_teams(space, {1, team, 0}, count_calls<decltype(v), Index>{v, count});
    return to_host(space, calls);
  };
  for (const int count : {0, 1, lanes, 3 * lanes, 3 * lanes + 1, 4 * lanes, 5 * lanes + 3, most}) {
    CAPTURE(count);
    std::vector<int> once(most, 0);
    std::fill_n(once.begin(), count, 1);
    CHECK(calls_of(count) == once);
    CHECK(calls_of(tandem::index_t{count}) == once);
    CHECK(calls_of(static_cast<unsigned>(count)) == once);
    // Teams may have more lanes than an index type has numbers.
    if (count <= 96) {
      CHECK(calls_of(static_cast<signed char>(count)) == once);
      CHECK(calls_of(static_cast<signed char>(count), 256) == once);
      CHECK(calls_of(static_cast<unsigned char>(count), 512) == once);
    }
    CHECK(calls_of(static_cast<unsigned short>(count)) == once);
  }
}

TEST_CASE_TEMPLATE("parallel_teams: a phase calls each item of a matrix once, behind a barrier",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr int most = 401;
  constexpr std::size_t bytes = most * sizeof(int);
  const auto sums_of = [&]<class Rows, class Columns>(const auto& shape, Rows rows,
                                                      Columns columns) {
    tandem::array<int, 1, typename Backend::space> sums({most}, 0, space);
    const auto v = sums.view();
    tandem::parallel_teams(space, shape, turn_matrix<decltype(v), Rows, Columns>{v, rows, columns});
    return to_host(space, sums);
  };
  const tandem::team_shape line{1, 32, bytes};
  const int shapes[][2] = {{0, 5},   {5, 0},   {0, 0},   {1, 1},   {1, 7},  {1, 100}, {7, 1},
                           {100, 1}, {12, 33}, {3, 100}, {12, 31}, {40, 3}, {50, 8},  {25, 16}};
  for (const auto& extents : shapes) {
    const int rows = extents[0], columns = extents[1];
    CAPTURE(rows);
    CAPTURE(columns);
    std::vector<int> turned(most, 0);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j)
        turned[static_cast<std::size_t>(i * columns + j)] =
            1000 * (rows - 1 - i) + columns - 1 - j + 1;
    }
    CHECK(sums_of(line, rows, columns) == turned);
    CHECK(sums_of(tandem::team_shape_2d{{1, 1}, {3, 8}, bytes}, rows, columns) == turned);
    CHECK(sums_of(line, tandem::index_t{rows}, columns) == turned);
    CHECK(sums_of(line, rows, static_cast<unsigned>(columns)) == turned);
    CHECK(sums_of(line, static_cast<unsigned short>(rows), static_cast<signed char>(columns)) ==
          turned);
  }
}

TEST_CASE_TEMPLATE("team: a negative number of items is refused", Backend, TANDEM_TEST_BACKENDS) {
  if constexpr (Backend::space::memory_type::host_accessible) {
    const auto space = Backend::make();
    const auto check = [&](const auto& kernel) {
      CHECK_THROWS_WITH_AS(
          tandem::parallel_teams(space, {1, 4, 64}, kernel),
          doctest::Contains("team: for_each: number of items (-5) < fewest (0); in parallel_teams"),
          tandem::extent_error);
    };
    check([](tandem::team& t) { t.for_each(-5, [](int) {}); });
    check([](tandem::team& t) { t.for_each(-5, 3, [](int, int) {}); });
    check([](tandem::team& t) { t.for_each(3, -5, [](int, int) {}); });
    check([](tandem::team& t) { t.for_each(-5, 0, [](int, int) {}); });
    tandem::parallel_teams(space, {1, 4, 64}, [](tandem::team& t) { t.for_each(0, [](int) {}); });
  }
}
