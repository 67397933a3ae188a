// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planted.hpp"

#include <atomic>
#include <thread>
#include <vector>

/// Kernels without bugs, including tricky ones: none of them may be reported.

using namespace zoo;
using tandem::array;
using tandem::grid;
using tandem::parallel_for;
using tandem::parallel_reduce;
using tandem::parallel_teams;
using tandem::per_lane;
using tandem::range;
using tandem::team;

namespace {

constexpr int lanes = 32;
constexpr int teams = 4;
constexpr int n = teams * lanes;
constexpr tandem::team_shape shape{teams, lanes, 16384};

int first_of(const team& t) { return static_cast<int>(t.index()) * lanes; }

}  // namespace

TEST_CASE("correct loops: each iteration has its own elements") {
  array<float> a({n}, 1.0f);
  array<float> b(n);
  array<double, 2> m({n, 8}, 1.0);
  array<std::int8_t> bytes(n);
  const auto x = a.view();
  const auto y = b.view();
  const auto p = m.view();
  const auto z = bytes.view();
  parallel_for(n, [=](int i) { y(i) = x(i) + x((i + 1) % n); });
  parallel_for(n, [=](int i) { y(i) += y(i) * x(0); });
  parallel_for(range{1, n - 1}, [=](int i) { x(i) = y(i - 1) + y(i + 1); });
  parallel_for(n, [=](int i) { z(i) = static_cast<std::int8_t>(i); });
  parallel_for(n, [=](unsigned i) { x(n - 1 - static_cast<int>(i)) = 2; });
  parallel_for(n / 2, [=](int i) {
    const float low = x(i);
    x(i) = x(n - 1 - i);
    x(n - 1 - i) = low;
  });
  parallel_for(grid{n, 8}, [=](int j, int i) { p(j, i) = j + i; });
  parallel_for(n, [=](int j) {
    for (int i = 1; i < 8; ++i) p(j, i) += p(j, i - 1);
  });
  parallel_for(grid{2, 4, 8}, [=](int k, int j, int i) { p(4 * k + j, i) = 0; });
  parallel_for(n, [=](int i) {
    float local[4] = {1, 2, 3, 4};
    for (float& v : local) v += x(i);
    y(i) = local[i % 4];
  });
  parallel_for(n, [=](int i) {
    const std::vector<float> own(8, x(i));  // memory that iterations take and give back
    y(i) = own[3];
  });
  CHECK(y(0) == x(0));
  parallel_for(n, [=](int i) { y(i) = i == 0 ? x(0) : x(i) - x(i - 1); });
  parallel_for(n / 4, [=](int i) {
    for (int k = 4 * i; k < 4 * i + 4; ++k) y(k) = y(k) * 2 + y(4 * i);
  });
  parallel_for(0, [=](int) { x(0) = 1; });
  parallel_for(1, [=](int i) { x(i) += x(i); });
  parallel_for(grid{8, n}, [=](int i, int j) { p(j, i) += x(j); });
  parallel_for(n, [=](int i) {
    if (i % 2 == 0) {
      y(i) = x(i + 1);
    } else {
      y(i) = x(i - 1);
    }
  });
}

TEST_CASE("correct loops: atomics alone, and writes of one value") {
  array<int> counts({4}, 0);
  array<double> sums({1}, 0.0);
  const auto c = counts.view();
  const auto s = sums.view();
  parallel_for(n, [=](int i) { tandem::atomic_add(c(i % 4), 1); });
  parallel_for(n, [=](int i) { tandem::atomic_max(c(0), i); });
  parallel_for(n, [=](int i) { tandem::atomic_add(s(0), i); });
  parallel_for(n, [=](int i) { tandem::atomic_compare_exchange(c(1), i, i + 1); });
  parallel_for(n, [=](int) { c(2) = 5; });
  bool is_found = false;
  parallel_for(n, [&](int i) {
    if (i % 3 == 0) is_found = true;
  });
  CHECK(is_found);
  CHECK(s(0) == n * (n - 1) / 2);
}

TEST_CASE("correct reductions: terms that read, and store what is theirs") {
  array<float> a({n}, 1.0f);
  array<float> result({1}, 0.0f);
  const auto x = a.view();
  CHECK(parallel_reduce(n, [=](int i) { return x(i); }) == n);
  CHECK(parallel_reduce(n, [=](int i) { return x(i) = static_cast<float>(i % 2); }) == n / 2);
  CHECK(parallel_reduce(grid{n, 3}, [=](int j, int) { return x(j); }) == 3 * n / 2);
  CHECK(parallel_reduce(grid{2, 3, 4}, [](int k, int j, int i) { return k + j + i; }) == 72);
  CHECK(parallel_reduce(
            range{5, 9}, [](int i) { return i; }, tandem::maximum{}) == 8);
}

TEST_CASE("correct teams: barriers where they belong") {
  array<float> values({n}, 1.0f);
  array<float> results(n);
  const auto x = values.view();
  const auto y = results.view();
  parallel_teams(shape, [=](team& t) {  // a tile with its halo
    float* const tile = t.scratch<float>(lanes + 2);
    const int first = first_of(t);
    t.for_each(lanes + 2, [&](int i) {
      const int from = first + i - 1;
      tile[i] = from >= 0 && from < n ? x(from) : 0;
    });
    t.for_each_lane(
        [&](int lane) { y(first + lane) = tile[lane] + tile[lane + 1] + tile[lane + 2]; });
  });
  parallel_teams(shape, [=](team& t) {  // a tree
    float* const sums = t.scratch<float>(lanes);
    t.for_each_lane([&](int lane) { sums[lane] = 1; });
    for (int half = lanes / 2; half > 0; half /= 2) {
      t.for_each_lane([&](int lane) {
        if (lane < half) sums[lane] += sums[lane + half];
      });
    }
    t.for_each_lane([&](int lane) {
      if (lane == 0) y(t.index()) = sums[0];
    });
  });
  CHECK(y(0) == lanes);
  parallel_teams(shape, [=](team& t) {  // a scan in two buffers, and what lanes keep
    int* const from = t.scratch<int>(lanes);
    int* const to = t.scratch<int>(lanes);
    per_lane<int> own(t, 3);
    t.for_each_lane([&](int lane) { from[lane] = own[lane]; });
    for (int step = 1; step < lanes; step *= 2) {
      t.for_each_lane(
          [&](int lane) { to[lane] = from[lane] + (lane >= step ? from[lane - step] : 0); });
      t.for_each_lane([&](int lane) { from[lane] = to[lane]; });
    }
    t.for_each_lane([&](int lane) { y(first_of(t) + lane) = static_cast<float>(from[lane]); });
  });
  CHECK(y(lanes - 1) == 3 * lanes);
  parallel_teams(shape, [=](team& t) {  // bins with atomics, added up by one lane
    int* const bins = t.scratch<int>(8);
    t.for_each(8, [&](int i) { bins[i] = 0; });
    t.for_each_lane([&](int lane) { tandem::atomic_add(bins[lane % 8], 1); });
    t.for_each_lane([&](int lane) {
      if (lane < 8) y(first_of(t) + lane) = static_cast<float>(bins[lane]);
    });
  });
  CHECK(y(0) == lanes / 8);
  parallel_teams(shape, [=](team& t) {  // a padded tile, transposed
    float* const tile = t.scratch<float>(lanes * (lanes + 1));
    t.for_each(lanes, lanes,
               [&](int i, int j) { tile[i * (lanes + 1) + j] = static_cast<float>(j); });
    t.for_each_lane([&](int lane) { y(first_of(t) + lane) = tile[lane * (lanes + 1) + 1]; });
  });
}

TEST_CASE("correct teams: uniform decisions, and arrays that differ from team to team") {
  array<float> values({n}, 1.0f);
  array<int> totals({teams}, 0);
  const auto x = values.view();
  const auto s = totals.view();
  parallel_teams(shape, [=](team& t) {  // a uniform exit
    if (t.index() == 1) return;
    t.for_each_lane([&](int lane) { x(first_of(t) + lane) = 2; });
  });
  parallel_teams(shape, [=](team& t) {  // every lane writes the flag with one value
    bool is_done = false;
    t.for_each_lane([&](int) { is_done = true; });
    if (is_done) t.for_each_lane([&](int lane) { x(first_of(t) + lane) = 3; });
  });
  parallel_teams(shape, [=](team& t) {  // a decision in scratch, read behind a barrier
    int* const count = t.scratch<int>(1);
    t.for_each_lane([&](int lane) {
      if (lane == 0) count[0] = 2;
    });
    for (int round = 0; round < count[0]; ++round) {
      t.for_each_lane([&](int lane) { x(first_of(t) + lane) += 1; });
    }
  });
  parallel_teams(shape, [=](team& t) {  // scratch by the number of the team
    const int size = 8 + static_cast<int>(t.index());
    auto* const a = t.scratch<double>(size);
    auto* const b = t.scratch<char>(size);
    t.for_each(size, [&](int i) { a[i] = b[i] = 1; });
    t.for_each_lane([&](int lane) {
      if (lane == 0) s(t.index()) = static_cast<int>(a[size - 1]) + b[0];
    });
  });
  CHECK(s(0) == 2);
  parallel_teams(shape, [=](team& t) {  // one total of all teams
    t.for_each_lane([&](int) { tandem::atomic_add(s(0), 1); });
  });
  CHECK(s(0) == 2 + n);
  parallel_teams(shape, [=](team& t) {  // two phases on scratch in turns
    float* const even = t.scratch<float>(lanes);
    float* const odd = t.scratch<float>(lanes);
    t.for_each_lane([&](int lane) { even[lane] = x(first_of(t) + lane); });
    for (int round = 0; round < 4; ++round) {
      const float* const from = round % 2 == 0 ? even : odd;
      float* const to = round % 2 == 0 ? odd : even;
      t.for_each_lane([&](int lane) { to[lane] = from[(lane + 1) % lanes]; });
    }
  });
  parallel_teams(shape, [=](team& t) {  // a lane that works for all
    t.for_each_lane([&](int lane) {
      if (lane != 0) return;
      for (int i = 1; i < lanes; ++i) x(first_of(t)) += x(first_of(t) + i);
    });
    t.for_each_lane([&](int lane) {
      if (lane > 0) x(first_of(t) + lane) = x(first_of(t));
    });
  });
  parallel_teams({teams, 1, 0}, [=](team& t) {  // a team of one lane has no others to disturb
    int count = 0;
    t.for_each_lane([&](int) { count += 2; });
    x(first_of(t)) = static_cast<float>(count);
  });
  CHECK(x(0) == 2);
}

TEST_CASE("correct loops: other threads of the host allocate meanwhile") {
  std::atomic<bool> is_done{false};
  std::atomic<int> arrays{0};
  std::atomic<bool> is_wrong{false};
  const auto allocate = [&] {
    while (!is_done) {
      const array<float, 2> own({8, 600}, 2.0f);
      if (own.view()(7, 599) != 2) is_wrong = true;
      ++arrays;
    }
  };
  std::thread first(allocate);
  std::thread second(allocate);
  for (int round = 0; round < 100 || arrays < 3000; ++round) {
    array<float> values(50 * n);
    const auto x = values.view();
    parallel_for(50 * n, [=](int i) { x(i) = static_cast<float>(i); });
    parallel_for(50 * n, [=](int i) { x(i) += 1; });
    CHECK(x(n) == n + 1);
  }
  is_done = true;
  first.join();
  second.join();
  CHECK_FALSE(is_wrong);
}
