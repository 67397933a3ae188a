// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions that fuse products into sums follow the order that docs/numerics.md states, evaluated
// with the C library's fma, on every backend.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <cmath>

using namespace tandem::test;

namespace {

template <class T>
struct cubic {
  TANDEM_FUNCTION T operator()(T x) const { return tandem::polynomial(x, 1, -0.3, T(0.7), 1.1f); }
};

template <class T>
struct pair_dot {
  TANDEM_FUNCTION T operator()(T x, T y) const { return tandem::fused_dot(x, y, y, y, x, T(0.1)); }
};

template <class T, class Backend>
void check_fused(const Backend&) {
  const auto space = Backend::make();
  const auto xs = random_values<T>(large_size, 1);
  const auto ys = random_values<T>(large_size, 2);
  const auto x = to_space(space, xs);
  const auto y = to_space(space, ys);
  tandem::array<T, 1, typename Backend::space> z(tandem::extents<1>(large_size), space);
  std::vector<T> wanted(large_size);
  tandem::transform(space, x.const_view(), z.view(), cubic<T>{});
  for (std::size_t i = 0; i < large_size; ++i) {
    const T inner = std::fma(T(1.1f), xs[i], T(0.7));
    wanted[i] = std::fma(std::fma(inner, xs[i], T(-0.3)), xs[i], T(1));
  }
  CHECK(first_difference(to_host(space, z), wanted) == -1);
  tandem::transform(space, x.const_view(), y.const_view(), z.view(), pair_dot<T>{});
  for (std::size_t i = 0; i < large_size; ++i)
    wanted[i] = std::fma(xs[i], T(0.1), std::fma(ys[i], ys[i], xs[i] * ys[i]));
  CHECK(first_difference(to_host(space, z), wanted) == -1);
}

}  // namespace

TEST_CASE_TEMPLATE("fused: polynomials and dot products of pairs have one order", Backend,
                   TANDEM_TEST_BACKENDS) {
  check_fused<float>(Backend{});
  check_fused<double>(Backend{});
}

TEST_CASE("fused: each addition is rounded once") {
  const float x = 1 + 0x1p-12f;
  CHECK(tandem::fused_dot(-1.0f, 1.0f, x, x) == 0x1p-11f + 0x1p-24f);
  CHECK(tandem::fused_dot(x, x, -1.0f, 1.0f) == 0x1p-11f);  // the first product is rounded
  CHECK(tandem::polynomial(x, -1, 0, 1) == 0x1p-11f + 0x1p-24f);
  CHECK(tandem::polynomial(2.0, 7) == 7.0);
  CHECK(tandem::polynomial(2.0, 7, 5) == 17.0);
  CHECK(tandem::fused_dot(3.0, 5.0) == 15.0);
}
