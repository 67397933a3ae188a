// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory for values that lanes keep on a CPU exists before the first team runs.

#include "support/backends.hpp"

#include <array>
#include <cstdint>

using namespace tandem::test;

TEST_CASE_TEMPLATE("parallel_teams: what lanes keep is limited on a CPU, and the error says so",
                   Backend, on_serial, on_openmp) {
  const auto space = Backend::make();
  const auto keep = [&](int values) {
    tandem::parallel_teams(space, {3, 40, 0}, [values](tandem::team& t) {
      tandem::per_lane<std::array<char, 256>> first(t);
      if (values == 2) tandem::per_lane<std::array<char, 256>> second(t);
      if (values == 3) tandem::per_lane<std::array<char, 257>> second(t);
    });
  };
  keep(1);
  keep(2);
  CHECK_THROWS_WITH_AS(
      keep(3),
      doctest::Contains("team: per_lane of 257 bytes: 256 bytes of 512 are left for a lane"),
      tandem::extent_error);
}

TEST_CASE_TEMPLATE("parallel_teams: what lanes keep is aligned as its type demands", Backend,
                   on_serial, on_openmp) {
  struct alignas(64) line {
    char of[64] = {};
  };
  const auto space = Backend::make();
  std::array<int, 50> misplaced{};
  tandem::parallel_teams(space, {50, 7, 5}, [&](tandem::team& t) {
    tandem::per_lane<char> odd(t, 'a');
    tandem::per_lane<line> lines(t);
    t.for_each_lane([&](int lane) {
      const auto address = reinterpret_cast<std::uintptr_t>(&lines[lane]);
      if (odd[lane] != 'a' || address % 64 != 0) misplaced[static_cast<std::size_t>(t.index())] = 1;
    });
  });
  CHECK(misplaced == std::array<int, 50>{});
}
