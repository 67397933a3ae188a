// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/count_indices.hpp>
#include <tandem/backends/openmp/loop/adaptive_fork.hpp>
#include <tandem/backends/openmp/loop/policy.hpp>
#include <tandem/core/range.hpp>
#include <tandem/core/range/without_vectors.hpp>

namespace tandem {

namespace openmp_impl {

#include <tandem/backends/openmp/cpu/begin_vectorised.hpp>

/// Calls f(i) for `length` indices of a row of a loop over the user's function Loop.
template <class Loop, class Function>
[[gnu::always_inline]] inline void run_row(index_t first, index_t length, const Function& f) {
  if constexpr (detail::is_scalar_function<Loop>) {
    count_scalars<loop_index<Loop>>(first, first + length, f);
  } else {
    count_row<loop_index<Loop>>(first, length, f);
  }
}

/// Calls f(j) for the rows first <= j < last and counts in Index: with a wider counter beside it,
/// g++ 12 has no register left for the end of a stencil's rows.
template <class Index, class Function>
[[gnu::always_inline]] inline void count_rows(index_t first, index_t last, const Function& f) {
  if (first >= last) return;
  const auto bottom = static_cast<Index>(last - 1);
  for (auto j = static_cast<Index>(first);; ++j) {
    f(j);
    if (j == bottom) return;
  }
}

/// Loops over the indices of a range. The function is copied, so that compilers see that no store
/// in the loop changes it; an argument by value would be copied through memory.
template <class Function>
[[gnu::noinline]] void run_line(const Function& shared, index_t first, index_t end) {
  const Function f = shared;
  if constexpr (detail::is_scalar_function<Function>) {
    count_scalars<loop_index<Function>>(first, end, f);
  } else {
    count_up<loop_index<Function>>(first, end, [&](auto i) { f(i); });
  }
}

/// Loops over the part of a row with which a thread begins or ends. A separate function, so that
/// the loop over whole rows keeps the registers.
template <class Function>
[[gnu::noinline]] void run_plane_row(const Function& shared, loop_index<Function> j, index_t first,
                                     index_t stop) {
  const Function f = shared;
  using Index = loop_index<Function>;
  run_row<Function>(first, stop - first, [&, j](Index i) { f(j, i); });
}
template <class Function>
[[gnu::noinline]] void run_volume_row(const Function& shared, loop_index<Function> k,
                                      loop_index<Function> j, index_t first, index_t stop) {
  const Function f = shared;
  using Index = loop_index<Function>;
  run_row<Function>(first, stop - first, [&, k, j](Index i) { f(k, j, i); });
}

/// Divides the flat positions begin to end of rows of `width` into whole rows, run_whole(first,
/// last), and the parts of rows before and after them, run_part(row, first, stop), which may be
/// empty.
template <class Whole, class Part>
[[gnu::always_inline]] inline void run_rows(index_t width, index_t begin, index_t end,
                                            const Whole& run_whole, const Part& run_part) {
  index_t first = begin / width;
  const index_t last = end / width;
  const index_t i = begin % width;
  if (first == last) return run_part(first, i, end % width);
  if (i > 0) run_part(first++, i, width);
  run_whole(first, last);
  run_part(last, index_t{0}, end % width);
}

/// Loops over the flat positions begin to end of a plane `width` wide, row by row.
template <class Function>
[[gnu::noinline]] void run_plane(const Function& shared, index_t width, index_t begin,
                                 index_t end) {
  const Function f = shared;
  using Index = loop_index<Function>;
  run_rows(
      width, begin, end,
      [&](index_t first, index_t last) {
        count_rows<Index>(first, last, [&](Index j) {
          run_row<Function>(0, width, [&, j](Index column) { f(j, column); });
        });
      },
      [&](index_t row, index_t first, index_t stop) {
        if (first < stop) run_plane_row(shared, static_cast<Index>(row), first, stop);
      });
}

/// Loops over the flat positions begin to end of a volume of height x width planes, row by row.
template <class Function>
[[gnu::noinline]] void run_volume(const Function& shared, index_t height, index_t width,
                                  index_t begin, index_t end) {
  const Function f = shared;
  using Index = loop_index<Function>;
  run_rows(
      width, begin, end,
      [&](index_t first, index_t last) {
        while (first < last) {
          const auto k = static_cast<Index>(first / height);
          const index_t row = first % height;
          const index_t stop = height - row < last - first ? height : row + last - first;
          first += stop - row;
          count_rows<Index>(row, stop, [&, k](Index j) {
            run_row<Function>(0, width, [&, k, j](Index column) { f(k, j, column); });
          });
        }
      },
      [&](index_t row, index_t first, index_t stop) {
        if (first < stop)
          run_volume_row(shared, static_cast<Index>(row / height), static_cast<Index>(row % height),
                         first, stop);
      });
}

#include <tandem/backends/openmp/cpu/end_vectorised.hpp>

/// Bodies of loops over the flat positions begin to end, as run_loop calls them.
template <class Function>
struct line_loop {
  copy_if_small<Function> f;
  index_t first;
  void operator()(index_t begin, index_t end) const { run_line(f, first + begin, first + end); }
};
template <class Function>
struct plane_loop {
  copy_if_small<Function> f;
  index_t width;
  void operator()(index_t begin, index_t end) const { run_plane(f, width, begin, end); }
};
template <class Function>
struct volume_loop {
  copy_if_small<Function> f;
  index_t height;
  index_t width;
  void operator()(index_t begin, index_t end) const { run_volume(f, height, width, begin, end); }
};

}  // namespace openmp_impl

/// Calls f(i) for every index. Each thread begins with one contiguous range.
template <class Function>
void dispatch_for(const openmp& space, const char*, const range& r, const Function& f) {
  openmp_impl::run_loop(space, r.size(), r.size() < openmp_impl::adaptive_indices,
                        openmp_impl::line_loop<Function>{f, r.begin});
}

/// Calls f(j, i) for every pair. Each thread begins with contiguous rows, or parts of rows if there
/// are few.
template <class Function>
void dispatch_for(const openmp& space, const char*, const grid<2>& g, const Function& f) {
  openmp_impl::run_loop(space, g.size(), g.size() < openmp_impl::adaptive_indices,
                        openmp_impl::plane_loop<Function>{f, g.sizes[1]});
}

/// Calls f(k, j, i) for every triple, divided among threads as in two dimensions.
template <class Function>
void dispatch_for(const openmp& space, const char*, const grid<3>& g, const Function& f) {
  openmp_impl::run_loop(space, g.size(), g.size() < openmp_impl::adaptive_indices,
                        openmp_impl::volume_loop<Function>{f, g.sizes[1], g.sizes[2]});
}

}  // namespace tandem
