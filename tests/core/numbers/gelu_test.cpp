// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <tandem/core/numbers/gelu.hpp>

#include "support/data.hpp"

using namespace tandem::test;

namespace {

/// Returns the distance from gelu(x) in units in the last place; the C library's erfc is accurate
/// enough as the reference.
template <class T>
double error_in_units(T x) {
  const long double exact = 0.5L * x * std::erfc(-static_cast<long double>(x) / std::sqrt(2.0L));
  const T near = static_cast<T>(std::fabs(exact));
  const long double unit =
      static_cast<long double>(std::nextafter(near, std::numeric_limits<T>::max())) - near;
  return static_cast<double>(std::fabs(static_cast<long double>(tandem::gelu(x)) - exact) / unit);
}

/// Returns the largest error among values of either sign and every magnitude down to the smallest.
template <class T>
double largest_error(T end, int smallest_exponent) {
  double largest = 0;
  for (std::uint64_t i = 0; i < 200000; ++i) {
    const double unit = static_cast<double>(mix(i) >> 11) * 0x1p-53;
    const T spread = static_cast<T>((i % 3 == 0 ? -1 : 0.4) * unit) * end;
    const int exponent = -static_cast<int>(mix(i + 7) % static_cast<unsigned>(smallest_exponent));
    const T tiny = static_cast<T>(std::ldexp(i % 2 == 0 ? unit : -unit, exponent));
    largest = std::fmax(largest, error_in_units(i % 3 == 2 ? tiny : spread));
  }
  return largest;
}

}  // namespace

TEST_CASE("gelu: within five units of the last place, the tail of tiny results included") {
  CHECK(largest_error(15.0f, 140) < 5);
  CHECK(largest_error(39.5, 1060) < 5);
}

TEST_CASE_TEMPLATE("gelu: zeros keep their sign, infinity its place, NaN stays NaN", T, float,
                   double) {
  using limits = std::numeric_limits<T>;
  CHECK(same_bits(tandem::gelu(T(0.0)), T(0.0)));
  CHECK(same_bits(tandem::gelu(T(-0.0)), T(-0.0)));
  CHECK(tandem::gelu(limits::infinity()) == limits::infinity());
  CHECK(same_bits(tandem::gelu(-limits::infinity()), T(-0.0)));
  CHECK(tandem::gelu(limits::max()) == limits::max());
  CHECK(same_bits(tandem::gelu(limits::lowest()), T(-0.0)));
  CHECK(std::isnan(tandem::gelu(limits::quiet_NaN())));
  CHECK(std::isnan(tandem::gelu(-limits::quiet_NaN())));
  CHECK(tandem::gelu(4 * limits::denorm_min()) == 2 * limits::denorm_min());
  CHECK(tandem::gelu(-4 * limits::denorm_min()) == -2 * limits::denorm_min());
}

TEST_CASE("gelu: the bits that it had when it was written") {
  std::vector<float> floats(5000);
  std::vector<double> doubles(5000);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    floats[i] = tandem::gelu(random_value<float>(5, i) / 4);
    doubles[i] = tandem::gelu(random_value<double>(6, i) / 4);
  }
  CHECK(hash_of(floats) == 2902542442227547249u);
  CHECK(hash_of(doubles) == 7842370656654942468u);
}
