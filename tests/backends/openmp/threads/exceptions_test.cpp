// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An exception that a user's function object throws on any thread reaches the caller, from every
// operation that takes one, and the library remains usable. (Loops, sums, scans and selections have
// separate files.)

#include <doctest/doctest.h>

#include <stdexcept>

#include <tandem/tandem.hpp>

using tandem::index_t;

namespace {

constexpr index_t large = 300000;

/// Throws when it is called with a given value.
struct thrower {
  float at;

  float operator()(float x) const {
    if (x == at) throw std::runtime_error("bad element");
    return x;
  }
};

tandem::array<float, 1, tandem::openmp> numbered(const tandem::openmp& space, index_t n) {
  tandem::array<float, 1, tandem::openmp> x(tandem::extents<1>(n), space);
  const auto v = x.view();
  tandem::parallel_for(space, n, [=](index_t i) { v(i) = static_cast<float>(i); });
  return x;
}

/// Checks that f(at) throws for an element of the first thread's partition, of the last one's and
/// in between.
template <class Function>
void check_throws(const Function& f) {
  for (const int threads : {1, 2, 5}) {
    const tandem::openmp space(threads);
    for (const index_t at : {index_t{0}, large / 2, large - 1}) {
      CAPTURE(threads);
      CAPTURE(at);
      CHECK_THROWS_WITH_AS(f(space, static_cast<float>(at)), "bad element", std::runtime_error);
    }
    CHECK(tandem::parallel_reduce(space, 1000, [](int) { return 1; }) == 1000);
  }
}

}  // namespace

TEST_CASE("openmp exceptions: of a team's kernel") {
  check_throws([](const tandem::openmp& space, float at) {
    const thrower f{at};
    tandem::parallel_teams(space, {300, 1000, 0}, [=](tandem::team& t) {
      t.for_each_lane([&](int lane) { f(static_cast<float>(t.index() * 1000 + lane)); });
    });
  });
}

TEST_CASE("openmp exceptions: of a transform") {
  check_throws([](const tandem::openmp& space, float at) {
    auto x = numbered(space, large);
    tandem::transform(space, x.const_view(), x.view(), thrower{at});
  });
}

TEST_CASE("openmp exceptions: of the terms of sums over an axis") {
  check_throws([](const tandem::openmp& space, float at) {
    const thrower f{at};
    for (const int along : {0, 1}) {
      tandem::array<float, 1, tandem::openmp> sums(tandem::extents<1>(along == 0 ? 300 : 1000),
                                                   space);
      tandem::parallel_reduce_into(
          space, tandem::grid{1000, 300}, tandem::axis{along},
          [=](index_t j, index_t i) { return f(static_cast<float>(j * 300 + i)); },
          tandem::sum<float>{}, sums.view());
    }
  });
}

TEST_CASE("openmp exceptions: of an operation that combines terms") {
  check_throws([](const tandem::openmp& space, float at) {
    const auto x = numbered(space, large);
    const auto larger = [=](float a, float b) {
      if (a == at || b == at) throw std::runtime_error("bad element");
      return a > b ? a : b;
    };
    tandem::parallel_reduce(space, x.const_view(), tandem::reduction{larger, -1.0f});
  });
}

TEST_CASE("openmp exceptions: of a function of a product's elements") {
  check_throws([](const tandem::openmp& space, float at) {
    const thrower f{at};
    const auto x = numbered(space, large);
    tandem::array<float, 1, tandem::openmp> ones(tandem::extents<1>(1), 1.0f, space);
    tandem::array<float, 2, tandem::openmp> c(tandem::extents<2>(1, large), space);
    tandem::matmul(space, tandem::as_view<tandem::host_memory>(ones.data_handle(), 1, 1),
                   tandem::as_view<tandem::host_memory>(x.data_handle(), 1, large), c.view(), {},
                   f);
  });
}
