// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;

namespace {

/// x -> x + amount, as a function object that can be passed around.
template <class View>
struct add {
  View x;
  int amount;

  template <class Space>
  void operator()(const Space& space) const {
    const auto v = x;
    const int by = amount;
    tandem::parallel_for(space, v.size(), body{v, by});
  }

  struct body {
    View x;
    int amount;
    TANDEM_FUNCTION void operator()(tandem::index_t i) const { x(i) += amount; }
  };
};

struct at_least_one {
  TANDEM_FUNCTION bool operator()(float x) const { return x >= 1.0f; }
};

}  // namespace

TEST_CASE_TEMPLATE("graph: recording runs nothing, each replay runs the sequence once", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<int>{1, 2, 3});
  auto v = x.view();
  auto graph = tandem::record(space, [=](const Space& s) {
    tandem::parallel_for(
        s, 3, TANDEM_LAMBDA(int i) { v(i) += 10; });
    tandem::parallel_for(
        s, 3, TANDEM_LAMBDA(int i) { v(i) *= 2; });
  });
  CHECK(to_host(space, x) == std::vector<int>{1, 2, 3});
  graph.replay(space);
  CHECK(to_host(space, x) == std::vector<int>{22, 24, 26});
  graph.replay(space);
  CHECK(to_host(space, x) == std::vector<int>{64, 68, 72});
}

TEST_CASE_TEMPLATE("graph: a function object is a sequence, and an empty one is nothing", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<int>(1000, 1));
  using view = decltype(x.view());
  tandem::graph<Space, add<view>> graph = tandem::record(space, add<view>{x.view(), 5});
  auto empty = tandem::record(space, [](const Space&) {});
  for (int round = 0; round < 3; ++round) {
    empty.replay(space);
    graph.replay(space);
  }
  CHECK(to_host(space, x) == std::vector<int>(1000, 16));
}

TEST_CASE_TEMPLATE("graph: every asynchronous operation gives the bits it gives alone", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  for (const std::size_t n : {std::size_t{1}, std::size_t{33}, std::size_t{4097}, large_size}) {
    CAPTURE(n);
    auto x = to_space(space, random_values<float>(n, n));
    tandem::array<float, 1, Space> y(tandem::extents<1>(n), space);
    tandem::array<float, 1, Space> z(tandem::extents<1>(n), space);
    tandem::array<float, 0, Space> total(tandem::extents<0>{}, space);
    tandem::array<unsigned, 1, Space> counts(tandem::extents<1>(50), space);
    tandem::array<float, 1, Space> weighted(tandem::extents<1>(50), space);
    const auto xv = x.const_view(), yw = y.const_view();
    const auto yv = y.view(), zv = z.view(), wv = weighted.view();
    const auto tv = total.view();
    const auto cv = counts.view();
    const auto sequence = [=](const Space& s) {
      tandem::fill(s, zv, 1.0f);
      tandem::parallel_for(
          s, n, TANDEM_LAMBDA(tandem::index_t i) { yv(i) = xv(i) + zv(i); });
      tandem::parallel_reduce_into(s, yw, tandem::sum<float>{}, tv);
      tandem::histogram(s, yw, {.lo = -50.0f, .hi = 50.0f}, cv);
      tandem::histogram(s, yw, {.lo = -50.0f, .hi = 50.0f}, xv, wv);
      tandem::parallel_scan(s, yw, zv);
    };
    const auto results = [&] {
      auto all = to_host(space, z);
      for (const float f : to_host(space, total)) all.push_back(f);
      for (const unsigned c : to_host(space, counts)) all.push_back(static_cast<float>(c));
      for (const float f : to_host(space, weighted)) all.push_back(f);
      return all;
    };
    sequence(space);
    const auto alone = results();
    auto graph = tandem::record(space, sequence);
    for (int round = 0; round < 3; ++round) {
      tandem::fill(space, zv, -1.0f);
      tandem::fill(space, tv, -1.0f);
      tandem::fill(space, cv, 77u);
      tandem::fill(space, wv, -1.0f);
      graph.replay(space);
      CHECK(first_difference(results(), alone) == -1);
    }
  }
}

TEST_CASE_TEMPLATE("graph: sorts, selections and reductions along an axis replay", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  constexpr int rows = 300, columns = 700, n = rows * columns;
  auto x = to_space(space, random_values<float>(n, 5));
  tandem::array<float, 1, Space> sorted(tandem::extents<1>(n), space);
  tandem::array<float, 1, Space> kept(tandem::extents<1>(n), -1.0f, space);
  tandem::array<tandem::index_t, 0, Space> count(tandem::extents<0>{}, space);
  tandem::array<float, 1, Space> sums(tandem::extents<1>(columns), space);
  const auto xv = x.const_view(), sw = sorted.const_view();
  const auto matrix = tandem::as_view<typename Space::memory_type>(xv.data_handle(), rows, columns);
  const auto sv = sorted.view(), kv = kept.view(), mv = sums.view();
  const auto cv = count.view();
  const auto sequence = [=](const Space& s) {
    tandem::sort(s, xv, sv);
    tandem::copy_if_into(s, sw, kv, at_least_one{}, cv);
    tandem::parallel_reduce_into(s, matrix, tandem::axis{0}, tandem::sum<float>{}, mv);
  };
  const auto results = [&] {
    auto all = to_host(space, sorted);
    for (const float f : to_host(space, kept)) all.push_back(f);
    for (const float f : to_host(space, sums)) all.push_back(f);
    all.push_back(static_cast<float>(to_host(space, count)[0]));
    return all;
  };
  sequence(space);
  const auto alone = results();
  auto graph = tandem::record(space, sequence);
  for (int round = 0; round < 2; ++round) {
    tandem::fill(space, sv, 7.0f);
    tandem::fill(space, mv, 7.0f);
    tandem::fill(space, cv, tandem::index_t{-1});
    graph.replay(space);
    CHECK(first_difference(results(), alone) == -1);
  }
}

TEST_CASE_TEMPLATE("graph: replays of one graph do not overlap, whatever their streams", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto left = Backend::make();
  const auto right = Backend::make();
  tandem::array<int, 1, Space> x(tandem::extents<1>(large_size), 0, left);
  const auto v = x.view();
  left.fence();
  auto graph = tandem::record(left, [=](const Space& s) {
    tandem::parallel_for(
        s, static_cast<int>(large_size), TANDEM_LAMBDA(int i) { v(i) += 1; });
  });
  for (int round = 0; round < 20; ++round) {
    graph.replay(left);
    graph.replay(right);
  }
  left.fence();
  right.fence();
  CHECK(to_host(left, x) == std::vector<int>(large_size, 40));
}

TEST_CASE_TEMPLATE("graph: arrays made while recording live as long as the graph", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  auto x = to_space(space, random_values<int>(large_size, 3));
  tandem::array<int, 1, Space> y(tandem::extents<1>(large_size), 0, space);
  const auto xv = x.const_view();
  const auto yv = y.view();
  auto graph = tandem::record(space, [=](const Space& s) {
    tandem::array<int, 1, Space> between(tandem::extents<1>(large_size), s);
    const auto bv = between.view();
    tandem::parallel_for(
        s, static_cast<int>(large_size), TANDEM_LAMBDA(int i) { bv(i) = xv(i) / 2; });
    tandem::parallel_for(
        s, static_cast<int>(large_size), TANDEM_LAMBDA(int i) { yv(i) += bv(i); });
  });
  // Allocations made now must not reuse the memory of `between`.
  tandem::array<int, 1, Space> other(tandem::extents<1>(large_size), 7, space);
  graph.replay(space);
  graph.replay(space);
  const auto from = to_host(space, x);
  std::vector<int> wanted(large_size);
  for (std::size_t i = 0; i < large_size; ++i) wanted[i] = from[i] / 2 + from[i] / 2;
  CHECK(to_host(space, y) == wanted);
  CHECK(to_host(space, other) == std::vector<int>(large_size, 7));
}

TEST_CASE_TEMPLATE("graph: a moved graph replays, and one that ends leaves its memory in order",
                   Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  auto x = to_space(space, random_values<float>(large_size, 4));
  tandem::array<float, 1, Space> y(tandem::extents<1>(large_size), space);
  const auto xv = x.const_view();
  const auto yv = y.view();
  tandem::parallel_scan(space, xv, yv);
  const auto wanted = to_host(space, y);
  for (int round = 0; round < 20; ++round) {
    auto first = tandem::record(space, [=](const Space& s) { tandem::parallel_scan(s, xv, yv); });
    auto graph = std::move(first);
    tandem::fill(space, yv, 0.0f);
    graph.replay(space);
    graph.replay(space);
  }
  CHECK(first_difference(to_host(space, y), wanted) == -1);
}

TEST_CASE_TEMPLATE("graph: an error in the sequence ends the recording, and the space works on",
                   Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<int>{1, 2, 3});
  const auto v = x.view();
  const auto provoke = [&] {
    auto graph = tandem::record(space, [=](const Space& s) {
      tandem::fill(s, v, 9);
      tandem::array<int, 1, Space> kept(tandem::extents<1>(1000), 1, s);
      tandem::copy(s, v, tandem::subview(kept.view(), tandem::slice{0, 2}));
    });
    graph.replay(space);  // a CPU throws here
  };
  CHECK_THROWS_AS(provoke(), tandem::extent_error);
  tandem::fill(space, v, 4);
  CHECK(to_host(space, x) == std::vector<int>{4, 4, 4});
  auto graph = tandem::record(space, [=](const Space& s) { tandem::fill(s, v, 5); });
  graph.replay(space);
  CHECK(to_host(space, x) == std::vector<int>{5, 5, 5});
}
