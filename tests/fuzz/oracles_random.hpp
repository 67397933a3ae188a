// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/// "Random numbers" of docs/numerics.md, and Philox as its paper defines it.
namespace tandem::fuzz::oracle {

/// u_i = philox(seed, i, draw).
inline std::uint32_t word(std::uint64_t seed, std::uint64_t i, std::uint32_t draw = 0) {
  const std::uint64_t block = i / 4;
  std::array<std::uint32_t, 4> c{static_cast<std::uint32_t>(block),
                                 static_cast<std::uint32_t>(block >> 32), draw, 0};
  auto k0 = static_cast<std::uint32_t>(seed);
  auto k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c[i % 4];
}

/// w_i = philox64(seed, i, draw).
inline std::uint64_t long_word(std::uint64_t seed, std::uint64_t i, std::uint32_t draw = 0) {
  return word(seed, 2 * i, draw) | std::uint64_t{word(seed, 2 * i + 1, draw)} << 32;
}

template <class T>
T random_bits(std::uint64_t seed, std::uint64_t i) {
  if constexpr (sizeof(T) == 8) return static_cast<T>(long_word(seed, i));
  if constexpr (sizeof(T) < 8) return static_cast<T>(word(seed, i) >> (32 - 8 * sizeof(T)));
}

/// U of [0, 1).
template <class T>
T unit(std::uint64_t seed, std::uint64_t i) {
  if constexpr (sizeof(T) == 8) return std::ldexp(static_cast<T>(long_word(seed, i) >> 11), -53);
  if constexpr (sizeof(T) < 8) return std::ldexp(static_cast<T>(word(seed, i) >> 8), -24);
}

template <class T>
T uniform(T lo, T hi, std::uint64_t seed, std::uint64_t i) {
  const T value = std::fma(hi - lo, unit<T>(seed, i), lo);
  return std::fmin(value, std::nextafter(hi, -std::numeric_limits<T>::infinity()));
}

/// N = hi - lo + 1 in b bits; if all 2^b values are allowed, N is one more than b bits hold.
template <class T>
T uniform_int(T lo, T hi, std::uint64_t seed, std::uint64_t i) {
  using wide = unsigned __int128;
  constexpr int b = sizeof(T) == 8 ? 64 : 32;
  const wide whole = wide{1} << b;
  const wide n = static_cast<wide>(static_cast<__int128>(hi) - static_cast<__int128>(lo)) + 1;
  wide product = 0;
  for (std::uint32_t draw = 0; draw < 128; ++draw) {
    const wide u = b == 64 ? wide{long_word(seed, i, draw)} : wide{word(seed, i, draw)};
    if (n == whole) return static_cast<T>(static_cast<__int128>(lo) + static_cast<__int128>(u));
    product = u * n;
    if (product % whole >= whole % n) break;
  }
  return static_cast<T>(static_cast<__int128>(lo) + static_cast<__int128>(product / whole));
}

inline bool bernoulli(double p, std::uint64_t seed, std::uint64_t i) {
  const double scaled = std::ldexp(p, 32);
  const auto upper = static_cast<std::uint64_t>(scaled);
  const auto lower =
      static_cast<std::uint64_t>(std::ldexp(scaled - static_cast<double>(upper), 32));
  const std::uint64_t u = word(seed, i);
  return u < upper || (u == upper && word(seed, i, 1) < lower);
}

inline int poisson(double mean, std::uint64_t seed, std::uint64_t i) {
  std::array<double, 129> sums{};
  double term = 1;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    if (k > 0) term *= mean / static_cast<double>(k);
    sums[k] = (k > 0 ? sums[k - 1] : 0.0) + term;
  }
  int count = 0;
  for (std::size_t k = 0; k < 128; ++k) count += sums[k] / sums[128] <= unit<double>(seed, i);
  return count;
}

/// Error bounds of h and z, and the last rounding.
template <class T>
constexpr long double quantile_error = sizeof(T) == 8 ? 1e-15L : 2.4e-7L;

/// h = -log2((u + 1/2) / 2^b). Above one half it is computed from the difference to 1, which is
/// exact.
template <class T>
long double half_lives(std::uint64_t seed, std::uint64_t i) {
  constexpr int b = sizeof(T) == 8 ? 64 : 32;
  const std::uint64_t u = b == 64 ? long_word(seed, i) : word(seed, i);
  if (u >> (b - 1) == 0) return -std::log2(std::ldexp(static_cast<long double>(u) + 0.5L, -b));
  const std::uint64_t all = b == 64 ? ~std::uint64_t{0} : std::uint64_t{0xFFFFFFFF};
  const long double missing = std::ldexp(static_cast<long double>(all - u) + 0.5L, -b);
  return -std::log1p(-missing) / std::log(2.0L);
}

/// Whether z is the quantile of (1 + x) / 2 within its error, with x = (s + 1/2) / 2^(b - 1):
/// whether the normal cumulative distribution passes the midpoints between z and its neighbours.
template <class T>
bool is_normal_quantile(T z, std::uint64_t seed, std::uint64_t i) {
  const long double s =
      sizeof(T) == 8 ? static_cast<long double>(static_cast<std::int64_t>(long_word(seed, i)))
                     : static_cast<long double>(static_cast<std::int32_t>(word(seed, i)));
  const int power = sizeof(T) == 8 ? -63 : -31;
  const long double twice = s < 0 ? -(s + 1) : s;  // |x| less one half: x is odd about -1/2
  if ((s < 0) != std::signbit(z)) return false;
  const long double inside = std::ldexp(twice + 0.5L, power);
  const long double outside = 1 - std::ldexp(twice, power) - std::ldexp(0.5L, power);
  const auto at = [&](long double factor) {
    return std::fabs(static_cast<long double>(z)) * factor / std::sqrt(2.0L);
  };
  const long double low = at(1 - quantile_error<T>);
  const long double high = at(1 + quantile_error<T>);
  if (inside < 0.5L) return std::erf(low) <= inside && inside <= std::erf(high);
  return std::erfc(high) <= outside && outside <= std::erfc(low);
}

}  // namespace tandem::fuzz::oracle
