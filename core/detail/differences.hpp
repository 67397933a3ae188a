// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/detail/recording.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::detail {

using element_bytes = std::vector<unsigned char>;

/// The two runs of a comparison. New arrays hold other values in each, so that what reads them
/// before it writes them differs.
enum class run : int { a = 0, b = 1 };

/// The memory of `count` new elements.
element_bytes unwritten(run which, index_t count, const element_format& format);

/// How the elements of two runs differ.
struct difference {
  index_t differing = 0;
  index_t first = -1;
  std::string value_a;
  std::string value_b;
  std::uint64_t ulp = 0;
};

/// Compares the bits of elements. Any NaN equals any other, and an element that neither run has
/// written equals itself.
difference find_difference(const element_bytes& a, const element_bytes& b,
                           const element_format& format);

}  // namespace tandem::detail
