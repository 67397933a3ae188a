// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/random/samplers.hpp>

#include <concepts>
#include <cstdint>

/// The distributions of fill_random, which checks the parameters; docs/numerics.md says how words
/// become values.

namespace tandem {

/// Every bit is random: philox(seed, i), or philox64(seed, i), as an integer of 8 to 64 bits;
/// narrow ones keep the upper bits.
struct random_bits {};

/// Reals in [lo, hi), in 2^24 (float) or 2^53 (double) equal steps that are equally probable; hi
/// itself never occurs. Requires lo < hi, both finite, and a finite hi - lo.
struct uniform {
  double lo = 0;
  double hi = 1;
};

/// Integers in [lo, hi], both included, as for std::uniform_int_distribution, all equally probable:
/// words that would favour some are rejected.
template <std::integral T>
struct uniform_int {
  T lo;
  T hi;
};
template <std::integral T>
uniform_int(T, T) -> uniform_int<T>;

/// Normal (Gaussian) variables, float or double; deviation >= 0, both finite. Each variable takes
/// one word, through the inverse of the cumulative distribution function.
struct normal {
  double mean = 0;
  double deviation = 1;
};

/// Exponential variables, float or double, with mean 1 / rate; rate > 0 and finite.
struct exponential {
  double rate = 1;
};

/// True (1) with a probability in [0, 1], exact to 2^-64, otherwise false (0); of any arithmetic
/// type.
struct bernoulli {
  double probability = 0.5;
};

/// Poisson variables with a mean from 0 to 32, of any arithmetic type.
struct poisson {
  double mean = 1;
};

}  // namespace tandem
