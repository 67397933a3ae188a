// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/permutation.hpp>
#include <tandem/distributed/operations/elementwise.hpp>
#include <tandem/distributed/operations/sort.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Sorts the elements of x by random keys. `name` is the user's operation.
template <class Space, class X>
void shuffle_on_group(const char* name, const group<Space>& members, X& x, std::uint64_t seed) {
  common_cut common(name);
  add_line(common, members, name, x);
  if (x.size() < 2) return;
  array<std::uint64_t, 1, group<Space>, layout_right> keys(x.extents(), members, x.rows());
  fill_random(members, keys, random_bits{}, seed);
  sort_by_key(members, keys, x);
}

}  // namespace detail

/// Shuffles the elements of a sharded array into a random order, that of shuffle() on one space.
///
/// @param x     sharded array of one dimension, of trivially copyable elements
/// @param seed  the order depends on it and on the extent alone
/// Errors       argument_error for an array of other members and for a replicated one;
///              out_of_memory_error, before x is written
/// Complexity   writes 8 bytes per element, then as sort_by_key() of these with x as values
/// Waits for the members, as sort().
template <class Space, detail::sharded_operand X>
void shuffle(const group<Space>& members, X&& x, std::uint64_t seed) {
  detail::shuffle_on_group("shuffle", members, x, seed);
}

/// Writes a random permutation of 0, 1, .., n - 1 into a sharded array of n elements, that of
/// random_permutation() on one space.
///
/// @param x     sharded array of one dimension, of integers; overwritten
/// @param seed  as for shuffle
/// Errors       those of shuffle; extent_error when the elements of x are too narrow for n - 1. If
///              memory runs out, x may have the numbers in ascending order
/// Complexity   as for shuffle, and a pass that writes x
/// Waits for the members, as sort().
template <class Space, detail::sharded_operand X>
void random_permutation(const group<Space>& members, X&& x, std::uint64_t seed) {
  using T = typename std::remove_cvref_t<X>::value_type;
  constexpr const char* name = "random_permutation";
  constexpr bool numbers = std::integral<T> && !std::same_as<T, bool>;
  static_assert(numbers, "tandem: random_permutation: the elements are integers and not const");
  if constexpr (numbers) {
    detail::common_cut common(name);
    detail::add_line(common, members, name, x);
    if (x.size() > 0 && !std::in_range<T>(x.size() - 1)) {
      detail::fail_extents(name, "last index", x.size() - 1, ">", "largest element",
                           static_cast<long long>(std::numeric_limits<T>::max()));
    }
    detail::for_each_member(members, [&](int p) {
      dispatch_for(members.member(p), name, detail::own_rows(x, p),
                   detail::write_index<T>{x.whole(p).data_handle()});
    });
    detail::shuffle_on_group(name, members, x, seed);
  }
}

}  // namespace tandem
