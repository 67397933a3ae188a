// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/terms.hpp>
#include <tandem/core/canonical.hpp>
#include <tandem/core/scan_problem.hpp>

namespace tandem::openmp_impl {

inline constexpr int tile_segments = canonical::row_segments * canonical::tile_rows;

/// A value that may be missing, as the prefix of a first tile is.
template <class T>
struct maybe {
  T value{};
  bool is_there = false;

  /// value = value op later.
  template <class R>
  void append(const T& later, const R& reducer) {
    value = is_there ? reducer.combine(value, later) : later;
    is_there = true;
  }
  /// value = earlier op value.
  template <class R>
  void prepend(const T& earlier, const R& reducer) {
    value = is_there ? reducer.combine(earlier, value) : earlier;
    is_there = true;
  }
};

/// Kogge-Stone values of a row of totals: x[i] = x[i - d] op x[i] for d = 1, 2, 4, 8, 16, each step
/// from one array into the other so that it is a vector operation. After the five steps they are in
/// `spare`.
template <int Distance, class T, class R>
[[gnu::always_inline]] inline void scan_row(T* __restrict x, T* __restrict spare,
                                            const R& reducer) {
  if constexpr (Distance < canonical::row_segments) {
    for (int i = 0; i < Distance; ++i) spare[i] = x[i];
    for (int i = Distance; i < canonical::row_segments; ++i) {
      spare[i] = reducer.combine(x[i - Distance], x[i]);
    }
    scan_row<Distance * 2>(spare, x, reducer);
  }
}

/// before[s], the total of segment s, becomes what comes before segment s in the tile; before[0] is
/// left undefined. Returns the total of the tile.
template <class T, class R>
T scan_rows(T* before, int segments, const R& reducer) {
  constexpr int full = canonical::row_segments;
  T odd[static_cast<std::size_t>(full)];
  T even[static_cast<std::size_t>(full)];
  T rows{};
  for (int first = 0; first < segments; first += full) {
    T* row = before + first;
    const int count = segments - first < full ? segments - first : full;
    // Any values will do behind the last segment: they do not reach the ones before.
    for (int s = 0; s < full; ++s) even[s] = row[s < count ? s : 0];
    scan_row<1>(even, odd, reducer);
    if (first == 0) {
      for (int s = 1; s < count; ++s) row[s] = odd[s - 1];
      rows = odd[count - 1];
    } else {
      for (int s = 1; s < count; ++s) row[s] = reducer.combine(rows, odd[s - 1]);
      row[0] = rows;
      rows = reducer.combine(rows, odd[count - 1]);
    }
  }
  return rows;
}

/// Left folds of `count` terms into `local`; returns the last.
template <class Terms, class T, class R>
[[gnu::always_inline]] inline T scan_segment(const Terms& terms, int first, int count,
                                             T* __restrict local, const R& reducer) {
  T folded = terms(first);
  local[first] = folded;
  for (int i = first + 1; i < first + count; ++i) {
    folded = reducer.combine(folded, terms(i));
    local[i] = folded;
  }
  return folded;
}

/// Scans each segment of a tile of `count` terms by itself into `local` and finds what comes before
/// each in the tile. Returns the total of the tile.
template <class Terms, class T, class R>
T scan_segments(const Terms& terms, int count, T* __restrict local, T* __restrict before,
                const R& reducer) {
  constexpr int full = canonical::segment;
  const int whole = count / full;
  for (int s = 0; s < whole; ++s) before[s] = scan_segment(terms, s * full, full, local, reducer);
  const int left = count - whole * full;
  if (left > 0) before[whole] = scan_segment(terms, whole * full, left, local, reducer);
  return scan_rows(before, whole + (left > 0 ? 1 : 0), reducer);
}

/// Writes a segment of `count` elements of y, `stride` apart: q op local, for an exclusive scan
/// shifted by one.
template <class T, class R>
[[gnu::always_inline]] inline void write_segment(T* __restrict y, index_t stride,
                                                 const T* __restrict local, int count, const T& q,
                                                 bool exclusive, const R& reducer) {
  if (exclusive) {
    y[0] = q;
    for (int i = 1; i < count; ++i) y[i * stride] = reducer.combine(q, local[i - 1]);
  } else {
    for (int i = 0; i < count; ++i) y[i * stride] = reducer.combine(q, local[i]);
  }
}

/// Writes a tile of `count` elements of y. `prefix` is what comes before it; missing for the first
/// one of an inclusive scan.
template <class T, class R>
void write_tile(T* y, index_t stride, const T* local, const T* before, int count,
                const maybe<T>& prefix, bool exclusive, const R& reducer) {
  constexpr int full = canonical::segment;
  int first = 0;
  if (!prefix.is_there) {
    const int end = count < full ? count : full;
    for (; first < end; ++first) y[first * stride] = local[first];
  }
  for (; first < count; first += full) {
    T q = prefix.value;
    if (first > 0) {
      const T& inside = before[first / full];
      q = prefix.is_there ? reducer.combine(prefix.value, inside) : inside;
    }
    if (count - first >= full && stride == 1) {
      write_segment(y + first, 1, local + first, full, q, exclusive, reducer);
    } else {
      const int left = count - first < full ? count - first : full;
      write_segment(y + first * stride, stride, local + first, left, q, exclusive, reducer);
    }
  }
}

}  // namespace tandem::openmp_impl
