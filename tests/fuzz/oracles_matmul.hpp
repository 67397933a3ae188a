// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <tandem/core/numbers/half.hpp>

#include "fuzz/oracles.hpp"
#include "fuzz/values.hpp"

/// "Matmul" of docs/numerics.md, implemented from that page alone, and rounding to 16 bits.
namespace tandem::fuzz::oracle {

/// Rounds x to `digits` significant bits, to nearest even, and to multiples of 2^lowest; the caller
/// handles overflow.
inline double rounded(double x, int digits, int lowest) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int unit = std::max(std::ilogb(x) - (digits - 1), lowest);
  return std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
}

/// Returns the half or bf16 nearest to x, as a double.
template <class T>
double nearest_16bit(double x) {
  constexpr bool is_half = std::is_same_v<T, half>;
  const double r = rounded(x, is_half ? 11 : 8, is_half ? -24 : -133);
  const double beyond = is_half ? 65536.0 : 0x1p128;
  return std::fabs(r) >= beyond ? std::copysign(HUGE_VAL, r) : r;
}

/// The epilogue of an element.
template <class S>
struct finish {
  S alpha{1};
  S beta{0};
  bool has_bias = false;
  int activation = 0;  ///< 0 none, 1 relu, 2 gelu
};

/// Returns a * b + c, rounded once or modulo 2^32.
template <class S>
S fused(S a, S b, S c) {
  if constexpr (std::is_integral_v<S>) {
    return plus(times(a, b), c);
  } else {
    return std::fma(a, b, c);
  }
}

/// The total of a row of a and a column of b: chains of 1024 from +0, ascending, added in order.
template <class S, class In>
S total(const std::vector<In>& a, const std::vector<In>& b) {
  S sum{0};
  for (std::size_t begin = 0; begin < a.size(); begin += 1024) {
    S chain{0};
    for (std::size_t l = begin; l < std::min(begin + 1024, a.size()); ++l)
      chain = fused(static_cast<S>(a[l]), static_cast<S>(b[l]), chain);
    sum = begin == 0 ? chain : plus(sum, chain);
  }
  return sum;
}

/// r before gelu: r = alpha * total; beta != 0: r = fma(beta, c_ij, r); a bias: r = r + bias_j.
template <class S>
S finished(S sum, const finish<S>& f, S old, S bias) {
  S r = times(f.alpha, sum);
  if (f.beta != S{0}) r = fused(f.beta, old, r);
  if (f.has_bias) r = plus(r, bias);
  return f.activation == 1 ? larger(r, S{0}) : r;
}

/// gelu(x) = x Phi(x), with more digits than a double has.
inline long double gelu(double x) {
  const auto wide = static_cast<long double>(x);
  if (std::isinf(x)) return x > 0 ? wide : -0.0L;
  return 0.5L * wide * erfcl(-wide / sqrtl(2.0L));
}

/// An element before its activation, in double, and how far a tensor core's result may be from it:
/// (k + 32) 2^-23 S for a total, `more` S for the precision, and the roundings of the steps after
/// it.
template <class S, class In>
std::pair<double, double> bounded_element(const std::vector<In>& a, const std::vector<In>& b,
                                          const finish<S>& f, S old, S bias, double more) {
  double sum = 0;
  double magnitudes = 0;
  for (std::size_t l = 0; l < a.size(); ++l) {
    const double product = static_cast<double>(a[l]) * static_cast<double>(b[l]);
    sum += product;
    magnitudes += std::fabs(product);
  }
  const double steps[] = {
      static_cast<double>(f.alpha) * sum,
      f.beta == S{0} ? 0 : static_cast<double>(f.beta) * static_cast<double>(old),
      f.has_bias ? static_cast<double>(bias) : 0};
  const double r = steps[0] + steps[1] + steps[2];
  const double of_total = (static_cast<double>(a.size() + 32) * 0x1p-23 + more) * magnitudes;
  const double sizes = std::fabs(steps[0]) + std::fabs(steps[1]) + std::fabs(steps[2]);
  const double bound = std::fabs(static_cast<double>(f.alpha)) * of_total + 4 * 0x1p-24 * sizes;
  return {f.activation == 1 && r < 0 ? 0 : r, bound};
}

/// Throws unless `result`, rounded to T, is the activation of a number within `bound` of r; gelu
/// may be off by 5 units in the last place.
template <class T, class S>
void require_activated(T result, double r, double bound, int activation) {
  const long double exact = activation == 2 ? gelu(r) : static_cast<long double>(r);
  const auto found = static_cast<long double>(static_cast<S>(result));
  if (!std::isfinite(r)) {  // gelu(-inf) is not specified
    if (std::isnan(r) != std::isnan(found) || (r > 0 && found != exact))
      throw mismatch("element is " + shown(result) + " behind " + shown(r));
    return;
  }
  constexpr bool wide = sizeof(S) == 8;
  const long double magnitude = fabsl(exact) + 1.13L * bound;
  long double error = 1.13L * bound + 0x1p-25L * bound;
  if (activation == 2)
    error += 5 * std::fmax(ldexpl(magnitude, wide ? -52 : -23), wide ? 0x1p-1074L : 0x1p-149L);
  if (sizeof(T) == 2)
    error += std::fmax(ldexpl(magnitude, std::is_same_v<T, half> ? -11 : -8), 0x1p-25L);
  const bool overflows = magnitude + error >= (std::is_same_v<T, half> ? 65520.0L
                                               : wide                  ? 0x1p1023L
                                                                       : 0x1.fep127L);
  if (!(fabsl(found - exact) <= error) && !overflows)
    throw mismatch("element is " + shown(result) + ", not within " +
                   shown(static_cast<double>(error)) + " of " + shown(static_cast<double>(exact)));
}

}  // namespace tandem::fuzz::oracle
