// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace tandem {

/// Type of sizes, strides and offsets: signed, 64 bits, counted in elements.
using index_t = std::int64_t;

/// Highest rank of a view.
inline constexpr int maximum_rank = 6;

/// Extents of an index space of `Rank` dimensions, slowest dimension first as in v(i, j).
///
/// All extents are run-time values. Rank 0 has one element.
template <int Rank>
class extents {
  static_assert(Rank >= 0 && Rank <= maximum_rank, "tandem: a rank is from 0 to 6");

 public:
  using index_type = index_t;

  /// All extents zero.
  constexpr extents() = default;

  /// One integer for each dimension.
  template <std::integral... Index>
    requires(sizeof...(Index) == Rank && Rank > 0)
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a range of one dimension.
  TANDEM_FUNCTION constexpr extents(Index... size) : size_{static_cast<index_t>(size)...} {}

  TANDEM_FUNCTION static constexpr int rank() { return Rank; }

  /// Size of dimension `d`, 0 <= d < Rank.
  TANDEM_FUNCTION constexpr index_t extent(int d) const { return size_[d]; }
  TANDEM_FUNCTION constexpr index_t& operator[](int d) { return size_[d]; }
  TANDEM_FUNCTION constexpr index_t operator[](int d) const { return size_[d]; }

  /// Number of elements: the product of all extents, 1 for rank 0. It wraps if there are 2^63 or
  /// more, which operations refuse.
  TANDEM_FUNCTION constexpr index_t size() const {
    std::uint64_t product = 1;
    for (int d = 0; d < Rank; ++d) product *= static_cast<std::uint64_t>(size_[d]);
    return static_cast<index_t>(product);
  }

  TANDEM_FUNCTION friend constexpr bool operator==(const extents& a, const extents& b) {
    for (int d = 0; d < Rank; ++d) {
      if (a.size_[d] != b.size_[d]) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t stored = Rank > 0 ? static_cast<std::size_t>(Rank) : 1;
  index_t size_[stored] = {};
};

template <std::integral... Index>
extents(Index...) -> extents<static_cast<int>(sizeof...(Index))>;

/// The dimension along which an algorithm combines elements, counted as in v(i, j, k): axis{0} is
/// the dimension of i. Negative numbers count from the end, as in NumPy: axis{-1} is the last.
struct axis {
  int dimension = 0;
};

}  // namespace tandem
