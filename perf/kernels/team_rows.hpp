// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>

#include <tandem/tandem.hpp>

namespace perf {

/// Lanes of a team that works on one row: few on a GPU, where each barrier waits for all of them.
template <class Space>
inline constexpr int row_lanes = Space::memory_type::host_accessible ? 128 : 64;

/// The neighbours at a distance of row_lanes that each lane takes at a time: a GPU has their loads
/// in flight together, a CPU's loop over the lanes has no loop inside and becomes vectors. The
/// lengths of rows are multiples of both.
inline constexpr int row_each = 8;

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

/// Folds the elements of a row into partial[lane] of each lane, starting with `identity`:
/// element(i) may also store what it computes.
template <int Lanes, class Element, class Operation>
TANDEM_FUNCTION void fold_row(const tandem::team& team, int n, float* partial, float identity,
                              const Element& element, const Operation& operation) {
  const auto fold = [=](float folded, int first) {
    for (int e = 0; e < row_each; ++e) folded = operation(folded, element(first + e * Lanes));
    return folded;
  };
  team.for_each_lane([=](int lane) { partial[lane] = fold(identity, lane); });
  for (int first = Lanes * row_each; first < n; first += Lanes * row_each)
    team.for_each_lane([=](int lane) { partial[lane] = fold(partial[lane], first + lane); });
}

/// Combines partial[0] to partial[Lanes - 1] and returns the result to all lanes: one phase
/// leaves few_partials of them, which every lane of a GPU combines for itself, and a CPU once.
template <int Lanes, class Operation>
TANDEM_FUNCTION float combine_partials(const tandem::team& team, float* partial,
                                       const Operation& operation) {
  constexpr int few_partials = 16;
  team.for_each(few_partials, [=](int i) {
    float folded = partial[i];
    for (int k = 1; k < Lanes / few_partials; ++k)
      folded = operation(folded, partial[i + k * few_partials]);
    partial[i] = folded;
  });
  float left[few_partials];
  for (int i = 0; i < few_partials; ++i) left[i] = partial[i];
  for (int half = few_partials / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) left[i] = operation(left[i], left[i + half]);
  return left[0];
}

}  // namespace perf
