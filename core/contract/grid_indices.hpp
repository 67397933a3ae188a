// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <bit>
#include <cstddef>

/// Grid indices from row-major numbers, for GPUs, which have no division instruction.
namespace tandem::detail {

/// Division by a number that is equal for all threads, as a multiplication and a shift: exact for
/// numbers below 2^31.
/// Source: Granlund and Montgomery, "Division by invariant integers using multiplication", 1994.
struct fast_divisor {
  unsigned multiplier = 1u << 31;  ///< ceil(2^shift / divisor)
  int shift = 31;

  TANDEM_FUNCTION constexpr unsigned quotient(unsigned number) const {
    return static_cast<unsigned>((static_cast<unsigned long long>(number) * multiplier) >> shift);
  }
};

/// Returns the fast_divisor of `divisor`, which must be 1 to 2^31 - 1.
///
/// With 2^(l - 1) < divisor <= 2^l and a shift of 31 + l the multiplier exceeds 2^shift / divisor
/// by less than 1, which is too small to change the quotient of any number below 2^31.
constexpr fast_divisor divide_by(unsigned divisor) {
  fast_divisor by;
  const auto l = static_cast<int>(std::bit_width(divisor - 1));
  by.shift = 31 + l;
  by.multiplier = static_cast<unsigned>(((1ull << by.shift) + divisor - 1) / divisor);
  return by;
}

/// Computes grid indices of `Rank` dimensions from row-major numbers. A thread that visits several
/// numbers divides for the first and multiplies for the others.
template <int Rank>
class grid_indices {
  static_assert(Rank >= 2);

 public:
  struct index {
    index_t along[static_cast<std::size_t>(Rank)];
  };

  /// Upper bound of the steps from a thread's first number to its others.
  static constexpr index_t step_limit = index_t{1} << 16;

  explicit constexpr grid_indices(const extents<Rank>& sizes) : sizes_(sizes) {
    for (int d = 0; d < Rank; ++d) has_steps_ = has_steps_ && sizes[d] <= last_divided - step_limit;
    for (int d = 1; d < Rank && has_steps_; ++d)
      if (sizes[d] > 0) by_[d - 1] = divide_by(unsigned_of(sizes[d]));
  }

  TANDEM_FUNCTION constexpr const extents<Rank>& sizes() const { return sizes_; }

  /// Whether after() may be used: no dimension has about 2^31 indices or more.
  TANDEM_FUNCTION constexpr bool has_steps() const { return has_steps_; }

  /// Returns the index with a number.
  TANDEM_FUNCTION constexpr index at(index_t number) const {
    if (has_steps_ && number <= last_divided) return after({}, unsigned_of(number));
    index result{};
    for (int d = Rank - 1; d > 0; --d) {
      const index_t rest = number / sizes_[d];
      result.along[d] = number - rest * sizes_[d];
      number = rest;
    }
    result.along[0] = number;
    return result;
  }

  /// Returns the index `steps` numbers after another one: below step_limit, or below 2^31 from the
  /// first index.
  TANDEM_FUNCTION constexpr index after(const index& first, unsigned steps) const {
    index result{};
    for (int d = Rank - 1; d > 0; --d) {
      const unsigned number = unsigned_of(first.along[d]) + steps;
      steps = by_[d - 1].quotient(number);
      result.along[d] = static_cast<index_t>(number - steps * unsigned_of(sizes_[d]));
    }
    result.along[0] = first.along[0] + static_cast<index_t>(steps);
    return result;
  }

 private:
  static constexpr index_t last_divided = 0x7fffffff;

  TANDEM_FUNCTION static constexpr unsigned unsigned_of(index_t n) {
    return static_cast<unsigned>(n);
  }

  extents<Rank> sizes_;
  fast_divisor by_[static_cast<std::size_t>(Rank) - 1];
  bool has_steps_ = true;
};

}  // namespace tandem::detail
