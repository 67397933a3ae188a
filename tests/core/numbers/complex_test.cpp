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

TEST_CASE_TEMPLATE("complex: the magnitude is infinite if a part is, whatever the other one", T,
                   float, double) {
  constexpr T inf = std::numeric_limits<T>::infinity();
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  for (const T part : {inf, -inf}) {
    for (const T other : {nan, inf, -inf, T(0), T(1), std::numeric_limits<T>::max()}) {
      CHECK(tandem::abs(tandem::complex<T>(part, other)) == inf);
      CHECK(tandem::abs(tandem::complex<T>(other, part)) == inf);
    }
  }
}

TEST_CASE("complex: quotients of doubles near the limits of the range are exact if they can be") {
  using complex = tandem::complex<double>;
  constexpr double largest = std::numeric_limits<double>::max();
  const struct {
    complex a, b, quotient;
  } cases[] = {
      {{largest, largest}, {largest, largest}, {1, 0}},
      {{largest, -largest}, {largest, largest}, {0, -1}},
      // Baudin and Smith, "A robust complex division in Scilab", section 3.3
      {{1, 1}, {1, 0x1p1023}, {0x1p-1023, -0x1p-1023}},
      {{1, 1}, {0x1p-1023, 0x1p-1023}, {0x1p1023, 0}},
      {{0x1p1023, 0x1p-1023}, {0x1p677, 0x1p-677}, {0x1p346, -0x1p-1008}},
      {{0x1p1023, 0x1p1023}, {1, 1}, {0x1p1023, 0}},
      {{0x1p1020, 0x1p-844}, {0x1p656, 0x1p-780}, {0x1p364, -0x1p-1072}},
      {{0x1p-71, 0x1p1021}, {0x1p1001, 0x1p-323}, {0x1p-1072, 0x1p20}},
      {{0x1p-1074, 0x1p-1074}, {0x1p-1074, 0x1p-1074}, {1, 0}},
      {{0x1p1015, 0x1p-989}, {0x1p1023, 0x1p1023}, {0x1p-9, -0x1p-9}},
      {{0x1p-622, 0x1p-1071}, {0x1p-343, 0x1p-798}, {0x1p-279, 0x1.f8p-729}},
      // The other part of the divisor is the larger one.
      {{0x1p-1023, 0x1p1023}, {0x1p-677, 0x1p677}, {0x1p346, 0x1p-1008}},
      {{largest, 0x1p-1074}, {1, 0}, {largest, 0x1p-1074}},
      // A product with the ratio of the divisor's parts is subnormal, or the ratio is.
      {{-0x1.8p-397, 0}, {0x1p-321, -0x1p-998}, {-0x1.8p-76, -0x1.8p-753}},
      {{0x1.8p-411, 0}, {-0x1p-122, -0x1p-787}, {-0x1.8p-289, 0x1.8p-954}},
      {{-0x1.8p952, 0}, {-0x1.8p-714, 0x1p361}, {0x1.2p-483, 0x1.8p591}},
      {{0x1p1000, 0}, {1, 0x1.8p-1030}, {0x1p1000, -0x1.8p-30}},
  };
  for (const auto& one : cases) {
    const complex found = one.a / one.b;
    CAPTURE(one.a.real());
    CHECK(found.real() == one.quotient.real());
    CHECK(found.imag() == one.quotient.imag());
  }
}

TEST_CASE("complex: other quotients of doubles have the bits of Smith's rule") {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto a = random_complex<double>(3, i);
    const auto b = random_complex<double>(4, i);
    const bool swapped = std::fabs(b.real()) < std::fabs(b.imag());
    const double r = swapped ? b.real() / b.imag() : b.imag() / b.real();
    const double n = swapped ? b.real() * r + b.imag() : b.real() + b.imag() * r;
    const double re = swapped ? a.real() * r + a.imag() : a.real() + a.imag() * r;
    const double im = swapped ? a.imag() * r - a.real() : a.imag() - a.real() * r;
    CHECK(same(a / b, std::complex<double>(re / n, im / n)));
    CHECK(same_bits((a / tandem::complex<double>(b.real())).real(), a.real() / b.real()));
  }
}

TEST_CASE("complex: converts between precisions, explicitly") {
  const tandem::complex<double> wide(0.1, -0.2);
  const tandem::complex<float> narrow(wide);
  CHECK(narrow.real() == 0.1f);
  CHECK(narrow.imag() == -0.2f);
  static_assert(!std::is_convertible_v<tandem::complex<double>, tandem::complex<float>>);
  static_assert(alignof(tandem::complex<double>) == alignof(std::complex<double>));
}
