// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>

#include <tandem/tandem.hpp>

namespace perf {

/// Elements of a row that a team works on.
inline constexpr int row_length = 1024;

/// Lanes of such a team: few on a GPU, whose barriers wait for all of them.
template <class Space>
inline constexpr int row_lanes = Space::memory_type::host_accessible ? 128 : 64;

/// Elements of a row that each lane has.
template <class Space>
inline constexpr int row_each = row_length / row_lanes<Space>;

/// The elements of a row that a team keeps between its phases; those of a lane are row_lanes apart.
/// On a GPU they are the lane's registers.
template <class Space, bool IsHost = Space::memory_type::host_accessible>
class kept_row {
 public:
  static constexpr std::size_t scratch_bytes = 0;

  TANDEM_FUNCTION explicit kept_row(tandem::team& team) : parts_(team) {}
  TANDEM_FUNCTION float& operator()(int lane, int k) { return parts_[lane].of[k]; }

  /// A phase over all elements: f(lane, k).
  template <class Function>
  TANDEM_FUNCTION void for_each(const tandem::team& team, const Function& f) const {
    team.for_each_lane([&](int lane) {
      for (int k = 0; k < row_each<Space>; ++k) f(lane, k);
    });
  }

 private:
  struct part {
    float of[row_each<Space>];
  };
  tandem::per_lane<part> parts_;
};

/// On a CPU they are contiguous in scratch.
template <class Space>
class kept_row<Space, true> {
 public:
  static constexpr std::size_t scratch_bytes = row_length * sizeof(float);

  explicit kept_row(tandem::team& team) : elements_(team.scratch<float>(row_length)) {}
  float& operator()(int lane, int k) { return elements_[lane + k * row_lanes<Space>]; }

  template <class Function>
  void for_each(const tandem::team& team, const Function& f) const {
    team.for_each(row_length, [=](int i) { f(i, 0); });
  }

 private:
  float* elements_;
};

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

/// Folds the elements of a row and returns the result to all lanes: element(lane, k) returns the
/// lane's k-th element, and may also keep it. `partial` has a float per lane in scratch. One phase
/// leaves a few of them, which every lane of a GPU combines for itself, and a CPU once.
template <class Space, class Element, class Operation>
TANDEM_FUNCTION float fold_row(const tandem::team& team, float* partial, float identity,
                               const Element& element, const Operation& operation) {
  constexpr int lanes = row_lanes<Space>;
  constexpr int few = 16;
  team.for_each_lane([=](int lane) {
    float folded = identity;
    for (int k = 0; k < row_each<Space>; ++k) folded = operation(folded, element(lane, k));
    partial[lane] = folded;
  });
  team.for_each(few, [=](int i) {
    float folded = partial[i];
    for (int k = 1; k < lanes / few; ++k) folded = operation(folded, partial[i + k * few]);
    partial[i] = folded;
  });
  float left[few];
  for (int i = 0; i < few; ++i) left[i] = partial[i];
  for (int half = few / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) left[i] = operation(left[i], left[i + half]);
  return left[0];
}

}  // namespace perf
