// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/fill_random.hpp>
#include <tandem/algorithms/sort.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// x(i) = i.
template <class T>
struct write_index {
  T* to;
  TANDEM_FUNCTION void operator()(index_t i) const { to[i] = static_cast<T>(i); }
};

/// Sorts the elements of a contiguous rank-1 view by random keys into another, or in place. Two of
/// n keys are equal with a probability of n^2 / 2^65; those elements keep their order. Errors:
/// out_of_memory_error; `line` is unchanged then.
template <class Space, class From, class View>
void sort_by_random_keys(const Space& space, const From& from, const View& line,
                         std::uint64_t seed) {
  array<std::uint64_t, 1, Space> keys(extents<1>(line.size()), space);
  fill_random(space, keys, random_bits{}, seed);
  sort_by_key(space, keys.const_view(), from, keys.view(), line);
}

}  // namespace detail

/// Shuffles the elements of x into a random order; each of the n! orders is equally probable up to
/// 2^-64 n^2.
///
/// @param x     contiguous rank-1 operand of trivially copyable elements
/// @param seed  the order depends on it and on the extent alone: element i gets the key
///              philox64(seed, i), and the elements are sorted by keys, stably
/// Errors       argument_error when x is not contiguous, has no memory, or memory that the space
///              cannot access; out_of_memory_error for the keys and the sort, x is unchanged then;
///              extent_error for 2^32 elements or more on tandem::cuda
/// Agreement    the same order on every backend, thread count and device
/// Complexity   writes n random keys of 8 bytes, then sort_by_key of these with x as values.
///              Scratch: the keys, and that of the sort
/// Asynchronous on `space`.
template <execution_space Space, viewable X>
void shuffle(const Space& space, X&& x, std::uint64_t seed) {
  const auto line = as_view(std::forward<X>(x));
  using View = std::remove_const_t<decltype(line)>;
  static_assert(!std::is_const_v<typename View::element_type>,
                "tandem: shuffle: the elements are const");
  const auto check = [&] {
    detail::require_line(space, "shuffle", "x", line);
    return line.size() > 1;
  };
  detail::run(
      space, detail::call{
                 "shuffle",
                 detail::profile_kind::region,
                 {line.size()},
                 detail::validated{line},
                 check,
                 [&] { detail::sort_by_random_keys(space, detail::read_only(line), line, seed); }});
}

/// Calls shuffle(space, x, seed) on the default space.
template <viewable X>
void shuffle(X&& x, std::uint64_t seed) {
  shuffle(detail::here(), std::forward<X>(x), seed);
}

/// Writes a random permutation of 0, 1, .., n - 1 into x, with n its extent: the result of shuffle
/// on these numbers in ascending order.
///
/// @param x     contiguous rank-1 operand of integers; overwritten
/// @param seed  as for shuffle
/// Errors       those of shuffle; extent_error when the elements of x are too narrow for n - 1
/// Agreement    the same permutation on every backend, thread count and device
/// Complexity   as for shuffle, and n elements more, written before and sorted
/// Asynchronous on `space`.
template <execution_space Space, viewable X>
void random_permutation(const Space& space, X&& x, std::uint64_t seed) {
  const auto line = as_view(std::forward<X>(x));
  using View = std::remove_const_t<decltype(line)>;
  using T = typename View::element_type;
  constexpr bool numbers = std::integral<T> && !std::same_as<T, bool> && !std::is_const_v<T>;
  static_assert(numbers, "tandem: random_permutation: the elements are integers and not const");
  const auto check = [&] {
    detail::require_line(space, "random_permutation", "x", line);
    using Number = std::conditional_t<numbers, T, index_t>;
    constexpr auto highest = std::numeric_limits<Number>::max();
    if (line.size() > 0 && !std::in_range<Number>(line.size() - 1)) {
      detail::fail_extents("random_permutation", "last index", line.size() - 1, ">",
                           "largest element", static_cast<long long>(highest));
    }
    return !line.empty();
  };
  const auto permute = [&] {
    array<T, 1, Space> indices(extents<1>(line.size()), space);
    dispatch_for(space, "random_permutation", range{0, line.size()},
                 detail::write_index<T>{indices.data_handle()});
    detail::sort_by_random_keys(space, indices.const_view(), line, seed);
  };
  detail::run(space, detail::call{"random_permutation",
                                  detail::profile_kind::region,
                                  {line.size()},
                                  detail::validated{line},
                                  check,
                                  permute});
}

/// Calls random_permutation(space, x, seed) on the default space.
template <viewable X>
void random_permutation(X&& x, std::uint64_t seed) {
  random_permutation(detail::here(), std::forward<X>(x), seed);
}

}  // namespace tandem
