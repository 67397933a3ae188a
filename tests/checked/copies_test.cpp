// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planted.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

/// memcpy and similar functions, which compilers also call by themselves.

using namespace zoo;
using tandem::array;
using tandem::parallel_for;
using tandem::parallel_teams;
using tandem::team;

namespace {

constexpr int n = 32;
constexpr int row = 8;

struct triple {
  float a;
  float b;
  float c;
};

/// An array of rows and the values copied to it, which differ.
struct rows {
  array<float> to = array<float>({n * row}, 0.0f);
  array<float> from = array<float>(n * row);

  rows() {
    const auto x = from.view();
    parallel_for(n * row, [=](int i) { x(i) = static_cast<float>(i); });
  }
};

}  // namespace

TEST_CASE("zoo of copies: iterations that copy onto each other's elements") {
  rows r;
  float* const to = r.to.view().data_handle();
  const float* const from = r.from.view().data_handle();
  // A size that compilers do not know.
  const std::vector<std::size_t> sizes(1, row * sizeof(float));
  const std::size_t bytes = sizes[0];
  const auto run = [](const char* name, const auto& body) {
    expect(
        __FILE__, name, "race", [&] { parallel_for(n - 1, body); }, are_neighbours);
  };
  run("memcpy of any size", [=](int i) {
    std::memcpy(to + 4 * i, from + row * i, bytes);  // memcpy of any size
  });
  run("memcpy of 24 bytes", [=](int i) {
    std::memcpy(to + 4 * i, from + row * i, 24);  // memcpy of 24 bytes
  });
  run("memset of any size", [=](int i) {
    std::memset(to + 4 * i, i, bytes);  // memset of any size
  });
  run("memset of 20 bytes", [=](int i) {
    std::memset(to + 4 * i, i, 20);  // memset of 20 bytes
  });
  run("memmove in place", [=](int i) {
    std::memmove(to + 4 * i, to + 4 * i + 4, 4 * sizeof(float));  // memmove in place
  });
  run("std::copy of any size", [=](int i) {
    std::copy_n(from + row * i, bytes / sizeof(float), to + 4 * i);  // std::copy of any size
  });
  run("std::copy of 6 elements", [=](int i) {
    std::copy_n(from + row * i, 6, to + 4 * i);  // std::copy of 6 elements
  });
  array<triple> values({n}, triple{});
  const auto x = values.view();
  run("structures", [=](int i) {
    if (i > 0) x(i - 1) = triple{from[i], 0, 0};  // structures
    x(i) = triple{0, from[i], 0};                 // structures, other
  });
}

TEST_CASE("zoo of copies: beyond an end, without a value, without a barrier") {
  rows r;
  float* const to = r.to.view().data_handle();
  const float* const from = r.from.view().data_handle();
  const auto beyond = [=] {
    parallel_for(n, [=](int i) {
      std::memset(to + row * i, 0, i < n - 1 ? 32 : 36);  // memset beyond the end
    });
  };
  expect(__FILE__, "memset beyond the end", "out of range", beyond,
         [](index_t a, index_t) { return a == n - 1; });
  const auto unwritten = [=] {
    const array<float> fresh(n * row);
    const float* const nothing = fresh.view().data_handle();
    parallel_for(n, [=](int i) {
      std::memcpy(to + row * i, nothing + row * i, row * sizeof(float));  // copy of nothing
    });
  };
  expect(__FILE__, "copy of nothing", "unwritten", unwritten, is_one);
  const auto tiles = [=] {
    parallel_teams({2, n, n * row * sizeof(float)}, [=](team& t) {
      float* const tile = t.scratch<float>(n * row);
      t.for_each_lane([&](int lane) {
        std::memcpy(tile + row * lane, from + row * lane, row * sizeof(float));  // rows of a tile
        if (t.index() == 0) to[lane] = tile[row * (n - 1 - lane)];  // rows of a tile, other
      });
    });
  };
  expect(__FILE__, "rows of a tile", "race", tiles, differ, teams_are::the_same);
}

TEST_CASE("correct copies: rows of their own") {
  rows r;
  float* const to = r.to.view().data_handle();
  const float* const from = r.from.view().data_handle();
  array<triple> values({n}, triple{});
  const auto x = values.view();
  parallel_for(n, [=](int i) {
    float mine[row];
    std::memcpy(mine, from + row * i, sizeof mine);
    std::memset(to + row * i, 0, sizeof mine);
    std::copy(mine, mine + row, to + row * i);
    std::memmove(to + row * i, to + row * i + 1, (row - 1) * sizeof(float));
    x(i) = triple{mine[0], mine[1], mine[2]};
    std::vector<float> kept(mine, mine + row);
    kept.insert(kept.end(), mine, mine + row);
    std::memcpy(&to[row * i + row - 1], &kept[row], sizeof(float));
  });
  CHECK(to[row] == row + 1);
  CHECK(to[n * row - 1] == (n - 1) * row);
  CHECK(x(n - 1).c == (n - 1) * row + 2);
}

TEST_CASE("correct copies: one row of the same values from all is a benign race") {
  rows r;
  float* const to = r.to.view().data_handle();
  const float* const from = r.from.view().data_handle();
  parallel_for(n, [=](int) { std::memcpy(to, from, row * sizeof(float)); });
  CHECK(to[row - 1] == row - 1);
}
