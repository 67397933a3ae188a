// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

namespace tandem::detail {

/// Whether a conversion loses what users hardly mean to lose: floating point becomes an integer, or
/// one of 64 bits a narrower one. Conversions from int lose nothing here, since terms of narrower
/// integers are computed in int, and literals are int; nor do those to bool, which are tests.
template <class From, class To>
inline constexpr bool narrows = [] {
  if constexpr (!std::is_arithmetic_v<From> || !std::is_integral_v<To> ||
                std::is_same_v<To, bool>) {
    return false;
  } else {
    return std::is_floating_point_v<From> || (sizeof(From) == 8 && sizeof(To) < 8);
  }
}();

}  // namespace tandem::detail
