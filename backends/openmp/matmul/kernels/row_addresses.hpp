// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

/// Addresses of a tile's rows. Everything has internal linkage, as in micro_tile.hpp.
namespace tandem::openmp_impl {
namespace {

/// Distances from the first of `Rows` rows, at most nine, to the others: odd multiples of the
/// stride, which x86-64's addressing modes scale to the even ones. One register per row would leave
/// too few for the loop.
template <class T, int Rows>
struct row_distances {
  static_assert(Rows <= 9);
  static constexpr int count = Rows > 1 ? Rows / 2 : 1;

  /// `stride` in elements; of any value where there is one row.
  explicit row_distances(std::int64_t stride) {
    std::uint64_t bytes = static_cast<std::uint64_t>(stride) * sizeof(T);
    const std::uint64_t twice = 2 * bytes;
    for (std::int64_t& x : odd) {
      x = static_cast<std::int64_t>(bytes);
      bytes += twice;
    }
  }

  /// Hides the values from the compiler, so that it does not keep their multiples as well.
  [[gnu::always_inline]] void forget() {
#if defined(__x86_64__)
#pragma GCC unroll 4
    for (std::int64_t& x : odd) asm volatile("" : "+r"(x));
#endif
  }

  /// Row i of those whose first is `first`.
  [[gnu::always_inline]] const T* row(const T* first, int i) const {
    if (i == 0) return first;
    const int scale = i & -i;
    return reinterpret_cast<const T*>(reinterpret_cast<const char*>(first) +
                                      odd[i / scale / 2] * scale);
  }

  std::int64_t odd[std::size_t{count}];
};

/// Prefetches a line of each row that is needed next.
template <class T, int Rows>
[[gnu::always_inline]] inline void prefetch_rows(const T* next,
                                                 const row_distances<T, Rows>& rows) {
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) __builtin_prefetch(rows.row(next, i), 0, 2);
}

}  // namespace
}  // namespace tandem::openmp_impl
