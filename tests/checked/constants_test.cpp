// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planted.hpp"

/// Views of const elements, which a GPU reads through a cache that knows no writes.

using namespace zoo;
using tandem::array;
using tandem::grid;
using tandem::parallel_for;
using tandem::parallel_teams;
using tandem::team;

namespace {

constexpr int n = 64;
constexpr int lanes = 32;

bool same(index_t a, index_t b) { return a == b && a >= 0; }

}  // namespace

TEST_CASE("zoo of constants: elements that change under a view of const elements") {
  array<float> values({n}, 1.0f);
  array<double, 2> plane({n, 4}, 1.0);
  array<std::int8_t> bytes({n}, std::int8_t{1});
  array<float> results({n}, 0.0f);
  const auto x = values.view().named("x");
  const auto k = values.const_view();
  const auto p = plane.view().named("p");
  const auto q = plane.const_view();
  const auto b = bytes.view().named("b");
  const auto c = bytes.const_view();
  const auto y = results.view();
  const auto run = [](const char* name, const auto& f, const auto& lanes_are) {
    expect(__FILE__, name, "constant", f, lanes_are);
  };
  const auto behind = [=] {
    parallel_for(n, [=](int i) {
      x(i) = 2;     // write before a constant read, other
      y(i) = k(i);  // write before a constant read
    });
  };
  run("write before a constant read", behind, same);
  const auto in_front = [=] {
    parallel_for(n, [=](int i) {
      y(i) = k(i);  // write behind a constant read, other
      x(i) = 2;     // write behind a constant read
    });
  };
  run("write behind a constant read", in_front, same);
  const auto update = [=] {
    parallel_for(grid{n, 4}, [=](int j, int i) {
      p(j, i) = 2 * q(j, i);  // update through two views
    });
  };
  run("update through two views", update, any);
  const auto narrow = [=] {
    parallel_for(n, [=](int i) {
      b(i) = static_cast<std::int8_t>(c(i) + 1);  // update of bytes
    });
  };
  run("update of bytes", narrow, same);
  const auto phases = [=](team& t) {
    const auto first = static_cast<int>(t.index()) * lanes;
    t.for_each_lane([&](int lane) {
      x(first + lane) = 3;  // constant read of a later phase, other
    });
    t.for_each_lane([&](int lane) {
      y(first + lane) = k(first + (lane + 1) % lanes);  // constant read of a later phase
    });
  };
  run(
      "constant read of a later phase",
      [&] {
        parallel_teams({2, lanes, 0}, phases);
      },
      differ);
}

TEST_CASE("correct constants: elements beside those that change") {
  array<float> values({n}, 1.0f);
  array<float> results({n}, 0.0f);
  array<std::int8_t> bytes({n}, std::int8_t{1});
  const auto x = values.view();
  const auto k = values.const_view();
  const auto y = results.view();
  const auto b = bytes.view();
  const auto c = bytes.const_view();
  parallel_for(n / 2, [=](int i) { x(i) = k(n / 2 + i) + 1; });
  CHECK(x(3) == 2);
  parallel_for(n / 2, [=](int i) { b(2 * i) = static_cast<std::int8_t>(c(2 * i + 1) + 1); });
  CHECK(b(2) == 2);
  parallel_for(n, [=](int i) { x(i) = 3; });  // another operation than the reads
  parallel_for(n, [=](int i) { y(i) = k(i); });
  CHECK(y(5) == 3);
  tandem::transform(k, x, [](float v) { return v + 1; });  // in place
  CHECK(x(5) == 4);
  tandem::parallel_scan(k, x);
  CHECK(x(1) == 8);
  parallel_teams({2, lanes, 4 * lanes}, [=](team& t) {
    const auto tile = t.shared<float>(lanes);
    const auto first = static_cast<int>(t.index()) * lanes;
    t.for_each_lane([&](int lane) { tile(lane) = k(first + lane); });
    t.for_each_lane([&](int lane) { y(first + lane) = tile((lane + 1) % lanes); });
  });
  CHECK(y(0) == 8);
}
