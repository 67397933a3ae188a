// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

#include <algorithm>

namespace perf {

/// Larger than any distance; adding to it does not overflow.
inline constexpr int no_distance = 1 << 29;

/// The fewest insertions, deletions and replacements between a string's beginning and another's,
/// from those of three shorter pairs.
TANDEM_FUNCTION inline int edited(int shorter_a, int shorter_b, int both, bool differ) {
  const int inserted = (shorter_a < shorter_b ? shorter_a : shorter_b) + 1;
  const int replaced = both + static_cast<int>(differ);
  return inserted < replaced ? inserted : replaced;
}

/// Levenshtein's distance between two strings of n letters, by a wavefront: a loop for each
/// anti-diagonal k of the table, over its rows i. Keeps the last three diagonals, padded
/// with no_distance, so that the border of the table needs no test.
template <class Space>
struct edit_distance {
  using letters = array<signed char, 1, Space>;

  static constexpr const char* name = "edit_distance";
  static constexpr const char* type = "i32";

  static inline const kernel_sizes sizes{{{1000}, {3000}, {10000}}};
  /// A comparison, two minima and two additions per element of the table.
  static kernel_cost cost(const kernel_size& size) {
    return {.flops = 5 * static_cast<double>(size[0]) * static_cast<double>(size[0])};
  }

  edit_distance(const Space& space, const kernel_size& size)
      : n(static_cast<int>(size[0])),
        a({size[0] + 1}, space),
        b({size[0] + 1}, space),
        diagonals({3, size[0] + 2}, space) {
    fill_with(space, a.view(), random_letters{1});
    fill_with(space, b.view(), random_letters{1 << 20});
  }

  /// Four letters at random.
  struct random_letters {
    std::uint64_t seed;

    TANDEM_FUNCTION signed char operator()(index_t i) const {
      return static_cast<signed char>(mixed_bits(seed + static_cast<std::uint64_t>(i)) & 3);
    }
  };

  /// The rows of anti-diagonal k.
  tandem::range rows_of(int k) const { return {std::max(0, k - n), std::min(k, n) + 1}; }

  void reset(const Space& space) { tandem::fill(space, diagonals, -1); }
  /// The distance, and both diagonals before it.
  outcome result(const Space& space) {
    const auto elements = on_the_host(space, diagonals.view());
    const int distance = elements[static_cast<std::size_t>(2 * n % 3 * (n + 2) + 1 + n)];
    return {fingerprint(elements.data(), elements.size() * sizeof(int)),
            static_cast<double>(distance)};
  }

  /// Initialises the corner of the table.
  void start(const Space& space) {
    tandem::fill(space, diagonals, no_distance);
    tandem::fill(space, tandem::subview(diagonals.view(), 0, tandem::slice{1, 2}), 0);
  }

  void run(const Space& space) {
    start(space);
    const auto x = a.const_view();
    const auto y = b.const_view();
    const int length = n;
    for (int k = 1; k <= 2 * n; ++k) {
      // Element i + 1 of a diagonal is that of row i.
      const auto before = diagonal<const int>(k - 1);
      const auto twice_before = diagonal<const int>(k - 2);
      const auto out = diagonal<int>(k);
      tandem::parallel_for(
          space, rows_of(k), TANDEM_LAMBDA(int i) {
            // b is stored in reverse, so that a diagonal reads both strings in order.
            const bool differ = x(i) != y(length - k + i);
            out(i + 1) = edited(before(i), before(i + 1), twice_before(i), differ);
          });
    }
  }

  template <class T>
  auto diagonal(int k) {
    T* const first = diagonals.data_handle() + (k + 3) % 3 * diagonals.extent(1);
    return tandem::as_view<typename Space::memory_type>(first, diagonals.extent(1));
  }

  int n;
  letters a;  ///< letter i - 1 of the first string at i, so that row 0 has one, too
  letters b;  ///< letter n - 1 - i of the second at i, likewise
  array<int, 2, Space> diagonals;
};

}  // namespace perf
