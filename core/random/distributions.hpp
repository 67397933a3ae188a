// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/random/samplers.hpp>

#include <concepts>
#include <cstdint>

/// What fill_random draws from. Parameters are checked there; docs/numerics.md says how words
/// become values.

namespace tandem {

/// Every bit is random: philox(seed, i), or philox64(seed, i), as an integer of 8 to 64 bits, of
/// which narrow ones keep the upper bits.
struct random_bits {};

/// Reals of [lo, hi), every one of 2^24 (float) or 2^53 (double) equal steps as probable as the
/// others; hi itself never comes out. lo < hi, both finite, and so is hi - lo.
struct uniform {
  double lo = 0;
  double hi = 1;
};

/// Integers of [lo, hi], both included, as std::uniform_int_distribution has it, each as probable
/// as the others: words that would favour some are rejected.
template <std::integral T>
struct uniform_int {
  T lo;
  T hi;
};
template <std::integral T>
uniform_int(T, T) -> uniform_int<T>;

/// Normal (Gaussian) variables, float or double; deviation >= 0, both finite. One word makes one
/// variable, by the inverse of the cumulative function.
struct normal {
  double mean = 0;
  double deviation = 1;
};

/// Exponential variables, float or double, of mean 1 / rate; rate > 0 and finite.
struct exponential {
  double rate = 1;
};

/// True (1) with a probability of [0, 1], exact to 2^-64, else false (0); of any arithmetic type.
struct bernoulli {
  double probability = 0.5;
};

/// Poisson variables of a mean from 0 to 32, of any arithmetic type.
struct poisson {
  double mean = 1;
};

}  // namespace tandem
