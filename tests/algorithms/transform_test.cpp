// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;

TEST_CASE_TEMPLATE("transform: one input, two inputs, in place", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto as = random_values<float>(large_size, 1);
  const auto bs = random_values<float>(large_size, 2);
  auto a = to_space(space, as);
  auto b = to_space(space, bs);
  tandem::array<float, 1, typename Backend::space> y(tandem::extents<1>(large_size), space);
  tandem::transform(
      space, a.view(), y.view(), TANDEM_LAMBDA(float x) { return 2.0f * x; });
  auto wanted = as;
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = 2.0f * as[i];
  CHECK(first_difference(to_host(space, y), wanted) == -1);
  tandem::transform(
      space, a.view(), b.const_view(), y.view(), TANDEM_LAMBDA(float p, float q) { return p * q; });
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = as[i] * bs[i];
  CHECK(first_difference(to_host(space, y), wanted) == -1);
  tandem::transform(
      space, y.view(), a.view(), y.view(), TANDEM_LAMBDA(float p, float q) { return p + q; });
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = wanted[i] + as[i];
  CHECK(first_difference(to_host(space, y), wanted) == -1);
}

TEST_CASE_TEMPLATE("transform: any input may be the output", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : {std::size_t{1}, std::size_t{33}, large_size}) {
    const auto as = random_values<double>(n, 1);
    const auto bs = random_values<double>(n, 2);
    auto y = to_space(space, as);
    auto b = to_space(space, bs);
    auto wanted = as;
    tandem::transform(
        space, y.view(), y.view(), TANDEM_LAMBDA(double p) { return p + 1; });
    for (double& w : wanted) w = w + 1;
    CHECK(first_difference(to_host(space, y), wanted) == -1);
    tandem::transform(
        space, y.view(), b.view(), y.view(),
        TANDEM_LAMBDA(double p, double q) { return 2 * p - q; });
    for (std::size_t i = 0; i < n; ++i) wanted[i] = 2 * wanted[i] - bs[i];
    CHECK(first_difference(to_host(space, y), wanted) == -1);
    tandem::transform(
        space, b.const_view(), y.view(), y.view(),
        TANDEM_LAMBDA(double p, double q) { return 2 * p - q; });
    for (std::size_t i = 0; i < n; ++i) wanted[i] = 2 * bs[i] - wanted[i];
    CHECK(first_difference(to_host(space, y), wanted) == -1);
    tandem::transform(
        space, y.view(), y.view(), y.view(), TANDEM_LAMBDA(double p, double q) { return p * q; });
    for (double& w : wanted) w = w * w;
    CHECK(first_difference(to_host(space, y), wanted) == -1);
  }
}

TEST_CASE_TEMPLATE("transform: three and four inputs, one or more of them the output", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const std::size_t n = 5000;
  const auto as = random_values<float>(n, 1);
  const auto bs = random_values<float>(n, 2);
  const auto cs = random_values<double>(n, 3);
  auto a = to_space(space, as);
  const auto b = to_space(space, bs);
  const auto c = to_space(space, cs);
  const auto mix = TANDEM_LAMBDA(float p, float q, double r) { return double(p) * q - r; };
  const auto mixed = [](float p, float q, double r) { return double(p) * q - r; };
  tandem::array<double, 1, typename Backend::space> y(tandem::extents<1>(n), space);
  tandem::transform(space, a, b, c, y, mix);
  std::vector<double> wanted(n);
  for (std::size_t i = 0; i < n; ++i) wanted[i] = mixed(as[i], bs[i], cs[i]);
  CHECK(first_difference(to_host(space, y), wanted) == -1);
  tandem::transform(space, a, b, y, y, mix);
  for (std::size_t i = 0; i < n; ++i) wanted[i] = mixed(as[i], bs[i], wanted[i]);
  CHECK(first_difference(to_host(space, y), wanted) == -1);
  tandem::transform(
      space, y, c, y, b, y,
      TANDEM_LAMBDA(double p, double q, double r, float s) { return p + 2 * q - r * s; });
  for (std::size_t i = 0; i < n; ++i) wanted[i] = wanted[i] + 2 * cs[i] - wanted[i] * bs[i];
  CHECK(first_difference(to_host(space, y), wanted) == -1);
}

TEST_CASE_TEMPLATE("transform: several outputs, one of them an input", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const int rows = 37;
  const int columns = 53;
  const std::size_t n = std::size_t{37} * 53;
  const auto xs = random_values<float>(n, 1);
  const auto x = to_space(space, xs);
  auto y = to_space(space, xs);
  tandem::array<int, 2, typename Backend::space, tandem::layout_left> sign(
      tandem::extents<2>(rows, columns), 7, space);
  const auto matrix = tandem::reshape(y.view(), rows, columns);
  tandem::transform(
      space, tandem::reshape(x.const_view(), rows, columns), matrix, tandem::tie(matrix, sign),
      TANDEM_LAMBDA(float p, float q) { return tandem::make_tuple(p + q, p < 0.0f ? -1 : 1); });
  std::vector<float> sums(n);
  std::vector<int> signs(n);
  for (std::size_t i = 0; i < n; ++i) {
    sums[i] = xs[i] + xs[i];
    signs[i] = xs[i] < 0.0f ? -1 : 1;
  }
  CHECK(first_difference(to_host(space, y), sums) == -1);
  CHECK(to_host(space, sign) == signs);
  const auto twice = TANDEM_LAMBDA(float p) { return tandem::make_tuple(p, p); };
  CHECK_THROWS_WITH_AS(tandem::transform(space, x, tandem::tie(y, y), twice),
                       "transform: two outputs overlap", tandem::argument_error);
  const auto shorter = tandem::subview(y.view(), tandem::slice{1, rows});
  CHECK_THROWS_WITH_AS(tandem::transform(space, x, tandem::tie(y, shorter), twice),
                       "transform: extent 0 of x (1961) != extent 0 of output 1 (36)",
                       tandem::extent_error);
  CHECK(first_difference(to_host(space, y), sums) == -1);
}

TEST_CASE_TEMPLATE("transform: a matrix onto itself, with a row of gaps between its rows", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<int, 2, typename Backend::space> x(tandem::extents<2>(70, 300), 1, space);
  const auto inner = tandem::subview(x.view(), tandem::slice{1, 69}, tandem::slice{2, 259});
  tandem::transform(
      space, inner, inner, TANDEM_LAMBDA(int k) { return k + 4; });
  const auto got = to_host(space, x);
  bool right = true;
  for (int j = 0; j < 70; ++j) {
    for (int i = 0; i < 300; ++i) {
      const bool inside = j >= 1 && j < 69 && i >= 2 && i < 259;
      right &= got[static_cast<std::size_t>(300 * j + i)] == (inside ? 5 : 1);
    }
  }
  CHECK(right);
}

TEST_CASE_TEMPLATE("transform: pitched windows keep what lies between their rows", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr int rows = 300;
  constexpr int columns = 1000;
  constexpr int pitch = columns + 7;
  const auto as = random_values<float>(rows * pitch, 1);
  auto a = to_space(space, as);
  auto b = to_space(space, as);
  const auto window = [](const auto& memory) {
    using view = tandem::view<float, 2, tandem::layout_right_padded,
                              typename std::remove_cvref_t<decltype(memory)>::memory_type>;
    const tandem::layout_right_padded::mapping<2> rows_apart({rows, columns}, pitch);
    return view(memory.data_handle(), rows_apart);
  };
  tandem::transform(
      space, window(a.view()), window(b.view()), TANDEM_LAMBDA(float x) { return 2.0f * x; });
  tandem::transform(
      space, window(a.view()), window(a.view()), TANDEM_LAMBDA(float x) { return 2.0f * x; });
  auto wanted = as;
  for (std::size_t e = 0; e < wanted.size(); ++e) {
    if (e % pitch < columns) wanted[e] = 2.0f * as[e];
  }
  CHECK(first_difference(to_host(space, a), wanted) == -1);
  CHECK(first_difference(to_host(space, b), wanted) == -1);
}

TEST_CASE_TEMPLATE("transform: matrices of different layouts and element types", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<int, 2, typename Backend::space> x(tandem::extents<2>(37, 53), space);
  auto v = x.view();
  tandem::parallel_for(
      space, tandem::grid{37, 53}, TANDEM_LAMBDA(int j, int i) { v(j, i) = 53 * j + i; });
  tandem::array<double, 2, typename Backend::space, tandem::layout_left> y(
      tandem::extents<2>(37, 53), space);
  tandem::transform(
      space, v, y.view(), TANDEM_LAMBDA(int k) { return 0.5 * k; });
  const auto got = to_host(space, y);
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == 0.5 * static_cast<double>(i));
}

TEST_CASE_TEMPLATE("transform: what it refuses", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<int>{1, 2, 3, 4});
  auto y = to_space(space, std::vector<int>{1, 2, 3});
  const auto same = TANDEM_LAMBDA(int k) { return k; };
  CHECK_THROWS_WITH_AS(tandem::transform(space, x.view(), y.view(), same),
                       "transform: extent 0 of x (4) != extent 0 of y (3)", tandem::extent_error);
  const auto head = tandem::subview(x.view(), tandem::slice{0, 3});
  const auto tail = tandem::subview(x.view(), tandem::slice{1, 4});
  CHECK_THROWS_AS(tandem::transform(space, head, tail, same), tandem::argument_error);
  CHECK(to_host(space, x) == std::vector<int>{1, 2, 3, 4});
}
