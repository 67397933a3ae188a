// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <tandem/backends/openmp/matmul/epilogue.hpp>
#include <tandem/core/numbers/gelu.hpp>

#include "support/data.hpp"

using namespace tandem::test;

TEST_CASE_TEMPLATE("openmp gelu: vectors have the bits of one element at a time", T, float,
                   double) {
  std::vector<T> values = hostile_values<T>(4001, 4);
  for (int e = std::is_same_v<T, float> ? -149 : -1074; e < 12; ++e) {
    for (const double x : {1.0, 1.37, -1.0, -1.71})
      values.push_back(static_cast<T>(std::ldexp(x, e)));
  }
  std::vector<T> expected = values;
  for (T& x : expected) x = tandem::gelu(x);
  auto got = values;
  tandem::openmp_impl::apply_gelu(got.data(), static_cast<tandem::index_t>(got.size()), 1);
  CHECK(first_difference(got, expected) == -1);
  // Writes every third element and leaves the others untouched.
  got = values;
  tandem::openmp_impl::apply_gelu(got.data(), static_cast<tandem::index_t>(got.size() / 3), 3);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool touched = i % 3 == 0 && i / 3 < got.size() / 3;
    if (!same_bits(got[i], touched ? expected[i] : values[i])) FAIL("element ", i);
  }
}
