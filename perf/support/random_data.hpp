// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/names.hpp>

#include <cstdint>

namespace perf {

/// 64 well mixed bits of an index. They depend on the index alone, so that every backend can fill
/// its own memory with equal data, in any order. The finaliser of SplitMix64 (Steele, Lea, Flood
/// 2014).
TANDEM_FUNCTION inline std::uint64_t mixed_bits(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/// Uniform in [-1, 1), a multiple of 2^-23: exact in float and in double.
template <class T>
struct uniform_values {
  std::uint64_t seed;

  TANDEM_FUNCTION T operator()(index_t i) const {
    const auto bits =
        static_cast<std::int32_t>(mixed_bits(seed + static_cast<std::uint64_t>(i)) >> 40);
    return static_cast<T>(bits - (1 << 23)) * static_cast<T>(1.0 / (1 << 23));
  }
};

/// Nearly normal with mean 0 and deviation 1: the sum of eight 16-bit integers, scaled; within
/// +-4.9. In integers, so that every machine has the same values, which a logarithm would not
/// promise.
struct normal_values {
  std::uint64_t seed;

  TANDEM_FUNCTION float operator()(index_t i) const {
    return static_cast<float>(centred(i)) * static_cast<float>(1.0 / 53510.0);
  }
  /// Deviation 53510 = 65536 * sqrt(8 / 12).
  TANDEM_FUNCTION std::int32_t centred(index_t i) const {
    const std::uint64_t index = 2 * (seed + static_cast<std::uint64_t>(i));
    std::int32_t total = 0;
    for (std::uint64_t half = 0; half < 2; ++half) {
      const std::uint64_t bits = mixed_bits(index + half);
      for (int shift = 0; shift < 64; shift += 16)
        total += static_cast<std::int32_t>(bits >> shift & 0xffff);
    }
    return total - 8 * 32767 - 4;
  }
};

/// Distribution of integers over their bins.
enum class spread { uniform, normal, all_equal };

/// Integers of [0, bins).
struct bin_values {
  std::uint64_t seed;
  std::int32_t bins;
  spread kind;

  TANDEM_FUNCTION std::int32_t operator()(index_t i) const {
    if (kind == spread::all_equal) return bins / 2;
    if (kind == spread::uniform) {
      return static_cast<std::int32_t>(mixed_bits(seed + static_cast<std::uint64_t>(i)) %
                                       static_cast<unsigned>(bins));
    }
    // Eight deviations wide, so that the tails beyond four are the only ones to be clamped.
    const std::int64_t offset = std::int64_t{normal_values{seed}.centred(i)} * bins / (8 * 53510);
    return tandem::clamp(bins / 2 + static_cast<std::int32_t>(offset), 0, bins - 1);
  }
};

/// Small integers of either sign as T: their sums are exact in 64 bits in any order, and wrap to
/// one value in 32.
template <class T>
struct integer_values {
  std::uint64_t seed;

  TANDEM_FUNCTION T operator()(index_t i) const {
    return static_cast<T>(
        static_cast<std::int32_t>(mixed_bits(seed + static_cast<std::uint64_t>(i)) >> 48) - 32768);
  }
};

/// Stores values(i) to a view at every i: a named function object, which any compiler may pass on
/// to any backend.
template <class View, class Values>
struct store_values {
  View x;
  Values values;

  TANDEM_FUNCTION void operator()(index_t i) const { x(i) = values(i); }
};

/// Fills a view of rank 1 with values(i).
template <class Space, class View, class Values>
void fill_with(const Space& space, const View& x, const Values& values) {
  tandem::parallel_for(space, x.size(), store_values<View, Values>{x, values});
}

}  // namespace perf
