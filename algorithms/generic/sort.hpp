// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/generic/merge.hpp>
#include <tandem/core/array.hpp>

/// A stable merge sort of runs that double in length, built on a backend's required operations.
/// Backends without a dispatch_sort run it, and it is the simplest specification of the results of
/// the others.
namespace tandem::detail {

/// Copies element i.
template <class Line>
struct copy_keyed {
  Line from;
  Line to;

  TANDEM_FUNCTION void operator()(index_t i) const { to.take(i, from, i); }
};

/// Merges runs 2 p and 2 p + 1 of `run` elements each. Of equal keys, that of the left run comes
/// first.
template <sort_order Order, class Line>
struct merge_runs {
  Line from;
  Line to;
  index_t size;
  index_t run;

  TANDEM_FUNCTION void operator()(index_t p) const {
    const index_t begin = 2 * p * run;
    const index_t middle = end_of(begin);
    merge_lines<Order>(from, range{begin, middle}, from, range{middle, end_of(middle)}, to,
                       range{begin, end_of(middle)});
  }

 private:
  TANDEM_FUNCTION index_t end_of(index_t first) const {
    return size - first < run ? size : first + run;
  }
};

/// Sorts the `size` elements of `line`, with space for as many at `spare`.
template <sort_order Order, class Space, class Line>
void merge_sort(const Space& space, const char* label, index_t size, const Line& line,
                const Line& spare) {
  Line from = line;
  Line to = spare;
  for (index_t run = 1; run < size; run *= 2) {
    dispatch_for(space, label, range{0, (size - 1) / (2 * run) + 1},
                 merge_runs<Order, Line>{from, to, size, run});
    const Line merged = to;
    to = from;
    from = merged;
  }
  if (from.keys != line.keys)
    dispatch_for(space, label, range{0, size}, copy_keyed<Line>{from, line});
}

}  // namespace tandem::detail
