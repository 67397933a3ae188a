// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and element-wise operations on groups have the bits of serial, wherever the rows are cut.

#include "distributed/support.hpp"

using namespace tandem::test;

namespace {

struct axpy {
  float a;

  template <class X, class Y>
  TANDEM_FUNCTION void operator()(tandem::index_t i, const X& x, const Y& y) const {
    y(i) += a * x(i) + static_cast<float>(i);
  }
};

/// A step of the heat equation, whose border stays as it is.
struct heat {
  template <class U, class V>
  TANDEM_FUNCTION void operator()(tandem::index_t j, tandem::index_t i, const U& u,
                                  const V& v) const {
    v(j, i) =
        u(j, i) + 0.2f * (u(j - 1, i) + u(j + 1, i) + u(j, i - 1) + u(j, i + 1) - 4.0f * u(j, i));
  }
};

struct mark_volume {
  template <class X, class W>
  TANDEM_FUNCTION void operator()(tandem::index_t k, tandem::index_t j, tandem::index_t i,
                                  const X& x, const W& w) const {
    x(k, j, i) += w(j) + static_cast<float>(100 * k + 10 * j + i);
  }
};

struct scaled_sum {
  TANDEM_FUNCTION float operator()(float a, float b) const { return 2 * a + b; }
};

template <class Space>
std::vector<float> heat_steps(const Space& space, tandem::index_t ny, tandem::index_t nx,
                              const std::vector<float>& start, int steps) {
  tandem::array<float, 2, Space> u({ny, nx}, space);
  tandem::array<float, 2, Space> v({ny, nx}, space);
  tandem::copy(space, start, u);
  tandem::copy(space, start, v);
  for (int step = 0; step < steps; ++step) {
    tandem::parallel_for(space, tandem::grid{{1, ny - 1}, {1, nx - 1}}, heat{}, u, v);
    std::swap(u, v);
  }
  return tandem::to_vector(space, u);
}

}  // namespace

TEST_CASE_TEMPLATE("groups: loops over lines, windows and parts of them", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto xs = random_values<float>(10007, 1);
  const auto ys = random_values<float>(10007, 2);
  const tandem::serial serial;
  const tandem::array<float, 1, tandem::serial> x0(xs, serial);
  tandem::array<float, 1, tandem::serial> y0(ys, serial);
  tandem::parallel_for(serial, 10007, axpy{3}, x0, y0);
  tandem::parallel_for(serial, tandem::range(100, 9000), axpy{2}, x0, y0);
  const auto wanted = tandem::to_vector(serial, y0);
  for_each_cut<Space>(10007, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<float, 1, Space> x({10007}, members, where, tandem::halo{2});
    tandem::sharded<float, 1, Space> y({10007}, members, where);
    tandem::copy(members, xs, x);
    tandem::copy(members, ys, y);
    tandem::parallel_for(members, 10007, axpy{3}, x, y);
    tandem::parallel_for(members, tandem::range(100, 9000).template with_block<128>(), axpy{2}, x,
                         y);
    CHECK(first_difference(tandem::to_vector(members, y), wanted) == -1);
  });
}

TEST_CASE_TEMPLATE("groups: a stencil with its halo is exchanged by any cut", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const tandem::index_t ny = 67;
  const tandem::index_t nx = 19;
  const auto start = random_values<float>(67 * 19, 5);
  const auto wanted = heat_steps(Backend::make(), ny, nx, start, 5);
  for_each_cut<Space>(ny, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<float, 2, Space> u({ny, nx}, members, where, tandem::halo{1});
    tandem::sharded<float, 2, Space> v({ny, nx}, 0.0f, members, tandem::halo{1}, where);
    tandem::copy(members, start, u);
    tandem::copy(members, u, v);
    for (int step = 0; step < 5; ++step) {
      tandem::exchange(members, u);
      tandem::parallel_for(members, tandem::grid{{1, ny - 1}, {1, nx - 1}}, heat{}, u, v);
      std::swap(u, v);
    }
    CHECK(first_difference(tandem::to_vector(members, u), wanted) == -1);
  });
}

TEST_CASE_TEMPLATE("groups: grids of three dimensions and replicated arguments", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const auto weights = random_values<float>(5, 7);
  const auto start = random_values<float>(11 * 5 * 7, 8);
  tandem::array<float, 3, Space> x0({11, 5, 7}, space);
  const tandem::array<float, 1, Space> w0(weights, space);
  tandem::copy(space, start, x0);
  tandem::parallel_for(space, tandem::grid{11, 5, 7}, mark_volume{}, x0, w0);
  tandem::parallel_for(space, tandem::grid{{2, 9}, {0, 5}, {1, 3}}, mark_volume{}, x0, w0);
  const auto wanted = tandem::to_vector(space, x0);
  for_each_cut<Space>(11, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<float, 3, Space> x({11, 5, 7}, members, where);
    tandem::sharded<float, 1, Space> w({5}, members, tandem::replicated);
    tandem::copy(members, start, x);
    tandem::copy(members, weights, w);
    tandem::parallel_for(members, tandem::grid{11, 5, 7}.template with_block<1, 4, 8>(),
                         mark_volume{}, x, std::as_const(w));
    tandem::parallel_for(members, tandem::without_vectors(tandem::grid{{2, 9}, {0, 5}, {1, 3}}),
                         mark_volume{}, x, std::as_const(w));
    CHECK(first_difference(tandem::to_vector(members, x), wanted) == -1);
  });
}

TEST_CASE_TEMPLATE("groups: fill, iota, fill_random and transform", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const tandem::serial serial;
  const tandem::index_t n = 20011;
  tandem::array<float, 1, tandem::serial> x0({n}, serial);
  tandem::array<float, 1, tandem::serial> y0({n}, serial);
  tandem::array<int, 1, tandem::serial> i0({n}, serial);
  tandem::array<double, 1, tandem::serial> r0({n}, serial);
  tandem::fill_random(serial, x0, tandem::normal{}, 11);
  tandem::iota(serial, y0, 0.5f, 0.25f);
  tandem::transform(serial, x0, y0, y0, scaled_sum{});
  tandem::fill_random(serial, i0, tandem::uniform_int<int>{-5, 1000}, 12);
  tandem::fill_random(serial, r0, tandem::exponential{}, 13);
  const auto y_wanted = tandem::to_vector(serial, y0);
  const auto i_wanted = tandem::to_vector(serial, i0);
  const auto r_wanted = tandem::to_vector(serial, r0);
  for_each_cut<Space>(n, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<float, 1, Space> x({n}, members, where);
    tandem::sharded<float, 1, Space> y({n}, members, where, tandem::halo{1});
    tandem::sharded<float, 1, Space> everywhere({n}, members, tandem::replicated);
    tandem::fill_random(members, x, tandem::normal{}, 11);
    tandem::fill_random(members, everywhere, tandem::normal{}, 11);
    tandem::iota(members, y, 0.5f, 0.25f);
    tandem::transform(members, everywhere, y, y, scaled_sum{});
    CHECK(first_difference(tandem::to_vector(members, y), y_wanted) == -1);
    tandem::iota(members, y, 0.5f, 0.25f);
    tandem::transform(members, x, y, y, scaled_sum{});
    CHECK(first_difference(tandem::to_vector(members, y), y_wanted) == -1);
    tandem::sharded<int, 1, Space> i({n}, 3, members, where);
    tandem::sharded<double, 1, Space> r({n}, members, where);
    tandem::fill_random(members, i, tandem::uniform_int<int>{-5, 1000}, 12);
    tandem::fill_random(members, r, tandem::exponential{}, 13);
    CHECK(first_difference(tandem::to_vector(members, i), i_wanted) == -1);
    CHECK(first_difference(tandem::to_vector(members, r), r_wanted) == -1);
    tandem::fill(members, i, 8);
    CHECK(tandem::to_vector(members, i) == std::vector<int>(20011, 8));
  });
}

TEST_CASE_TEMPLATE("groups: what loops refuse", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  const auto fewer = tandem::shards<Space>(2);
  tandem::sharded<float, 1, Space> x({10}, 1.0f, members, tandem::cut::of({5, 5, 0}));
  tandem::sharded<float, 1, Space> y({10}, 1.0f, members, tandem::cut::of({5, 4, 1}));
  CHECK_THROWS_WITH_AS(
      tandem::parallel_for(members, 10, axpy{1}, x, y),
      "parallel_for: arrays are cut at rows 0, 5, 10, 10 and 0, 5, 9, 10: make both "
      "with the rows() of one, or copy()",
      tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_for(members, 11, axpy{1}, x, x),
                       "parallel_for: last index (10) >= rows of the sharded arguments (10)",
                       tandem::extent_error);
  CHECK_THROWS_AS(tandem::parallel_for(members, tandem::range(-1, 3), axpy{1}, x, x),
                  tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_for(fewer, 10, axpy{1}, x, x),
                       "parallel_for: an array has parts of 3 members, and the group 2",
                       tandem::argument_error);
  CHECK_THROWS_AS(tandem::parallel_reduce(fewer, x), tandem::argument_error);
  CHECK_THROWS_AS((tandem::sharded<float, 1, Space>({10}, members, tandem::cut::of({5, 5}))),
                  tandem::extent_error);
  CHECK_THROWS_AS((tandem::sharded<float, 1, Space>({10}, members, tandem::cut::of({5, 4, 2}))),
                  tandem::extent_error);
  CHECK_THROWS_AS((tandem::sharded<float, 1, Space>({10}, members, tandem::halo{-1})),
                  tandem::extent_error);
  CHECK_THROWS_AS(
      (tandem::sharded<float, 1, Space>({10}, members, tandem::replicated, tandem::halo{1})),
      tandem::argument_error);
  CHECK_THROWS_AS(tandem::shards<Space>(0), tandem::argument_error);
  const std::vector<float> short_one(9);
  CHECK_THROWS_AS(tandem::copy(members, short_one, x), tandem::extent_error);
  const tandem::index_t too_many = tandem::index_t{1} << 61;
  CHECK_THROWS_AS((tandem::sharded<float, 1, Space>({too_many}, members)), tandem::extent_error);
}
