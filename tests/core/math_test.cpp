// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <tandem/tandem.hpp>

namespace {

const float quiet_nan = std::numeric_limits<float>::quiet_NaN();
const float infinity = std::numeric_limits<float>::infinity();

/// Returns the binary16 nearest to x by searching all of them; ties to even.
std::uint16_t nearest_half(float x) {
  std::uint16_t best = 0;
  double distance = infinity;
  for (std::uint32_t bits = 0; bits < 0x7c00u; ++bits) {
    const auto candidate = static_cast<std::uint16_t>(bits);
    const double gap =
        std::fabs(static_cast<double>(float(tandem::half::from_bits(candidate))) - std::fabs(x));
    if (gap < distance || (gap == distance && candidate % 2 == 0)) {
      best = candidate;
      distance = gap;
    }
  }
  return static_cast<std::uint16_t>(best | (std::signbit(x) ? 0x8000u : 0u));
}

}  // namespace

TEST_CASE("fma: rounds once") {
  const float x = 1.0f + 0x1p-12f;
  CHECK(tandem::fma(x, x, -1.0f) == std::fma(x, x, -1.0f));
  CHECK(tandem::fma(x, x, -1.0f) != x * x - 1.0f);
  CHECK(tandem::fma(0x1.0000000000001p0, 0x1.0000000000001p0, -1.0) == 0x1.00000000000008p-51);
}

TEST_CASE("min and max: NaN propagates, the first of equals stays") {
  CHECK(tandem::min(1.0f, 2.0f) == 1.0f);
  CHECK(tandem::max(1.0f, 2.0f) == 2.0f);
  CHECK(std::isnan(tandem::min(quiet_nan, 1.0f)));
  CHECK(std::isnan(tandem::min(1.0f, quiet_nan)));
  CHECK(std::isnan(tandem::max(quiet_nan, 1.0f)));
  CHECK(std::isnan(tandem::max(1.0f, quiet_nan)));
  CHECK(std::signbit(tandem::min(-0.0f, 0.0f)));
  CHECK(!std::signbit(tandem::min(0.0f, -0.0f)));
  CHECK(std::signbit(tandem::max(-0.0f, 0.0f)));
  CHECK(!std::signbit(tandem::max(0.0f, -0.0f)));
  CHECK(tandem::min(3, -3) == -3);
  CHECK(tandem::max(-3, 3) == 3);
}

TEST_CASE("abs: zeros, NaN and the lowest integer") {
  CHECK(!std::signbit(tandem::abs(-0.0)));
  CHECK(!std::signbit(tandem::abs(-quiet_nan)));
  CHECK(tandem::abs(-3) == 3);
  CHECK(tandem::abs(std::numeric_limits<int>::min()) == std::numeric_limits<int>::min());
  CHECK(tandem::abs(7u) == 7u);
}

TEST_CASE("ceil_div, round_up, clamp, floor, rint, sqrt") {
  CHECK(tandem::ceil_div(0, 4) == 0);
  CHECK(tandem::ceil_div(1, 4) == 1);
  CHECK(tandem::ceil_div(8, 4) == 2);
  CHECK(tandem::ceil_div(9, 4) == 3);
  CHECK(tandem::round_up(0, 4) == 0);
  CHECK(tandem::round_up(8, 4) == 8);
  CHECK(tandem::round_up(std::int64_t{9}, std::int64_t{4}) == 12);
  CHECK(tandem::clamp(5, 1, 3) == 3);
  CHECK(tandem::clamp(2, 1, 3) == 2);
  CHECK(tandem::clamp(0, 1, 3) == 1);
  CHECK(std::isnan(tandem::clamp(quiet_nan, 1.0f, 3.0f)));
  CHECK(tandem::clamp(-5.0, 1.0, 3.0) == 1.0);
  CHECK(tandem::floor(-1.5f) == -2.0f);
  CHECK(tandem::rint(2.5) == 2.0);
  CHECK(tandem::sqrt(2.0f) == std::sqrt(2.0f));
  CHECK(std::isnan(tandem::sqrt(-1.0)));
}

TEST_CASE("to_int32: saturates, NaN is 0") {
  CHECK(tandem::to_int32(3.9f) == 3);
  CHECK(tandem::to_int32(-3.9) == -3);
  CHECK(tandem::to_int32(2147483647.0) == INT32_MAX);
  CHECK(tandem::to_int32(2147483648.0) == INT32_MAX);
  CHECK(tandem::to_int32(-2147483647.0) == INT32_MIN + 1);
  CHECK(tandem::to_int32(-2147483648.0) == INT32_MIN);
  CHECK(tandem::to_int32(-2147483649.0) == INT32_MIN);
  CHECK(tandem::to_int32(0x1.fffffep30f) == 2147483520);
  CHECK(tandem::to_int32(1e20f) == INT32_MAX);
  CHECK(tandem::to_int32(-infinity) == INT32_MIN);
  CHECK(tandem::to_int32(quiet_nan) == 0);
}

TEST_CASE("half: all 65536 values survive the way to float and back") {
  for (std::uint32_t bits = 0; bits <= 0xffffu; ++bits) {
    const auto h = tandem::half::from_bits(static_cast<std::uint16_t>(bits));
    if ((bits & 0x7fffu) > 0x7c00u) {
      CHECK(std::isnan(float(h)));
      CHECK(std::isnan(float(tandem::half(float(h)))));
    } else {
      CHECK(tandem::half(float(h)).bits() == bits);
    }
  }
}

TEST_CASE("half: rounds to the nearest, ties to even, overflows to infinity") {
  for (const float x : {1.0f, 0.1f, 1.00048828125f, 1.00146484375f, 65504.0f, 65519.0f, 6.1e-5f,
                        5.9e-8f, 2.98e-8f, 2.99e-8f, -3.14159f, 1e-10f, 0.33325195f}) {
    CHECK(tandem::half(x).bits() == nearest_half(x));
  }
  CHECK(tandem::half(65520.0f).bits() == 0x7c00u);
  CHECK(tandem::half(-1e30f).bits() == 0xfc00u);
}

TEST_CASE("bf16: rounds to the nearest, ties to even, keeps NaN and infinity") {
  CHECK(tandem::bf16(1.0f).bits() == 0x3f80u);
  CHECK(tandem::bf16(std::bit_cast<float>(0x3f808000u)).bits() == 0x3f80u);
  CHECK(tandem::bf16(std::bit_cast<float>(0x3f818000u)).bits() == 0x3f82u);
  CHECK(tandem::bf16(std::bit_cast<float>(0x3f808001u)).bits() == 0x3f81u);
  CHECK(tandem::bf16(std::numeric_limits<float>::max()).bits() == 0x7f80u);
  CHECK(std::isnan(float(tandem::bf16(std::bit_cast<float>(0x7f800001u)))));
  CHECK(float(tandem::bf16(-infinity)) == -infinity);
}

TEST_CASE("reducers: identities are exact for every kind of value") {
  const tandem::sum<float> add;
  const tandem::minimum<float> low;
  const tandem::minloc<float> where;
  for (const float x : {0.0f, -0.0f, 1.0f, infinity, -infinity, quiet_nan, 1e-45f}) {
    const auto same = [](float a, float b) {
      return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
             (std::isnan(a) && std::isnan(b));
    };
    CHECK(same(add.combine(x, add.identity()), x));
    CHECK(same(add.combine(add.identity(), x), x));
    CHECK(same(low.combine(x, low.identity()), x));
    CHECK(same(low.combine(low.identity(), x), x));
    CHECK(where.combine(where.identity(), where.lift(x, 3)).index == 3);
    CHECK(where.combine(where.lift(x, 3), where.identity()).index == 3);
  }
}

TEST_CASE("minloc: first of equals, first NaN") {
  const tandem::minloc<double> r;
  CHECK(r.combine(r.lift(1.0, 5), r.lift(1.0, 2)).index == 2);
  CHECK(r.combine(r.lift(quiet_nan, 5), r.lift(-1.0, 2)).index == 5);
  CHECK(r.combine(r.lift(quiet_nan, 5), r.lift(quiet_nan, 2)).index == 2);
  CHECK(r.combine(r.lift(0.0, 1), r.lift(-0.0, 2)).index == 1);
}

TEST_CASE("tuple: structured bindings and apply") {
  const auto [a, b, c] = tandem::make_tuple(1, 2.5, 'x');
  CHECK(a == 1);
  CHECK(b == 2.5);
  CHECK(c == 'x');
  CHECK(tandem::apply([](int x, int y) { return x - y; }, tandem::make_tuple(7, 2)) == 5);
}
