// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tandem {

/// The dimension along which an algorithm combines elements, counted as in v(i, j, k): axis{0} runs
/// over i. Negative ones count from the end, as in NumPy: axis{-1} is the last.
struct axis {
  int dimension = 0;
};

}  // namespace tandem
