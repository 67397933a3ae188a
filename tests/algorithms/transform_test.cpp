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
