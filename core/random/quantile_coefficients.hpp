// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Made by core/random/fit_quantiles.py.
#pragma once

#include <tandem/core/numbers/fused.hpp>

// clang-format off
namespace tandem::detail {

/// What quantiles.hpp computes the logarithm and the normal quantile of doubles from.
///
/// The quantile of a normal variable at (1 + x) / 2 is x R(c^2 - x^2) for |x| < c, where
/// c is normal_split and R = centre_above / centre_below. Beyond, it is the quotient of
/// the tail's polynomials in r = sqrt(-log2(1 - |x|)) - tail_from, with the sign of x.
/// log2(1 + f) is f log2_ratio(f) for floats and s log2_ratio(s^2), s = f / (2 + f),
/// for doubles, with 1 + f from sqrt(1/2) to sqrt(2).
template <class T>
struct quantile_coefficients;

inline constexpr double normal_split = 0.75;
inline constexpr double tail_from = 1.25;

/// Relative error of log2, as a power of two: -24.51.
template <>
struct quantile_coefficients<float> {
  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr float log2_ratio(float x) {
    return polynomial(x, 0x1.715476p+0f, -0x1.715474p-1f, 0x1.ec73dep-2f, -0x1.715994p-2f,
                  0x1.26d01cp-2f, -0x1.e9d1e6p-3f, 0x1.ba8738p-3f, -0x1.a59aeap-3f,
                  0x1.f841dcp-4f);
  }
};

/// Relative errors, as powers of two: centre -53.65, tail -54.33, log2 -55.94.
template <>
struct quantile_coefficients<double> {
  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr double centre_above(double x) {
    return polynomial(x, 0x1.88a7100a40735p+0, 0x1.4410f90bf339dp+3, 0x1.982fdf1ce9984p+4,
                  0x1.eba0d77d55948p+4, 0x1.225bc2ef30abep+4, 0x1.34843e3d80f38p+2,
                  0x1.cb816a069ea83p-2, 0x1.ad128ff764218p-8);
  }
  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr double centre_below(double x) {
    return polynomial(x, 0x1.000000p+0, 0x1.c7c4449433bf7p+2, 0x1.3b5347a7a7d93p+4,
                  0x1.ac8733778f754p+4, 0x1.29b9137075ac3p+4, 0x1.8fd8fea877178p+2,
                  0x1.b4fecb6b12012p-1, 0x1.ed4c2f46f0559p-6);
  }
  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr double tail_above(double x) {
    return polynomial(x, 0x1.e9fcc75802e5fp-1, 0x1.24ae55c766fe3p+2, 0x1.37d09465b6cd0p+3,
                  0x1.86ec295271d2fp+3, 0x1.3ff0bca3d7219p+3, 0x1.6603c17fe150ap+2,
                  0x1.16786c8ec8f30p+1, 0x1.2bbf2472a643bp-1, 0x1.b28167447e4f7p-4,
                  0x1.8f83f99ea9b44p-7, 0x1.a41854d6fbdbdp-11, 0x1.aa67e29474d51p-16,
                  0x1.278a36c0dacd2p-22);
  }
  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr double tail_below(double x) {
    return polynomial(x, 0x1.000000p+0, 0x1.c8313f584ecd0p+1, 0x1.6fa0506291a16p+2,
                  0x1.5f54b31667d66p+2, 0x1.b60e41a0ff3f0p+1, 0x1.71ee22bd809ffp+0,
                  0x1.a982fd89b02edp-2, 0x1.4639751ee8128p-4, 0x1.3a9c9269938afp-7,
                  0x1.5757ba96cc6d0p-11, 0x1.6545e1c954128p-16, 0x1.f601d63f235b3p-23,
                  0x1.0b3d2cbffefa4p-46);
  }
  [[gnu::always_inline]] TANDEM_FUNCTION static constexpr double log2_ratio(double x) {
    return polynomial(x, 0x1.71547652b82fep+1, 0x1.ec709dc3a03fcp-1, 0x1.2776c50ef9fccp-1,
                  0x1.a61762a7085b9p-2, 0x1.484b14487386ep-2, 0x1.0c9a5991b72d8p-2,
                  0x1.c6a2979e03137p-3, 0x1.8774039897f75p-3, 0x1.87d8ebae99ae1p-3);
  }
};

}  // namespace tandem::detail
