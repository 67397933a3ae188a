// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/copy.hpp>
#include <tandem/algorithms/copy_if.hpp>
#include <tandem/algorithms/histogram.hpp>
#include <tandem/algorithms/transform.hpp>
#include <tandem/core/contract/sort_key.hpp>
#include <tandem/core/view/subview.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Eleven bits of the rank by which a sort orders a key. Those of floats divide a binade in four.
template <class T>
struct digit_of_rank {
  static constexpr int bits = sizeof(T) == 1 ? 8 : 11;
  static constexpr std::size_t values = std::size_t{1} << bits;

  int shift;

  TANDEM_FUNCTION std::uint16_t operator()(T key) const {
    const auto rank = comparable_bits_of<sort_order::ascending>(key);
    return static_cast<std::uint16_t>((rank >> shift) & (values - 1));
  }
};

template <class T>
struct has_digit {
  digit_of_rank<T> digit;
  std::uint16_t value;

  TANDEM_FUNCTION bool operator()(T key) const { return digit(key) == value; }
};

/// The elements with one digit: how many there are, and how many have a smaller digit.
struct digit_bucket {
  std::uint16_t digit;
  index_t smaller;
  index_t size;
};

/// Finds the bucket of rank k. Waits for the counts.
template <class Space, class X, class T>
digit_bucket find_bucket(const Space& space, const X& x, index_t k, const digit_of_rank<T>& digit) {
  constexpr std::size_t values = digit_of_rank<T>::values;
  array<std::uint16_t, 1, Space> digits(extents<1>(x.size()), space);
  array<index_t, 1, Space> counts(extents<1>(values), space);
  index_t sizes[values];
  transform(space, x, digits, digit);
  histogram(space, digits, counts);
  copy(space, counts, as_view<host_memory>(sizes, values));
  space.fence();
  index_t smaller = 0;
  int d = 0;
  while (k - smaller >= sizes[d]) smaller += sizes[d++];
  return {static_cast<std::uint16_t>(d), smaller, sizes[d]};
}

/// Returns element k; the ranks of the elements differ only in their last `bits` bits. A digit
/// leaves the elements of one bucket, in their order, so those that remain after the last digit are
/// equal and ordered as a stable sort leaves them.
template <class Space, class X>
auto select_rank(const Space& space, const X& x, index_t k, int bits) {
  using T = typename X::value_type;
  if (bits == 0 || x.size() == 1) {
    T value;
    copy(space, subview(x, slice{k, k + 1}), as_view<host_memory>(&value, 1));
    space.fence();
    return value;
  }
  const int shift = bits < digit_of_rank<T>::bits ? 0 : bits - digit_of_rank<T>::bits;
  const digit_bucket bucket = find_bucket(space, x, k, digit_of_rank<T>{shift});
  if (bucket.size == x.size()) return select_rank(space, x, k, shift);
  array<T, 1, Space> kept(extents<1>(bucket.size), space);
  copy_if(space, x, kept, has_digit<T>{{shift}, bucket.digit});
  return select_rank(space, kept.const_view(), k - bucket.smaller, shift);
}

/// Reports in one line what has no ranks.
template <class Space, class View>
consteval bool check_ranked() {
  constexpr bool sortable = sortable_key<typename View::value_type>;
  constexpr bool line = View::rank() == 1;
  constexpr bool reached = reaches<Space, View>;
  static_assert(sortable,
                "tandem: nth_element: elements are float, double or integers of 8 to 64 bits");
  static_assert(line, "tandem: nth_element: x has one dimension");
  static_assert(reached, "tandem: nth_element: the space cannot reach the memory of x");
  static_assert(compiles_loops<Space>,
                "tandem: nth_element of this backend needs this file compiled by its own compiler "
                "(tandem_add_sources in CMake does so)");
  return sortable && line && reached && runs_loops<Space>;
}

}  // namespace detail

/// Returns the element of rank k: the one that stands at index k after sort(). x is unchanged.
///
///   const float median = tandem::nth_element(space, x, x.size() / 2);
///
/// @param x     rank-1 operand, any stride, of float, double or integers of 8 to 64 bits
/// @param k     rank, 0 for the smallest: 0 <= k < n with n the extent of x. NaNs have the last
///              ranks; equal elements, -0 and +0 among them, are ranked by index
/// Errors       extent_error when k < 0 or k >= n, so for each k when x is empty; argument_error
///              when x has no memory, or memory that the space cannot access; out_of_memory_error
/// Agreement    the same bits on every backend: those of sort() and of its element k
/// Complexity   counts the elements by 11 bits of their keys and keeps those that have the bits of
///              rank k, until the keys' bits have been looked at or one element is left: usually
///              reads x twice, and a few of its elements again; at most twice per 11 bits. Scratch:
///              2 bytes per element, the elements kept, and that of histogram and copy_if
/// Blocks until the result is available.
template <execution_space Space, viewable X>
element_of<X> nth_element(const Space& space, X&& x, index_t k) {
  const auto v = detail::read_only(as_view(std::forward<X>(x)));
  if constexpr (detail::check_ranked<Space, decltype(v)>()) {
    const auto check = [&] {
      if (k < 0) detail::fail_extents("nth_element", "k", k, "<", "first rank", 0);
      if (k >= v.size()) detail::fail_extents("nth_element", "k", k, ">=", "extent of x", v.size());
    };
    constexpr int bits = 8 * static_cast<int>(sizeof(element_of<X>));
    return detail::run(space, detail::call{"nth_element",
                                           detail::profile_kind::region,
                                           {v.size()},
                                           detail::operands{detail::input{"x", v}},
                                           check,
                                           [&] { return detail::select_rank(space, v, k, bits); }});
  }
  return {};  // of what does not compile
}

/// Calls nth_element(space, x, k) on the default space.
template <viewable X>
element_of<X> nth_element(X&& x, index_t k) {
  return nth_element(detail::here(), std::forward<X>(x), k);
}

}  // namespace tandem
