// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/benchmark.hpp>

#include <cstdint>
#include <vector>

namespace perf {

/// Sizes for a plot of time against size: 2^12 to 2^27, or up to 2^20 in a quick run.
inline std::vector<std::int64_t> curve_sizes(const settings& chosen) {
  const std::vector<int> exponents =
      chosen.quick ? std::vector{12, 16, 20} : std::vector{12, 14, 16, 18, 20, 22, 24, 26, 27};
  std::vector<std::int64_t> sizes;
  for (const int exponent : exponents) sizes.push_back(std::int64_t{1} << exponent);
  return sizes;
}

/// Two sizes: one at which the cost of the call shows, one that is bound by bandwidth.
inline std::vector<std::int64_t> two_sizes(const settings& chosen) {
  if (chosen.quick) return {100'000, 1'000'000};
  return {1'000'000, std::int64_t{1} << 27};
}

}  // namespace perf
