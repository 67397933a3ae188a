// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

/// "Sort and select" of docs/numerics.md, implemented from that page alone.
namespace tandem::fuzz::oracle {

/// The rank of a key: an unsigned integer of its size that orders like the keys.
template <class T>
auto rank_of(T key) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr int fraction = sizeof(T) == 4 ? 23 : 52;
    constexpr Bits sign = Bits{1} << (8 * sizeof(T) - 1);
    const auto rank = [](T x) {
      const Bits b = std::bit_cast<Bits>(x);
      return static_cast<Bits>(((b & sign) != 0 ? ~b : b + sign) - ((Bits{1} << fraction) - 1));
    };
    return rank(key == T{0} ? T{0} : key);
  } else {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<Bits>(static_cast<Bits>(key) -
                             static_cast<Bits>(std::numeric_limits<T>::min()));
  }
}

/// Positions of the keys in sorted order: stable, ascending or descending.
template <class T>
std::vector<std::size_t> sorted_positions(const std::vector<T>& keys, bool descending) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return descending ? rank_of(keys[i]) > rank_of(keys[j]) : rank_of(keys[i]) < rank_of(keys[j]);
  });
  return order;
}

/// Returns the values at these positions.
template <class T>
std::vector<T> gathered(const std::vector<T>& x, const std::vector<std::size_t>& positions) {
  std::vector<T> result;
  for (const std::size_t i : positions) result.push_back(x[i]);
  return result;
}

/// Returns the elements for which keep(x) is true, in their order.
template <class T, class Keep>
std::vector<T> kept(const std::vector<T>& x, const Keep& keep) {
  std::vector<T> result;
  for (const T& value : x) {
    if (keep(value)) result.push_back(value);
  }
  return result;
}

/// Returns the first element of every run of elements that compare equal with ==.
template <class T>
std::vector<T> changes(const std::vector<T>& x) {
  std::vector<T> result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i == 0 || !(x[i] == x[i - 1])) result.push_back(x[i]);
  }
  return result;
}

}  // namespace tandem::fuzz::oracle
