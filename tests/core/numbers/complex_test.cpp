// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>

#include <tandem/tandem.hpp>

#include "support/data.hpp"

using tandem::test::random_value;
using tandem::test::same_bits;

namespace {

template <class T>
tandem::complex<T> random_complex(std::uint64_t seed, std::uint64_t i) {
  return {random_value<T>(seed, 2 * i), random_value<T>(seed, 2 * i + 1)};
}

template <class T>
bool same(tandem::complex<T> a, std::complex<T> b) {
  return same_bits(a.real(), b.real()) && same_bits(a.imag(), b.imag());
}

/// Returns |a - b| in units of the roundoff of |b|.
template <class T>
double error_of(tandem::complex<T> a, std::complex<long double> b) {
  const std::complex<long double> wide(a.real(), a.imag());
  const long double unit = std::numeric_limits<T>::epsilon() / 2;
  return static_cast<double>(std::abs(wide - b) / (unit * std::abs(b)));
}

}  // namespace

TEST_CASE_TEMPLATE("complex: sums and products have the bits of std::complex", T, float, double) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto a = random_complex<T>(1, i);
    const auto b = random_complex<T>(2, i);
    const std::complex<T> x = a;
    const std::complex<T> y = b;
    CHECK(same(a + b, x + y));
    CHECK(same(a - b, x - y));
    CHECK(same(a * b, x * y));
    CHECK(same(-a, -x));
    CHECK(same(a * b.real(), x * y.real()));
    CHECK(same(a / b.real(), x / y.real()));
    CHECK(same(tandem::conj(a), std::conj(x)));
    CHECK(tandem::complex<T>(x) == a);
  }
}

TEST_CASE_TEMPLATE("complex: quotients and magnitudes are accurate and do not overflow", T, float,
                   double) {
  using limits = std::numeric_limits<T>;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto a = random_complex<T>(1, i);
    const auto b = random_complex<T>(2, i);
    const std::complex<long double> x(a.real(), a.imag());
    const std::complex<long double> y(b.real(), b.imag());
    // Smith's rule is accurate to a few roundings of the larger part.
    CHECK(error_of(a / b, x / y) < 10);
    CHECK(error_of(tandem::complex<T>(tandem::abs(a)), std::abs(x)) < 4);
  }
  const T large = limits::max() / 4;
  CHECK(tandem::complex<T>(large, large) / tandem::complex<T>(large, large) ==
        tandem::complex<T>(1));
  CHECK(tandem::abs(tandem::complex<T>(3 * (large / 4), large)) ==
        doctest::Approx(large * T(1.25)));
  CHECK(tandem::abs(tandem::complex<T>(0, 0)) == 0);
  CHECK(tandem::abs(tandem::complex<T>(limits::infinity(), 1)) == limits::infinity());
  CHECK(std::isnan(tandem::abs(tandem::complex<T>(limits::quiet_NaN(), 1))));
}

TEST_CASE("complex: converts between precisions, explicitly") {
  const tandem::complex<double> wide(0.1, -0.2);
  const tandem::complex<float> narrow(wide);
  CHECK(narrow.real() == 0.1f);
  CHECK(narrow.imag() == -0.2f);
  static_assert(!std::is_convertible_v<tandem::complex<double>, tandem::complex<float>>);
  static_assert(alignof(tandem::complex<double>) == alignof(std::complex<double>));
}
