// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Made by generate_polynomials.py; change that script, not this file.
#pragma once

#include <tandem/config.hpp>

// `A` says how a polynomial is evaluated (arithmetic.hpp).

namespace tandem::detail::math {

// clang-format off
/// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2.
/// Its error in the function that it serves is below 2^-61.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double exp_tail(double x) {
  return A::polynomial(x, 0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5, 0x1.11111111100dcp-7,
                       0x1.6c16c16c162d4p-10, 0x1.a01a01abe7fe1p-13, 0x1.a01a01a6d889cp-16,
                       0x1.71de0231960ebp-19, 0x1.27e4db646b17ep-22, 0x1.af4de97ca4194p-26,
                       0x1.1f730349868cep-29);
}

/// (exp(r) - 1) / r for |r| <= ln(2) / 2.
/// Its error in the function that it serves is below 2^-56.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double exp_quotient(double x) {
  return A::polynomial(x, 0x1p+0, 0x1.0000000000005p-1, 0x1.5555555555557p-3, 0x1.55555555520a4p-5,
                       0x1.11111111100dcp-7, 0x1.6c16c17f46982p-10, 0x1.a01a01abe7fe1p-13,
                       0x1.a019a6611cad5p-16, 0x1.71de0231960ebp-19, 0x1.28a2ca617b969p-22,
                       0x1.af4de97ca4194p-26);
}

/// (2^r - 1) / r for |r| <= 1/2.
/// Its error in the function that it serves is below 2^-55.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double exp2_tail(double x) {
  return A::polynomial(x, 0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a0c6p-5,
                       0x1.3b2ab6fba4e79p-7, 0x1.5d87fe78a3f9cp-10, 0x1.430912f86b7dbp-13,
                       0x1.ffcbfc6da6ed1p-17, 0x1.62c02242b879cp-20, 0x1.b524ebd13a55fp-24,
                       0x1.e4cf10dec0f59p-28, 0x1.e9ec1fcb69a7fp-32, 0x1.c4a29324a1038p-36);
}

/// (log((1 + s) / (1 - s)) / s - 2) / z, z = s^2, for |s| <= 3 - sqrt(8).
/// Its error in the function that it serves is below 2^-60.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double log_tail(double x) {
  return A::polynomial(x, 0x1.5555555555555p-1, 0x1.9999999999a39p-2, 0x1.2492492476a1ap-2,
                       0x1.c71c7201a55d7p-3, 0x1.745cf8e4bba1bp-3, 0x1.3b1c3c1c81c8fp-3,
                       0x1.0fbde0f4ad17bp-3, 0x1.0c0aff044a970p-3);
}

/// sin(pi f) / f, u = f^2, for |f| <= 1/2.
/// Its error in the function that it serves is below 2^-54.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double sin_pi(double x) {
  return A::polynomial(x, 0x1.921fb54442d18p+1, -0x1.4abbce625be53p+2, 0x1.466bc6775aae2p+1,
                       -0x1.32d2cce62bd57p-1, 0x1.50783487ec182p-4, -0x1.e3074fdc50edbp-8,
                       0x1.e8f4338d80615p-12, -0x1.6fad4865b619cp-16, 0x1.aabbd9b3a94ffp-21,
                       -0x1.7ed3a64429de8p-26);
}

/// (sin(r) - r) / r^3, u = r^2, for |r| <= pi/4.
/// Its error in the function that it serves is below 2^-57.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double sin_tail(double x) {
  return A::polynomial(x, -0x1.5555555555555p-3, 0x1.1111111111110p-7, -0x1.a01a01a01992fp-13,
                       0x1.71de3a545f836p-19, -0x1.ae645410e937bp-26, 0x1.61217d9252c03p-33,
                       -0x1.ab16f5caa198ap-41);
}

/// (cos(r) - 1 + r^2 / 2) / r^4, u = r^2, for |r| <= pi/4.
/// Its error in the function that it serves is below 2^-60.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double cos_tail(double x) {
  return A::polynomial(x, 0x1.5555555555555p-5, -0x1.6c16c16c16c16p-10, 0x1.a01a01a019d06p-16,
                       -0x1.27e4fb77125c5p-22, 0x1.1eed8deac3dfep-29, -0x1.9394b8bd50ae1p-37,
                       0x1.ab779550c8d9bp-45);
}

/// (atan(t) - t) / t^3, u = t^2, for |t| <= sqrt(2) - 1.
/// Its error in the function that it serves is below 2^-57.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double atan_tail(double x) {
  return A::polynomial(x, -0x1.5555555555555p-2, 0x1.999999999999ap-3, -0x1.2492492492490p-3,
                       0x1.c71c71c71c3d4p-4, -0x1.745d1745bee8bp-4, 0x1.3b13b13720c03p-4,
                       -0x1.1111108447ff6p-4, 0x1.e1e1c6ecb7d0dp-5, -0x1.af2697492544bp-5,
                       0x1.86016db814882p-5, -0x1.635b6376c7228p-5, 0x1.424a88fa91957p-5,
                       -0x1.160be426c89ccp-5, 0x1.8f5cda39b5315p-6, -0x1.524afaa0f7c36p-7);
}

/// (asin(t) - t) / t^3, u = t^2, for |t| <= 1/2.
/// Its error in the function that it serves is below 2^-58.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double asin_tail(double x) {
  return A::polynomial(x, 0x1.5555555555555p-3, 0x1.333333333332dp-4, 0x1.6db6db6db7c96p-5,
                       0x1.f1c71c70ed1adp-6, 0x1.6e8ba31ce37bfp-6, 0x1.1c4ebd6df68b7p-6,
                       0x1.c99b000e791f4p-7, 0x1.7a70ab2bcdeadp-7, 0x1.40e47f482ed3fp-7,
                       0x1.0a9171f4c504ep-7, 0x1.20548a3ca847dp-7, 0x1.804c0240677f0p-12,
                       0x1.720d0586f24a3p-6, -0x1.8a435f5117258p-6, 0x1.f7b7e46af0ee8p-6);
}

/// (log((1 + s) / (1 - s)) / s - 2 - 2/3 z - 2/5 z^2) / z^3, z = s^2.
/// Its error in the function that it serves is below 2^-68.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double log_tail_from_z3(double x) {
  return A::polynomial(x, 0x1.2492492492497p-2, 0x1.c71c71c7153b2p-3, 0x1.745d175518b2dp-3,
                       0x1.3b13a51cd4d2fp-3, 0x1.1115a247755e8p-3, 0x1.e01f44110e9cep-4,
                       0x1.d9cc795cc9ae7p-4);
}

/// (exp(r) - 1 - r - r^2 / 2) / r^3 for |r| <= ln(2) / 2.
/// Its error in the function that it serves is below 2^-60.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double exp_tail_from_r3(double x) {
  return A::polynomial(x, 0x1.5555555555555p-3, 0x1.5555555555556p-5, 0x1.1111111111111p-7,
                       0x1.6c16c16c162d4p-10, 0x1.a01a01a019b2ap-13, 0x1.a01a01a6d889cp-16,
                       0x1.71de3a590520ap-19, 0x1.27e4db646b17ep-22, 0x1.ae643449fe524p-26,
                       0x1.1f730349868cep-29, 0x1.61b2b7617544bp-33);
}

/// erf(x) / x - 1, u = x^2, for |x| <= 1.
/// Its error in the function that it serves is below 2^-56.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double erf_quotient(double x) {
  return A::polynomial(x, 0x1.06eba8214db69p-3, -0x1.812746b0379e7p-2, 0x1.ce2f21a042be2p-4,
                       -0x1.b82ce31288b47p-6, 0x1.565bcd0e6a2e8p-8, -0x1.c02db40035d75p-11,
                       0x1.f9a326f7a7d79p-14, -0x1.f4d25bf929e28p-17, 0x1.b9e6c383b3297p-20,
                       -0x1.5f73c32565d65p-23, 0x1.fcbb250d21c51p-27, -0x1.517c8c59c6672p-30,
                       0x1.9a0cd61504766p-34, -0x1.b3fec4af9bf8ap-38, 0x1.3bdcc96384a07p-42);
}

/// ((x + 3) exp(x^2) erfc(x) - its Taylor polynomial of degree 3 in u) / u^4 for
/// u = (x - 3) / (x + 3) and 1/2 <= x <= 27.5.
/// Its error in the function that it serves is below 2^-57.
template <class A>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double erfc_tail_from_u4(double x) {
  return A::polynomial(x, 0x1.e995f11b16e41p-4, -0x1.b78993d6bccd1p-6, -0x1.3dd3e70fcd0bcp-10,
                       0x1.8dae3a2d16f23p-9, -0x1.1f78e1456f639p-11, -0x1.2238ffd25aebfp-12,
                       0x1.c325323247d9ep-14, 0x1.fe00466daa016p-16, -0x1.251a24009f631p-16,
                       -0x1.3ec8f2bfe8250p-18, 0x1.730880b0c4b49p-19, 0x1.0cd7291c897ddp-20,
                       -0x1.b3f47c1e63145p-22, -0x1.fea147e7c3046p-23, 0x1.75dbbd4f7110bp-25,
                       0x1.d7ae0a307ed5cp-25, 0x1.29a61a037cf9ap-30, -0x1.73198fbaccd0ap-27,
                       -0x1.04e73f59c66aep-29, 0x1.745a8959870ecp-30, 0x1.6246c3591f204p-32);
}

// clang-format on
}  // namespace tandem::detail::math
