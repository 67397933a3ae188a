// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/scan/kernels/table.hpp>
#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/reducers/concept.hpp>

#include <cstddef>

/// A tile of the canonical scan for elements and operations of any kind. The operation is applied
/// to one pair at a time and as rarely as possible: segments are folded once, into `local`, which
/// is written later. `Op` needs element and combine(element, element).
namespace tandem::openmp_impl {

/// Kogge-Stone scan in place.
template <class Op, class T>
void scan_short_row(const Op& op, T* row, int count) {
  for (int distance = 1; distance < count; distance *= 2) {
    for (int s = count - 1; s >= distance; --s) row[s] = op.combine(row[s - distance], row[s]);
  }
}

/// Kogge-Stone scan of a row of 32 totals. Each step goes from one array into the other, so that it
/// is a vector operation. After the five steps the values are in `spare`.
template <int Distance, class Op, class T>
[[gnu::always_inline]] inline void scan_row(const Op& op, T* __restrict x, T* __restrict spare) {
  if constexpr (Distance < canonical::row_segments) {
    for (int i = 0; i < Distance; ++i) spare[i] = x[i];
    for (int i = Distance; i < canonical::row_segments; ++i)
      spare[i] = op.combine(x[i - Distance], x[i]);
    scan_row<Distance * 2>(op, spare, x);
  }
}

/// scan_totals for large elements: in place.
template <class Op, class T>
T scan_large_totals(const Op& op, T* before, int segments) {
  T rows{};
  for (int first = 0; first < segments; first += canonical::row_segments) {
    T* const row = before + first;
    const int count = tandem::min(segments - first, int{canonical::row_segments});
    scan_short_row(op, row, count);
    const T row_total = row[count - 1];
    for (int s = count - 1; s > 0; --s)
      row[s] = first == 0 ? row[s - 1] : op.combine(rows, row[s - 1]);
    if (first > 0) row[0] = rows;
    rows = first == 0 ? row_total : op.combine(rows, row_total);
  }
  return rows;
}

/// Replaces before[s], the total of segment s, by the prefix of segment s in the tile; before[0] is
/// undefined afterwards. Returns the tile's total.
template <class Op, class T>
T scan_totals(const Op& op, T* before, int segments) {
  constexpr int full = canonical::row_segments;
  T odd[static_cast<std::size_t>(full)];
  T even[static_cast<std::size_t>(full)];
  T rows{};
  for (int first = 0; first < segments; first += full) {
    T* const row = before + first;
    const int count = segments - first < full ? segments - first : full;
    for (int s = 0; s < count; ++s) even[s] = row[s];
    if (count == full) {
      scan_row<1>(op, even, odd);
    } else {
      scan_short_row(op, even, count);
      for (int s = 0; s < count; ++s) odd[s] = even[s];
    }
    if (first == 0) {
      for (int s = 1; s < count; ++s) row[s] = odd[s - 1];
      rows = odd[count - 1];
    } else {
      for (int s = 1; s < count; ++s) row[s] = op.combine(rows, odd[s - 1]);
      row[0] = rows;
      rows = op.combine(rows, odd[count - 1]);
    }
  }
  return rows;
}

/// Left fold of `count` terms into `local`; returns the last.
template <class Op, class T>
[[gnu::always_inline]] inline T fold_segment(const Op& op, const T* __restrict x, int count,
                                             T* __restrict local) {
  T folded = x[0];
  local[0] = folded;
  for (int i = 1; i < count; ++i) {
    folded = op.combine(folded, x[i]);
    local[i] = folded;
  }
  return folded;
}

#if defined(__clang__)
/// Folds four independent segments at a time. g++ vectorises this by itself; clang 14 would fold
/// one after another, or gather.
template <class Op, class T>
[[gnu::always_inline]] inline void fold_four_segments(const Op& op, const T* __restrict x,
                                                      T* __restrict local, T* __restrict before) {
  constexpr int full = canonical::segment;
  T a = x[0];
  T b = x[full];
  T c = x[2 * full];
  T d = x[3 * full];
  for (int i = 0; i < full; ++i) {
    if (i > 0) {
      a = op.combine(a, x[i]);
      b = op.combine(b, x[full + i]);
      c = op.combine(c, x[2 * full + i]);
      d = op.combine(d, x[3 * full + i]);
    }
    local[i] = a;
    local[full + i] = b;
    local[2 * full + i] = c;
    local[3 * full + i] = d;
  }
  before[0] = a;
  before[1] = b;
  before[2] = c;
  before[3] = d;
}
#endif

/// Scans each segment of a tile of `count` terms separately into `local`, which is not x, and finds
/// the prefix of each in the tile. Returns the tile's total.
template <class Op, class T>
T fold_any_operation(const Op& op, const T* __restrict x, int count, T* __restrict local,
                     T* __restrict before) {
  constexpr int full = canonical::segment;
  const int whole = count / full;
  int s = 0;
#if defined(__clang__)
  for (; s + 4 <= whole; s += 4) fold_four_segments(op, x + s * full, local + s * full, before + s);
#endif
  for (; s < whole; ++s) before[s] = fold_segment(op, x + s * full, full, local + s * full);
  const int left = count - whole * full;
  if (left > 0) before[whole] = fold_segment(op, x + whole * full, left, local + whole * full);
  const int segments = whole + (left > 0 ? 1 : 0);
  if constexpr (detail::is_large<T>) {
    return scan_large_totals(op, before, segments);
  } else {
    return scan_totals(op, before, segments);
  }
}

/// Writes q op local for `count` elements of a segment, shifted by one for an exclusive scan.
template <bool Exclusive, class Op, class T>
[[gnu::always_inline]] inline void write_segment(const Op& op, const T* local, int count, const T q,
                                                 T* y) {
  // local may be y. Two local arrays let compilers see vectors.
  T kept[static_cast<std::size_t>(canonical::segment)];
  T sums[static_cast<std::size_t>(canonical::segment)];
  for (int i = 0; i < count; ++i) kept[i] = local[i];
  for (int i = 0; i < count; ++i) sums[i] = op.combine(q, kept[i]);
  if constexpr (Exclusive) {
    y[0] = q;
    for (int i = 1; i < count; ++i) y[i] = sums[i - 1];
  } else {
    for (int i = 0; i < count; ++i) y[i] = sums[i];
  }
}

/// write_segment for large elements: one by one.
template <bool Exclusive, class Op, class T>
void write_large_segment(const Op& op, const T* local, int count, const T& q, T* y) {
  if constexpr (Exclusive) {
    for (int i = count - 1; i > 0; --i) y[i] = op.combine(q, local[i - 1]);
    y[0] = q;
  } else {
    for (int i = 0; i < count; ++i) y[i] = op.combine(q, local[i]);
  }
}

/// Writes the segments of a tile from its term `first` on.
template <bool Exclusive, class Op, class T>
void write_segments(const Op op, const tile_output<T> out, const T* before, int first) {
  constexpr int full = canonical::segment;
  for (; first < out.count; first += full) {
    T q = out.prefix;
    if (first > 0) {
      const T& inside = before[first / full];
      q = out.has_prefix ? op.combine(out.prefix, inside) : inside;
    }
    const T* const local = out.x + first;
    if constexpr (detail::is_large<T>) {
      write_large_segment<Exclusive>(op, local, tandem::min(full, out.count - first), q,
                                     out.y + first);
    } else if (out.count - first >= full) {
      write_segment<Exclusive>(op, local, full, q, out.y + first);
    } else {
      write_segment<Exclusive>(op, local, out.count - first, q, out.y + first);
    }
  }
}

/// Writes a tile whose scans of segments are in out.x, which may be out.y, by plain stores.
template <class Op, class T>
void write_any_operation(const Op& op, const tile_output<T>& out, const T* before) {
  int first = 0;
  if (!out.has_prefix) {
    const int end = out.count < canonical::segment ? out.count : canonical::segment;
    for (; first < end; ++first) out.y[first] = out.x[first];
  }
  if (out.exclusive) {
    write_segments<true>(op, out, before, first);
  } else {
    write_segments<false>(op, out, before, first);
  }
}

}  // namespace tandem::openmp_impl
