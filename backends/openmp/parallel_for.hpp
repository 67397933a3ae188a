// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/loop.hpp>
#include <tandem/core/range.hpp>

#include <limits>
#include <type_traits>

namespace tandem {

namespace openmp_impl {

/// Calls f(i) for first <= i < end, with i counted in the function's own type: an `int` cast from a
/// wider counter would keep g++ from vectorising. Iterations of a parallel loop are independent,
/// which the compiler is told.
///
/// Signed indices are counted from zero to a length that fits their type. Narrow unsigned ones may
/// wrap around in sums, so they are counted themselves, with the last one apart because its
/// successor may not fit.
template <class Index, class Function>
[[gnu::always_inline]] inline void count_up(index_t first, index_t end, const Function& f) {
  if constexpr (std::is_unsigned_v<Index> && sizeof(Index) < sizeof(index_t)) {
    if (first >= end) return;
    const auto last = static_cast<Index>(end - 1);
    for (auto i = static_cast<Index>(first); i < last; ++i) f(i);
    f(last);
  } else {
    constexpr auto longest =
        static_cast<index_t>(std::numeric_limits<std::make_signed_t<Index>>::max());
    while (first < end) {
      const index_t length = end - first < longest ? end - first : longest;
      const auto base = static_cast<Index>(first);
      const auto count = static_cast<Index>(length);
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"  // not every function can be vectorised
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
      for (Index i = 0; i < count; ++i) f(static_cast<Index>(base + i));
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
      first += length;
    }
  }
}

/// Indices of a range. The function is copied, so that compilers see that no store in the loop can
/// change it.
template <class Function>
void run_line(const Function f, index_t first, index_t end) {
  count_up<loop_index<Function>>(first, end, [&](auto i) { f(i); });
}

/// Flat positions begin to end of a plane `width` wide, row by row.
template <class Function>
void run_plane(const Function f, index_t width, index_t begin, index_t end) {
  using Index = loop_index<Function>;
  index_t i = begin % width;
  for (index_t row = begin / width; begin < end; ++row) {
    const index_t length = width - i < end - begin ? width - i : end - begin;
    const auto j = static_cast<Index>(row);
    count_up<Index>(i, i + length, [&, j](Index column) { f(j, column); });
    begin += length;
    i = 0;
  }
}

/// Flat positions begin to end of a volume of planes of height x width, row by row.
template <class Function>
void run_volume(const Function f, index_t height, index_t width, index_t begin, index_t end) {
  using Index = loop_index<Function>;
  index_t i = begin % width;
  index_t row = begin / width % height;
  for (index_t plane = begin / width / height; begin < end; ++plane) {
    for (; row < height && begin < end; ++row) {
      const index_t length = width - i < end - begin ? width - i : end - begin;
      const auto k = static_cast<Index>(plane);
      const auto j = static_cast<Index>(row);
      count_up<Index>(i, i + length, [&, k, j](Index column) { f(k, j, column); });
      begin += length;
      i = 0;
    }
    row = 0;
  }
}

}  // namespace openmp_impl

/// Calls f(i) for every index. Each thread has one contiguous range.
template <class Function>
void dispatch_for(const openmp& space, const char*, const range& r, const Function& f) {
  const bool is_probed = r.size() < openmp_impl::probed_indices;
  openmp_impl::run_shared(space, r.size(), is_probed,
                          [&f, first = r.begin](index_t begin, index_t end) {
                            openmp_impl::run_line(f, first + begin, first + end);
                          });
}

/// Calls f(j, i) for every pair. Each thread has contiguous rows, or parts of rows where there are
/// few.
template <class Function>
void dispatch_for(const openmp& space, const char*, const grid<2>& g, const Function& f) {
  const bool is_probed = g.size() < openmp_impl::probed_indices;
  openmp_impl::run_shared(space, g.size(), is_probed,
                          [&f, width = g.sizes[1]](index_t begin, index_t end) {
                            openmp_impl::run_plane(f, width, begin, end);
                          });
}

/// Calls f(k, j, i) for every triple, shared out as in two dimensions.
template <class Function>
void dispatch_for(const openmp& space, const char*, const grid<3>& g, const Function& f) {
  const index_t height = g.sizes[1];
  const bool is_probed = g.size() < openmp_impl::probed_indices;
  openmp_impl::run_shared(space, g.size(), is_probed,
                          [&f, height, width = g.sizes[2]](index_t begin, index_t end) {
                            openmp_impl::run_volume(f, height, width, begin, end);
                          });
}

}  // namespace tandem
