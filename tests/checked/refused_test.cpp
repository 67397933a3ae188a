// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planted.hpp"

#include <type_traits>

/// Kernels that throw at once, naming the kernel, the limit, the value and the line.

using namespace zoo;
using tandem::parallel_teams;
using tandem::per_lane;
using tandem::team;

TEST_CASE("zoo of teams: nesting that a GPU refuses") {
  const auto run = [](const char* name, const std::string& what, const auto& kernel) {
    expect_failure<tandem::kernel_error>(__FILE__, name, what, "team 0, lane ", [&] {
      parallel_teams({1, 4, 64}, kernel);
    });
  };
  run("phase in a lane", "team: for_each_lane inside a phase", [](team& t) {
    t.for_each_lane([&](int) {
      t.for_each_lane([](int) {});  // phase in a lane
    });
  });
  run("scratch in a lane", "team: scratch inside a phase", [](team& t) {
    t.for_each_lane([&](int) {
      t.scratch<int>(1);  // scratch in a lane
    });
  });
  run("loop in a lane", "parallel_for inside a kernel of parallel_teams", [](team& t) {
    t.for_each_lane([](int) {
      tandem::parallel_for(2, [](int) {});  // loop in a lane
    });
  });
  run("collective in a lane", "team: reduce inside a phase", [](team& t) {
    per_lane<int> mine(t);
    t.for_each_lane([&](int) {
      t.reduce(mine);  // collective in a lane
    });
  });
}

TEST_CASE("zoo of teams: values that a team has not") {
  const auto run = [](const char* name, const std::string& what, const auto& kernel) {
    expect_failure<tandem::extent_error>(__FILE__, name, what, "team 0, before phase 1", [&] {
      parallel_teams({1, 4, 64}, kernel);
    });
  };
  run("broadcast from no lane", "team: broadcast from lane 99 of 4", [](team& t) {
    per_lane<int> mine(t);
    t.broadcast(mine, 99);  // broadcast from no lane
  });
  run("more scratch than there is", "team: scratch of 100 elements of 4 bytes: 64 bytes are left",
      [](team& t) {
        t.scratch<int>(100);  // more scratch than there is
      });
  run("more scratch than is left", "team: scratch of 9 elements of 4 bytes: 32 bytes are left",
      [](team& t) {
        t.scratch<int>(8);
        t.shared<int>(3, 3);  // more scratch than is left
      });
}

TEST_CASE("zoo of teams: shapes that a GPU refuses") {
  const auto nothing = [](team&) {};
  const auto run = [&](tandem::team_shape of, const char* what, const auto& error) {
    using error_type = std::remove_cvref_t<decltype(error)>;
    const std::string text = std::string("parallel_teams: ") + what;
    CHECK_THROWS_WITH_AS(parallel_teams(of, nothing), doctest::Contains(text.c_str()), error_type);
    CHECK_THROWS_WITH_AS(parallel_teams(of, nothing), doctest::Contains("(kernel "), error_type);
  };
  run({1, 0, 0}, "lanes (0) < fewest (1)", tandem::extent_error(""));
  run({-1, 4, 0}, "teams (-1) < fewest (0): did a product of ints overflow?",
      tandem::extent_error(""));
  run({1, 2048, 0}, "lanes (2048) > 1024, the threads of a device's block",
      tandem::argument_error(""));
  run({1, 32, 300000}, "bytes of scratch (300000) > 232448, the most that a GPU",
      tandem::argument_error(""));
}
