// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planted.hpp"

/// Granules that atomic and plain accesses share, in every order of lanes and teams, and accesses
/// of several sizes.

using namespace zoo;
using tandem::array;
using tandem::parallel_for;
using tandem::parallel_teams;
using tandem::team;

namespace {

constexpr int n = 64;
constexpr int lanes = 32;
constexpr int teams = 4;
constexpr tandem::team_shape shape{teams, lanes, 1024};

int load(const int& value) { return __atomic_load_n(&value, __ATOMIC_RELAXED); }

}  // namespace

TEST_CASE("zoo of atomics: a plain access that hides behind atomic ones") {
  array<int> values({4}, 0);
  array<int> seen({n}, 0);
  const auto x = values.view().named("x");
  const auto y = seen.view().named("y");
  const auto run = [](const char* name, const auto& f, const auto& related) {
    expect(__FILE__, name, "mixed atomic", f, related);
  };
  // Atomic loads and updates do not conflict, so only iteration 5 is wrong.
  const auto one_plain = [&] {
    parallel_for(n, [=](int i) {
      if (i == 5) {
        y(i) = x(0);  // plain load among atomic loads
      } else if (i % 2 == 0) {
        y(i) = load(x(0));
      } else {
        tandem::atomic_add(x(0), 1);  // plain load among atomic loads, other
      }
    });
  };
  run("plain load among atomic loads", one_plain,
      [](index_t a, index_t b) { return (a == 5) != (b == 5); });
  // The teams' atomics do not conflict; team 0 begins with a store.
  const auto store_first = [&] {
    parallel_teams(shape, [=](team& t) {
      t.for_each_lane([&](int lane) {
        if (t.index() == 0 && lane == 3) x(1) = 7;  // store in an earlier phase
      });
      t.for_each_lane([&](int) {
        tandem::atomic_add(x(1), 1);  // store in an earlier phase, other
      });
    });
  };
  run("store in an earlier phase", store_first, any);
}

TEST_CASE("correct atomics: loads of both kinds, and phases between the kinds") {
  array<int> values({4}, 1);
  array<int> seen({n}, 0);
  const auto x = values.view();
  const auto y = seen.view();
  parallel_for(n, [=](int i) { y(i) = i % 2 == 0 ? x(0) : load(x(0)); });
  parallel_for(n, [=](int i) { y(i) = load(x(i % 4)) + x(i % 4) + load(x(i % 4)); });
  parallel_teams(shape, [=](team& t) {
    int* const count = t.scratch<int>(1);
    t.for_each(1, [&](int i) { count[i] = 0; });
    for (int round = 0; round < 3; ++round) {
      t.for_each_lane([&](int) { tandem::atomic_add(count[0], 1); });
      t.for_each_lane([&](int lane) { y(t.index()) = lane < lanes ? count[0] : 0; });
      t.for_each_lane([&](int lane) {
        if (lane == round) count[0] += 1;
      });
    }
    t.for_each_lane([&](int lane) {
      if (lane == 0) y(t.index()) = count[0];
    });
  });
  CHECK(y(teams - 1) == 3 * (lanes + 1));
}

TEST_CASE("zoo of atomics: granules of several sizes in one page") {
  struct mixed {
    double wide;
    int middle;
    std::int8_t narrow[4];
  };
  array<mixed> values({n}, mixed{});
  const auto x = values.view().named("x");
  parallel_for(n, [=](int i) {  // correct: neighbours of all sizes
    x(i).narrow[i % 4] = 1;
    x(i).middle = i;
    x(i).wide = x(i).middle;
  });
  CHECK(x(n - 1).wide == n - 1);
  const auto wide = [&] {
    parallel_for(n - 1, [=](int i) {
      x(i).wide = 2;                            // eight bytes of a neighbour, other
      x(i).middle = x(i + 1).wide > 1 ? 1 : 0;  // eight bytes of a neighbour
    });
  };
  expect(__FILE__, "eight bytes of a neighbour", "race", wide, are_neighbours);
  const auto narrow = [&] {
    parallel_for(n, [=](int i) {
      x(i / 2).narrow[2] = static_cast<std::int8_t>(i);  // one byte of two iterations
    });
  };
  expect(__FILE__, "one byte of two iterations", "race", narrow,
         [](index_t a, index_t b) { return a != b && a / 2 == b / 2; });
}

TEST_CASE("zoo of atomics: an index that is wrong in the last tile alone") {
  constexpr int size = teams * lanes - 5;
  array<float> values({size}, 1.0f);
  const auto x = values.view().named("x");
  const auto last_tile = [&] {
    parallel_teams(shape, [=](team& t) {
      const int first = static_cast<int>(t.index()) * lanes;
      t.for_each_lane([&](int lane) {
        x(first + lane) = 2;  // last tile
      });
    });
  };
  expect_failure<tandem::extent_error>(__FILE__, "last tile", "view 'x': index 12", "team 3, lane ",
                                       last_tile);
}
