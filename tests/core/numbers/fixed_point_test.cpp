// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the fixed point of weighted sums with docs/numerics.md, in 128-bit integers.
#include <doctest/doctest.h>

#include "support/data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <tandem/core/numbers/fixed_point.hpp>

using namespace tandem::test;

namespace {

__extension__ using wide = __int128;

/// The numbers of docs/numerics.md for n weights whose largest magnitude is `largest`.
struct documented_scale {
  int m = 0;  ///< ceil(log2(n))
  int q = 0;

  documented_scale(double largest, std::uint64_t n) {
    while ((wide{1} << m) < wide{n}) ++m;
    int exponent = -1022;
    if (largest > 0x1p-1022 && std::frexp(largest, &exponent) == 0.5) --exponent;
    q = std::min(62 - m - exponent, 1022);
  }
};

/// One bin's sum, as documented.
template <class W>
W documented_sum(const std::vector<W>& weights, const documented_scale& scale) {
  wide whole_sum = 0;
  wide fraction_sum = 0;
  for (const W w : weights) {
    const double scaled = std::ldexp(double{w}, scale.q);
    const double whole = std::rint(scaled);
    whole_sum += static_cast<wide>(whole);
    fraction_sum += static_cast<wide>(std::rint(std::ldexp(scaled - whole, 63 - scale.m)));
  }
  const auto a = static_cast<double>(static_cast<std::int64_t>(whole_sum));
  if constexpr (sizeof(W) == 4) return static_cast<W>(std::ldexp(a, -scale.q));
  const auto rest =
      static_cast<double>(static_cast<std::int64_t>(whole_sum - static_cast<wide>(a)));
  const double fraction = std::ldexp(static_cast<double>(fraction_sum), scale.m - 63);
  return static_cast<W>(std::ldexp(a + (rest + fraction), -scale.q));
}

template <class W>
W sum_of(const std::vector<W>& weights, const tandem::fixed_point<W>& scale) {
  std::uint64_t limbs[tandem::fixed_point<W>::limbs] = {};
  for (const W w : weights) {
    std::uint64_t parts[tandem::fixed_point<W>::limbs];
    scale.split(w, parts);
    for (std::size_t k = 0; k < tandem::fixed_point<W>::limbs; ++k) limbs[k] += parts[k];
  }
  return scale.join(limbs);
}

}  // namespace

TEST_CASE_TEMPLATE("histogram sums: the scale is the documented one around powers of two", W, float,
                   double) {
  for (const W largest : {W(0), W(1), W(0.75), W(0x1p-100), W(3e30), std::numeric_limits<W>::max(),
                          std::numeric_limits<W>::denorm_min()}) {
    for (int k = 0; k < 48; ++k) {
      for (tandem::index_t n = (tandem::index_t{1} << k) - 1; n <= (tandem::index_t{1} << k) + 1;
           ++n) {
        if (n < 1) continue;
        const documented_scale wanted(largest, static_cast<std::uint64_t>(n));
        INFO("largest " << largest << ", n = " << n);
        CHECK(tandem::fixed_point<W>(largest, n).scale() == std::ldexp(1.0, wanted.q));
      }
    }
  }
}

TEST_CASE_TEMPLATE("histogram sums: as many weights as a power of two, and one more or less", W,
                   float, double) {
  // Magnitudes go from 1 down to what the scale cuts off; the bin has the smallest ones.
  constexpr std::uint64_t binades = sizeof(W) == 4 ? 70 : 130;
  for (const std::size_t n : {1ul, 2ul, 3ul, 4ul, 255ul, 256ul, 257ul, 65536ul, 65537ul}) {
    W largest = 1;
    std::vector<W> bin;
    for (std::size_t i = 1; i < n; ++i) {
      const auto below = static_cast<int>(mix(i) % binades);
      const W weight = std::ldexp(random_value<W>(7, i), -below);
      largest = std::max(largest, std::fabs(weight));
      if (below > static_cast<int>(binades) - 25) bin.push_back(weight);
    }
    const tandem::fixed_point<W> scale(largest, static_cast<tandem::index_t>(n));
    INFO("n = " << n);
    CHECK(same_bits(sum_of(bin, scale), documented_sum(bin, {largest, n})));
  }
}
