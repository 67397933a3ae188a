// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares functions with MPFR that cannot be tested on every input:
//
//   sampled [--pairs N] [--doubles N] [--seed N]
//
// functions of two floats on N random pairs each, which must be correctly rounded, and functions of
// double on N random inputs and on the published hard cases, which must be within 1 ulp. Exits with
// 1 if a result is not. MPFR decides only if the C library's long double function leaves a doubt, a
// twentieth of the time if long double has 64 bits.

#include <tandem/core/math.hpp>

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

#include <mpfr.h>

#include "support/data.hpp"

namespace {

using tandem::test::mix;

/// Whether the C library's long double functions can decide most results: glibc states errors of a
/// few units in their last place, and a double's unit has 2048 of these.
constexpr bool has_wide_functions = LDBL_MANT_DIG >= 64;
constexpr long double wide_error = 0x1p-58L;  ///< relative, 32 units in the last place

struct pair_subject {
  std::string_view name;
  float (*function)(float, float);
  long double (*wide)(long double, long double);
  int (*exact)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
};
const pair_subject pair_subjects[] = {
    {"pow", tandem::pow<float>, powl, mpfr_pow},
    {"atan2", tandem::atan2<float>, atan2l, mpfr_atan2},
    {"hypot", tandem::hypot<float>, hypotl, mpfr_hypot},
    {"fmod", tandem::fmod<float>, fmodl, mpfr_fmod},
};

/// Whether `found` is the rounding of every number near the long double result.
bool is_surely_right(const pair_subject& s, float a, float b, float found) {
  const long double wide = s.wide(a, b);
  const auto below = static_cast<float>(wide * (1 - wide_error));
  const auto above = static_cast<float>(wide * (1 + wide_error));
  return has_wide_functions && tandem::test::same_bits(below, found) &&
         tandem::test::same_bits(above, found);
}

/// A finite float: with any bits, or within 16 binades of 1, where most functions vary.
float random_float(std::uint64_t bits) {
  auto word = static_cast<std::uint32_t>(bits);
  if (bits >> 62 != 0) {
    const auto exponent = static_cast<std::uint32_t>(119 + (bits >> 40) % 16);
    word = (word & 0x807fffffu) | exponent << 23;
  }
  const float x = std::bit_cast<float>(word);
  return std::isfinite(x) ? x : 1.0f;
}

double random_double(std::uint64_t bits) {
  std::uint64_t word = mix(bits);
  if (bits >> 62 != 0) {
    const std::uint64_t exponent = 1013 + (bits >> 40) % 20;
    word = (word & 0x800fffffffffffffu) | exponent << 52;
  }
  const double x = std::bit_cast<double>(word);
  return std::isfinite(x) ? x : 1.0;
}

int check_pairs(const pair_subject& s, std::uint64_t count, std::uint64_t seed) {
  mpfr_set_emin(-148);  // exponents of float, for mpfr_subnormalize
  mpfr_set_emax(128);
  mpfr_t x;
  mpfr_t y;
  mpfr_inits2(24, x, y, static_cast<mpfr_ptr>(nullptr));
  int wrong = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const float a = random_float(mix(seed + 2 * i));
    const float b = random_float(mix(seed + 2 * i + 1));
    const float found = s.function(a, b);
    if (is_surely_right(s, a, b, found)) continue;
    mpfr_set_flt(x, a, MPFR_RNDN);
    mpfr_set_flt(y, b, MPFR_RNDN);
    const int inexact = s.exact(x, x, y, MPFR_RNDN);
    mpfr_subnormalize(x, inexact, MPFR_RNDN);
    const float expected = mpfr_get_flt(x, MPFR_RNDN);
    if (!tandem::test::same_bits(found, expected) && ++wrong <= 20)
      std::printf("  (%a, %a): %a, not %a\n", a, b, found, expected);
  }
  mpfr_clears(x, y, static_cast<mpfr_ptr>(nullptr));
  std::printf("%.*s: %llu pairs, %d results wrong\n", static_cast<int>(s.name.size()),
              s.name.data(), static_cast<unsigned long long>(count), wrong);
  return wrong;
}

struct double_subject {
  std::string_view name;
  double (*function)(double);
  long double (*wide)(long double);
  int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
};
#define TANDEM_SUBJECT(function) \
  { #function, tandem::function<double>, function##l, mpfr_##function }

long double rsqrtl(long double x) { return 1 / sqrtl(x); }
const double_subject double_subjects[] = {
    TANDEM_SUBJECT(exp),   TANDEM_SUBJECT(exp2),
    TANDEM_SUBJECT(expm1), TANDEM_SUBJECT(log),
    TANDEM_SUBJECT(log2),  TANDEM_SUBJECT(log10),
    TANDEM_SUBJECT(log1p), TANDEM_SUBJECT(sin),
    TANDEM_SUBJECT(cos),   TANDEM_SUBJECT(tan),
    TANDEM_SUBJECT(asin),  TANDEM_SUBJECT(acos),
    TANDEM_SUBJECT(atan),  TANDEM_SUBJECT(sinh),
    TANDEM_SUBJECT(cosh),  TANDEM_SUBJECT(tanh),
    TANDEM_SUBJECT(cbrt),  TANDEM_SUBJECT(erf),
    TANDEM_SUBJECT(erfc),  {"rsqrt", tandem::rsqrt<double>, rsqrtl, mpfr_rec_sqrt},
};
#undef TANDEM_SUBJECT

/// Returns the distance of `found` from the function of x in units in the last place; 0 if both are
/// NaN or infinite, or if a result beyond the largest double is infinite.
double distance_in_ulp(const double_subject& s, double x, double found) {
  mpfr_t exact;
  mpfr_init2(exact, 120);
  mpfr_set_d(exact, x, MPFR_RNDN);
  s.exact(exact, exact, MPFR_RNDN);
  const double near = std::fabs(mpfr_get_d(exact, MPFR_RNDN));
  double distance = tandem::test::same_bits(std::fabs(found), near)
                        ? 0.0
                        : std::numeric_limits<double>::infinity();
  if (std::isfinite(near) && std::isfinite(found)) {
    mpfr_sub_d(exact, exact, found, MPFR_RNDN);
    const int place = near < 0x1p-1022 ? -1074 : std::ilogb(near) - 52;
    mpfr_mul_2si(exact, exact, -place, MPFR_RNDN);
    distance = std::fabs(mpfr_get_d(exact, MPFR_RNDN));
  }
  mpfr_clear(exact);
  return distance;
}

/// Returns that distance as long double computes it: off by a hundredth at most if its value is
/// finite and not subnormal as a double; otherwise infinite.
double near_distance_in_ulp(const double_subject& s, double x, double found) {
  const long double wide = s.wide(x);
  const long double size = fabsl(wide);
  if (!has_wide_functions || !(size >= 0x1p-1022L && size <= DBL_MAX) || !std::isfinite(found))
    return std::numeric_limits<double>::infinity();
  const int place = ilogbl(wide) - 52;
  return static_cast<double>(scalbnl(fabsl(wide - found), -place));
}

int report(const double_subject& s, const char* what, std::uint64_t count, double largest,
           double at) {
  std::printf("%.*s: %llu %s, at most %.3f ulp, at %a\n", static_cast<int>(s.name.size()),
              s.name.data(), static_cast<unsigned long long>(count), what, largest, at);
  return largest < 1 ? 0 : 1;
}

int check_doubles(const double_subject& s, std::uint64_t count, std::uint64_t seed) {
  double largest = 0;
  double at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double x = random_double(mix(seed + i));
    const double found = s.function(x);
    if (near_distance_in_ulp(s, x, found) < largest - 0.02) continue;
    const double distance = distance_in_ulp(s, x, found);
    if (distance > largest) {
      largest = distance;
      at = x;
    }
  }
  return report(s, "doubles", count, largest, at);
}

/// Inputs with results nearest to the midpoint of two doubles, or to a double, and the input
/// nearest to a multiple of pi / 2.
/// Sources: V. Lefevre and J.-M. Muller, "Worst cases for correct rounding of the elementary
/// functions in double precision", ARITH-15, 2001; W. Kahan, "Minimizing q m - n", 1983.
struct hard_input {
  std::string_view function;
  double x;
};
constexpr hard_input hard_inputs[] = {
    {"exp", 0x1.9e9cbbfd6080bp-31},  {"exp2", 0x1.e4596526bf94dp-10},
    {"log", 0x1.62a88613629b6p+678}, {"sin", 0x1.9283586503fep-5},
    {"cos", 0x1.06b505550e6b2p-9},   {"tan", 0x1.50486b2f87014p-5},
    {"sin", 0x1.6ac5b262ca1ffp+849}, {"cos", 0x1.6ac5b262ca1ffp+849},
    {"tan", 0x1.6ac5b262ca1ffp+849},
};

int check_hard_inputs(const double_subject& s) {
  int wrong = 0;
  for (const hard_input& input : hard_inputs) {
    if (input.function == s.name)
      wrong += report(s, "published hard case", 1, distance_in_ulp(s, input.x, s.function(input.x)),
                      input.x);
  }
  return wrong;
}

std::uint64_t number(const char* text) { return std::strtoull(text, nullptr, 0); }

}  // namespace

int main(int count, char** arguments) {
  std::uint64_t pairs = 0;
  std::uint64_t doubles = 0;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = arguments[i];
    if (name == "--pairs") pairs = number(arguments[i + 1]);
    if (name == "--doubles") doubles = number(arguments[i + 1]);
    if (name == "--seed") seed = number(arguments[i + 1]);
  }
  int wrong = 0;
  const mpfr_exp_t least = mpfr_get_emin();
  const mpfr_exp_t most = mpfr_get_emax();
  for (const pair_subject& s : pair_subjects) wrong += check_pairs(s, pairs, mix(seed));
  mpfr_set_emin(least);
  mpfr_set_emax(most);
  for (const double_subject& s : double_subjects)
    wrong += check_hard_inputs(s) + check_doubles(s, doubles, mix(seed));
  return wrong == 0 ? 0 : 1;
}
