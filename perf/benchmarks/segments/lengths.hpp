// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/candidates.hpp>

/// Lengths and offsets of segments and of the rows of sparse matrices, in any space's
/// memory.
namespace perf {

/// A length with a heavy tail: twice as long is half as likely, from 4 to less than 2^(powers + 2).
TANDEM_FUNCTION inline int heavy_tailed(std::uint64_t bits, int powers) {
  int power = 0;
  while (power + 1 < powers && (bits >> power & 1) == 0) ++power;
  const int least = 4 << power;
  return least + static_cast<int>((bits >> 32) % static_cast<unsigned>(least));
}

/// Distributions of the lengths of segments: 1000 terms, 4 terms, a heavy tail with a mean of 57,
/// none in half of the segments and up to 127 in others, runs of 1 to 30, and of 900 to 1100.
enum class segment_kind { equal, tiny, skewed, half_empty, short_runs, long_runs };

/// The length of each of a number of segments.
struct segment_lengths {
  segment_kind kind;
  index_t count;

  TANDEM_FUNCTION int operator()(index_t s) const {
    const std::uint64_t bits = mixed_bits(static_cast<std::uint64_t>(s));
    switch (kind) {
      case segment_kind::equal:
        return 1000;
      case segment_kind::tiny:
        return 4;
      case segment_kind::skewed:
        return heavy_tailed(bits, 19);
      case segment_kind::half_empty:
        return (bits & 1) == 0 ? 0 : static_cast<int>(1 + (bits >> 1) % 127);
      case segment_kind::short_runs:
        return static_cast<int>(1 + bits % 30);
      case segment_kind::long_runs:
        return static_cast<int>(900 + bits % 201);
    }
    return 0;
  }
};

/// The lengths, followed by a 0.
template <class Lengths>
struct lengths_and_zero {
  Lengths lengths;

  TANDEM_FUNCTION int operator()(index_t s) const { return s < lengths.count ? lengths(s) : 0; }
};

/// The offset of each segment, followed by the end of the last one.
template <class Space, class Lengths>
array<int, 1, Space> make_offsets(const Space& space, const Lengths& lengths) {
  const extents<1> size(lengths.count + 1);
  array<int, 1, Space> each(size, space);
  array<int, 1, Space> offsets(size, space);
  fill_with(space, each.view(), lengths_and_zero<Lengths>{lengths});
  tandem::parallel_scan(space, each.const_view(), offsets.view(), tandem::sum<int>{},
                        tandem::exclusive<int>{0});
  return offsets;
}

/// The number of all terms.
template <class Space, class Offsets>
index_t terms_of(const Space& space, const Offsets& offsets) {
  const index_t last = offsets.size() - 1;
  return on_the_host(space, tandem::subview(offsets.view(), tandem::slice{last, last + 1})).front();
}

/// Stores values(s, j) to element j of segment s.
template <class Offsets, class View, class Values>
struct store_segment {
  Offsets offsets;
  View x;
  Values values;

  TANDEM_FUNCTION void operator()(index_t s) const {
    const int begin = offsets(s);
    const int length = offsets(s + 1) - begin;
    for (int j = 0; j < length; ++j) x(begin + j) = values(s, j);
  }
};

/// Fills x, which has the terms of all segments, with values(segment, number within it).
template <class Space, class Offsets, class View, class Values>
void fill_segments(const Space& space, const Offsets& offsets, const View& x,
                   const Values& values) {
  const auto begins = offsets.const_view();
  using Begins = std::remove_const_t<decltype(begins)>;
  tandem::parallel_for(space, offsets.size() - 1,
                       store_segment<Begins, View, Values>{begins, x, values});
}

}  // namespace perf
