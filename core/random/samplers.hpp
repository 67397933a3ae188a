// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/random/philox.hpp>
#include <tandem/core/random/quantiles.hpp>

#include <cstddef>
#include <limits>
#include <type_traits>

/// Distributions with precomputed constants, which turn the words of an element into its value in
/// kernels of every backend and of the CPU's instruction sets.
///
/// A sampler has `words`, the number of 32-bit words it takes, value_type, and operator()(word...).
/// One that may reject a word also has rejects(word) and redraw(seed, i).
namespace tandem::detail {

/// Converts a word to a real in [0, 1): its upper 24 bits.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr float unit_real(std::uint32_t word) {
  return from_signed<float>(word >> 8) * 0x1p-24f;
}
/// Converts 64 bits to a real in [0, 1): the upper 53. Each step is exact.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr double unit_real(std::uint32_t low,
                                                                  std::uint32_t high) {
  const double upper = from_signed<double>(high ^ 0x80000000u) + 0x1p31;
  return (upper + from_signed<double>(low >> 11) * 0x1p-21) * 0x1p-32;
}

template <class T>
struct bits_sampler {
  using value_type = T;
  static constexpr int words = sizeof(T) == 8 ? 2 : 1;

  [[gnu::always_inline]] TANDEM_FUNCTION constexpr T operator()(std::uint32_t word) const {
    return static_cast<T>(word >> (32 - 8 * sizeof(T)));
  }
  [[gnu::always_inline]] TANDEM_FUNCTION constexpr T operator()(std::uint32_t low,
                                                                std::uint32_t high) const {
    return static_cast<T>(low | std::uint64_t{high} << 32);
  }
};

/// The number of words that a real takes.
template <class T>
inline constexpr int words_of_real = sizeof(T) == 8 ? 2 : 1;

template <class T>
struct uniform_sampler {
  using value_type = T;
  static constexpr int words = words_of_real<T>;
  T lo;
  T width;
  T last;  ///< the largest value below hi, to which the sum may round

  template <class... Word>
  [[gnu::always_inline]] TANDEM_FUNCTION constexpr T operator()(Word... word) const {
    const T value = fma(width, unit_real(word...), lo);
    return value < last ? value : last;
  }
};

template <class T>
struct normal_sampler {
  using value_type = T;
  static constexpr int words = words_of_real<T>;
  T mean;
  T deviation;

  /// Returns the scaled and shifted standard variable z.
  [[gnu::always_inline]] TANDEM_FUNCTION constexpr T scaled(T z) const {
    return fma(deviation, z, mean);
  }
  template <class... Word>
  [[gnu::always_inline]] TANDEM_FUNCTION constexpr T operator()(Word... word) const {
    return scaled(standard_normal(word...));
  }
};

template <class T>
struct exponential_sampler {
  using value_type = T;
  static constexpr int words = words_of_real<T>;
  T half_life;

  template <class... Word>
  [[gnu::always_inline]] TANDEM_FUNCTION constexpr T operator()(Word... word) const {
    return half_life * half_lives(word...);
  }
};

/// The number of draws after which a word is accepted although it would be rejected: the bias is
/// then below 2^-127.
inline constexpr std::uint32_t most_draws = 128;

/// Draws again until a word is accepted. `take(draw)` returns the element's word of that draw.
template <class Sampler, class Take>
TANDEM_FUNCTION constexpr auto draw_again(const Sampler& sampler, const Take& take) {
  auto word = take(1u);
  for (std::uint32_t draw = 2; draw < most_draws && sampler.rejects(word); ++draw)
    word = take(draw);
  return sampler(word);
}

struct philox_draw {
  std::uint64_t seed;
  std::uint64_t i;
  TANDEM_FUNCTION constexpr std::uint32_t operator()(std::uint32_t draw) const {
    return philox(seed, i, draw);
  }
};
struct philox64_draw {
  std::uint64_t seed;
  std::uint64_t i;
  TANDEM_FUNCTION constexpr std::uint64_t operator()(std::uint32_t draw) const {
    return philox64(seed, i, draw);
  }
};

/// The upper half of a product of 64-bit numbers.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr std::uint64_t upper_product(std::uint64_t a,
                                                                             std::uint64_t b) {
  constexpr std::uint64_t low = 0xffffffff;
  const std::uint64_t first = (a & low) * (b & low);
  const std::uint64_t second = (a >> 32) * (b & low) + (first >> 32);
  const std::uint64_t third = (a & low) * (b >> 32) + (second & low);
  return (a >> 32) * (b >> 32) + (second >> 32) + (third >> 32);
}

/// lo + floor(word * count / 2^bits). A word is rejected if the product's lower half is below
/// 2^bits mod count, so that every value keeps the same number of words. 0 represents a count of
/// 2^bits.
///
/// Source: Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019).
template <class T>
struct integer_sampler {
  using value_type = T;
  static constexpr int words = sizeof(T) == 8 ? 2 : 1;
  using word_type = std::conditional_t<words == 2, std::uint64_t, std::uint32_t>;
  word_type lo;
  word_type count;
  word_type unfair;  ///< 2^bits mod count; 0 for a count of 2^bits

  [[gnu::always_inline]] TANDEM_FUNCTION constexpr T operator()(word_type word) const {
    word_type upper = 0;
    if constexpr (words == 2) {
      upper = upper_product(word, count);
    } else {
      upper = static_cast<word_type>(std::uint64_t{word} * count >> 32);
    }
    return static_cast<T>(lo + (count == 0 ? word : upper));
  }
  [[gnu::always_inline]] TANDEM_FUNCTION constexpr bool rejects(word_type word) const {
    return static_cast<word_type>(word * count) < unfair;
  }
  TANDEM_FUNCTION constexpr T redraw(std::uint64_t seed, std::uint64_t i) const {
    if constexpr (words == 2) {
      return draw_again(*this, philox64_draw{seed, i});
    } else {
      return draw_again(*this, philox_draw{seed, i});
    }
  }
};

/// Returns 1 if a word is below the upper half of probability * 2^64. If they are equal, once in
/// 2^32 times, the lower half and the word of draw 1 decide.
template <class T>
struct bernoulli_sampler {
  using value_type = T;
  static constexpr int words = 1;
  std::uint64_t upper;
  std::uint32_t lower;

  [[gnu::always_inline]] TANDEM_FUNCTION constexpr T operator()(std::uint32_t word) const {
    return static_cast<T>(word < upper ? 1 : 0);
  }
  [[gnu::always_inline]] TANDEM_FUNCTION constexpr bool rejects(std::uint32_t word) const {
    return word == upper;
  }
  TANDEM_FUNCTION constexpr T redraw(std::uint64_t seed, std::uint64_t i) const {
    return static_cast<T>(philox(seed, i, 1) < lower ? 1 : 0);
  }
};

/// The number of k with P(X <= k) <= u, by bisection of the cumulative distribution's table.
template <class T>
struct poisson_sampler {
  using value_type = T;
  static constexpr int words = 2;
  static constexpr int size = 128;  ///< 1 - P(X < 128) is below 2^-53 up to a mean of 32
  double cumulative[size];

  TANDEM_FUNCTION constexpr T operator()(std::uint32_t low, std::uint32_t high) const {
    const double u = unit_real(low, high);
    int k = 0;
    for (int step = size / 2; step > 0; step /= 2) {
      if (cumulative[k + step - 1] <= u) k += step;
    }
    return static_cast<T>(k);
  }
};

template <class Sampler>
concept rejecting = requires(const Sampler sampler) { sampler.redraw(0u, 0u); };

/// Returns the value of element i without testing for rejection: uses word `at` of a block of four
/// and, for samplers of two words, the next one.
template <class Sampler>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr auto take_value(const Sampler& sampler,
                                                                 const std::uint32_t* word) {
  if constexpr (Sampler::words == 1) {
    return sampler(word[0]);
  } else if constexpr (rejecting<Sampler>) {
    return sampler(word[0] | std::uint64_t{word[1]} << 32);
  } else {
    return sampler(word[0], word[1]);
  }
}

/// Whether the value must be drawn again.
template <class Sampler>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr bool rejects_value(
    [[maybe_unused]] const Sampler& sampler, [[maybe_unused]] const std::uint32_t* word) {
  if constexpr (!rejecting<Sampler>) {
    return false;
  } else if constexpr (Sampler::words == 1) {
    return sampler.rejects(word[0]);
  } else {
    return sampler.rejects(word[0] | std::uint64_t{word[1]} << 32);
  }
}

/// Returns the value of element i, whose words begin at `word`.
template <class Sampler>
TANDEM_FUNCTION constexpr auto value_of_words(const Sampler& sampler, const std::uint32_t* word,
                                              [[maybe_unused]] std::uint64_t seed,
                                              [[maybe_unused]] std::uint64_t i) {
  if constexpr (rejecting<Sampler>) {
    if (rejects_value(sampler, word)) return sampler.redraw(seed, i);
  }
  return take_value(sampler, word);
}

/// Returns the value of element i.
template <class Sampler>
TANDEM_FUNCTION constexpr auto sample_element(const Sampler& sampler, std::uint64_t seed,
                                              std::uint64_t i) {
  constexpr std::uint64_t elements = 4 / Sampler::words;
  const philox_words words = stream_words(seed, i / elements, 0);
  return value_of_words(sampler, words.word + Sampler::words * (i % elements), seed, i);
}

}  // namespace tandem::detail
