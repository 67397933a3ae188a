// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>
#include <tandem/core/random/distributions.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

/// Preconditions on the parameters of fill_random()'s distributions, and their samplers for
/// elements of T.
namespace tandem::detail {

inline constexpr double most_poisson_mean = 32;

template <class T>
concept drawn_real = std::same_as<T, float> || std::same_as<T, double>;

/// Throws argument_error "operation: name (value) what".
[[noreturn]] inline void fail_parameter(const char* operation, const char* name, double value,
                                        const std::string& what) {
  throw argument_error(message({operation, ": ", name, " (", value, ") ", what}));
}

inline void require_finite(const char* operation, const char* name, double value) {
  constexpr double largest = std::numeric_limits<double>::max();
  if (!(value >= -largest && value <= largest))
    fail_parameter(operation, name, value, "is not finite");
}

/// Converts the parameter to T. Throws if it is not finite or too large for T.
template <class T>
T require_real(const char* operation, const char* name, double value) {
  require_finite(operation, name, value);
  constexpr auto largest = static_cast<double>(std::numeric_limits<T>::max());
  if (value < -largest || value > largest)
    fail_parameter(operation, name, value, "is more than a float holds");
  return static_cast<T>(value);
}

/// The largest value below x.
template <class T>
T value_below(T x) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const auto bits = __builtin_bit_cast(Bits, x);
  if (x == 0) return -std::numeric_limits<T>::denorm_min();
  return __builtin_bit_cast(T, static_cast<Bits>(x > 0 ? bits - 1 : bits + 1));
}

template <std::integral T>
  requires(!std::same_as<T, bool>)
bits_sampler<T> make_sampler(const char*, const random_bits&) {
  return {};
}

template <drawn_real T>
uniform_sampler<T> make_sampler(const char* operation, const uniform& d) {
  const T lo = require_real<T>(operation, "lo", d.lo);
  const T hi = require_real<T>(operation, "hi", d.hi);
  if (!(lo < hi)) {
    const bool rounds = d.lo < d.hi;  // distinct numbers, of one value as elements
    fail_parameter(operation, "lo", rounds ? static_cast<double>(lo) : d.lo,
                   message({">= hi (", rounds ? static_cast<double>(hi) : d.hi, ")",
                            rounds ? ", rounded to the elements' type" : ""}));
  }
  const T width = hi - lo;
  if (!(width <= std::numeric_limits<T>::max()))
    fail_parameter(operation, "lo", d.lo, "and hi are further apart than an element can tell");
  return {.lo = lo, .width = width, .last = value_below(hi)};
}

template <std::integral T, std::integral P>
  requires(!std::same_as<T, bool>)
integer_sampler<T> make_sampler(const char* operation, const uniform_int<P>& d) {
  const auto fail = [&](const char* relation, const std::string& other) {
    throw argument_error(
        message({operation, ": lo (", d.lo, ") ", relation, " hi (", d.hi, ")", other}));
  };
  if (d.lo > d.hi) fail(">", "");
  if (!std::in_range<T>(d.lo) || !std::in_range<T>(d.hi))
    fail("to", " is more than the view's elements hold");
  using Word = typename integer_sampler<T>::word_type;
  const auto lo = static_cast<Word>(d.lo);
  const auto count = static_cast<Word>(static_cast<Word>(d.hi) - lo + Word{1});
  const Word unfair = count == 0 ? Word{0} : static_cast<Word>((Word{0} - count) % count);
  return {.lo = lo, .count = count, .unfair = unfair};
}

template <drawn_real T>
normal_sampler<T> make_sampler(const char* operation, const normal& d) {
  const T mean = require_real<T>(operation, "mean", d.mean);
  const T deviation = require_real<T>(operation, "deviation", d.deviation);
  if (d.deviation < 0) fail_parameter(operation, "deviation", d.deviation, "< 0");
  return {.mean = mean, .deviation = deviation};
}

template <drawn_real T>
exponential_sampler<T> make_sampler(const char* operation, const exponential& d) {
  require_finite(operation, "rate", d.rate);
  if (!(d.rate > 0)) fail_parameter(operation, "rate", d.rate, "is not above 0");
  constexpr double ln2 = 0x1.62e42fefa39efp-1;
  if (!(ln2 / d.rate <= static_cast<double>(std::numeric_limits<T>::max()) / 64))
    fail_parameter(operation, "rate", d.rate, "is so small that variables overflow");
  return {.half_life = static_cast<T>(ln2 / d.rate)};
}

template <class T>
  requires std::is_arithmetic_v<T>
bernoulli_sampler<T> make_sampler(const char* operation, const bernoulli& d) {
  const double p = d.probability;
  if (!(p >= 0 && p <= 1)) fail_parameter(operation, "probability", p, "is not from 0 to 1");
  const double scaled = p * 0x1p32;  // exact
  const auto upper = static_cast<std::uint64_t>(scaled);
  return {.upper = upper,
          .lower = static_cast<std::uint32_t>((scaled - static_cast<double>(upper)) * 0x1p32)};
}

/// Weights mean^k / k! relative to the first, and their running sums. They avoid exponential
/// functions, whose last bit may differ between libraries.
template <class T>
  requires std::is_arithmetic_v<T>
poisson_sampler<T> make_sampler(const char* operation, const poisson& d) {
  if (!(d.mean >= 0 && d.mean <= most_poisson_mean))
    fail_parameter(operation, "mean", d.mean, "is not from 0 to 32");
  poisson_sampler<T> sampler{};
  double weight = 1;
  double sum = 1;
  for (int k = 0; k < sampler.size; ++k) {
    sampler.cumulative[k] = sum;
    weight *= d.mean / (k + 1);
    sum += weight;
  }
  for (double& value : sampler.cumulative) value /= sum;
  return sampler;
}

/// A distribution that can draw elements of T.
template <class Distribution, class T>
concept draws = requires(const Distribution d) { make_sampler<T>("", d); };

}  // namespace tandem::detail
