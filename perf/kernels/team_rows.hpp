// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>

#include <tandem/tandem.hpp>

namespace perf {

/// Lanes of a team that works on one row, and the neighbours at a distance of row_lanes that each
/// takes at a time: a GPU has their loads in flight together, a CPU's loop over the lanes has no
/// loop inside and becomes vectors. The lengths of rows are multiples of row_step.
inline constexpr int row_lanes = 128;
inline constexpr int row_each = 8;
inline constexpr int row_step = row_lanes * row_each;

/// Less than any number.
inline constexpr float below_all = -std::numeric_limits<float>::infinity();

/// The larger of two numbers, neither of which is NaN.
struct larger_of {
  TANDEM_FUNCTION float operator()(float a, float b) const { return a > b ? a : b; }
};

/// The sum of two numbers.
struct sum_of {
  TANDEM_FUNCTION float operator()(float a, float b) const { return a + b; }
};

/// Folds the elements of a row into partial[lane] of each lane, from partial[lane] = identity on:
/// element(i) may also store what it computes.
template <class Element, class Operation>
TANDEM_FUNCTION void fold_row(const tandem::team& team, int n, float* partial, float identity,
                              const Element& element, const Operation& operation) {
  team.for_each_lane([=](int lane) { partial[lane] = identity; });
  for (int first = 0; first < n; first += row_step) {
    team.for_each_lane([=](int lane) {
      float folded = partial[lane];
      for (int e = 0; e < row_each; ++e)
        folded = operation(folded, element(first + e * row_lanes + lane));
      partial[lane] = folded;
    });
  }
}

/// Combines partial[0] to partial[row_lanes - 1] by phases of a team's kernel, in the order of a
/// binary tree, and returns the result to all lanes; it stays in partial[0].
template <class Operation>
TANDEM_FUNCTION float combine_partials(const tandem::team& team, float* partial,
                                       const Operation& operation) {
  for (int half = row_lanes / 2; half > 0; half /= 2)
    team.for_each(half, [&](int i) { partial[i] = operation(partial[i], partial[i + half]); });
  return partial[0];
}

}  // namespace perf
