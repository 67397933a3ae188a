// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/sort_key.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/range.hpp>

/// A stable merge of two sorted runs, built on a backend's required operations. Backends without a
/// dispatch_merge run it, and it is the simplest specification of the results of the others.
namespace tandem::detail {

/// Keys with their values.
template <class Key, class Value>
struct keyed_line {
  Key* keys;
  Value* values;

  TANDEM_FUNCTION void take(index_t to, const keyed_line& other, index_t from) const {
    keys[to] = other.keys[from];
    values[to] = other.values[from];
  }
};

/// Keys without values.
template <class Key>
struct keyed_line<Key, void> {
  Key* keys;

  TANDEM_FUNCTION void take(index_t to, const keyed_line& other, index_t from) const {
    keys[to] = other.keys[from];
  }
};

/// Whether the element of the right run precedes that of the left one in a merge: of equal keys,
/// the left one comes first.
template <sort_order Order, class T>
TANDEM_FUNCTION bool right_precedes(T left, T right) {
  return comparable_bits_of<Order>(right) < comparable_bits_of<Order>(left);
}

/// Merges elements `a` of `left` and `b` of `right` to the front of them that has room in `out`:
/// the elements `to` of it.
template <sort_order Order, class Line>
TANDEM_FUNCTION void merge_lines(const Line& left, range a, const Line& right, range b,
                                 const Line& out, range to) {
  index_t i = to.begin;
  for (; i < to.end && a.begin < a.end && b.begin < b.end; ++i) {
    const bool takes_right = right_precedes<Order>(left.keys[a.begin], right.keys[b.begin]);
    const index_t at = takes_right ? b.begin : a.begin;  // no branch: it could not be predicted
    out.take(i, takes_right ? right : left, at);
    b.begin += takes_right ? 1 : 0;
    a.begin += takes_right ? 0 : 1;
  }
  for (; i < to.end && a.begin < a.end; ++i) out.take(i, left, a.begin++);
  for (; i < to.end; ++i) out.take(i, right, b.begin++);
}

/// How many of the first `count` elements of a merge come from the left run. One element of the
/// left run after the other is among them as long as it precedes the element of the right run that
/// would be the last one without it.
template <sort_order Order, class Line>
TANDEM_FUNCTION index_t merge_path(const Line& left, index_t left_size, const Line& right,
                                   index_t right_size, index_t count) {
  index_t low = count > right_size ? count - right_size : 0;
  index_t high = count < left_size ? count : left_size;
  while (low < high) {
    const index_t middle = low + (high - low) / 2;
    if (right_precedes<Order>(left.keys[middle], right.keys[count - 1 - middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Merges the elements of one chunk of the output.
template <sort_order Order, class Line>
struct merge_chunk {
  static constexpr index_t size = 4096;

  Line left;
  Line right;
  Line out;
  index_t left_size;
  index_t right_size;

  TANDEM_FUNCTION void operator()(index_t chunk) const {
    const index_t all = left_size + right_size;
    const index_t begin = chunk * size;
    const index_t end = all - begin < size ? all : begin + size;
    const index_t i = merge_path<Order>(left, left_size, right, right_size, begin);
    merge_lines<Order>(left, range{i, left_size}, right, range{begin - i, right_size}, out,
                       range{begin, end});
  }
};

/// Merges two runs to `out`, which overlaps neither.
template <sort_order Order, class Space, class Line>
void generic_merge(const Space& space, const char* label, const Line& left, index_t left_size,
                   const Line& right, index_t right_size, const Line& out) {
  using Chunk = merge_chunk<Order, Line>;
  dispatch_for(space, label, range{0, ceil_div(left_size + right_size, Chunk::size)},
               Chunk{left, right, out, left_size, right_size});
}

}  // namespace tandem::detail
