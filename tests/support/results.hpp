// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/data.hpp"
#include "support/non_commutative.hpp"

#include <cstddef>
#include <utility>

#include <tandem/tandem.hpp>

/// Whether results of reductions have the same bits, with all NaNs equal.
namespace tandem::test {

template <class T>
bool same_result(const T& a, const T& b) {
  return same_bits(a, b);
}
template <class T>
bool same_result(const value_index<T>& a, const value_index<T>& b) {
  return same_bits(a.value, b.value) && a.index == b.index;
}
template <class T>
bool same_result(const min_max_values<T>& a, const min_max_values<T>& b) {
  return same_bits(a.minimum, b.minimum) && same_bits(a.maximum, b.maximum);
}
inline bool same_result(const affine& a, const affine& b) {
  return same_bits(a.a, b.a) && same_bits(a.b, b.b);
}
template <class... T>
bool same_result(const tuple<T...>& a, const tuple<T...>& b) {
  return [&]<std::size_t... Position>(std::index_sequence<Position...>) {
    return (same_result(get<Position>(a), get<Position>(b)) && ...);
  }(std::index_sequence_for<T...>{});
}

}  // namespace tandem::test
