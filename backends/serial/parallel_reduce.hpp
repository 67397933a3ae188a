// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/reduction_shape.hpp>
#include <tandem/core/reducers.hpp>

#include <vector>

namespace tandem {

class serial;

/// The canonical shape of a reduction (docs/numerics.md), written down to be read, not to be fast.
namespace serial_impl {

/// One value in a std::vector, which would pack a bare bool into a bit.
template <class T>
struct cell {
  T value;
};

/// Aligned adjacent tree: v[i] = v[2i] op v[2i + 1] until one value is left; a missing right side
/// is skipped.
template <class R>
typename R::accumulator combine_adjacent(std::vector<cell<typename R::accumulator>>& v,
                                         const R& reducer) {
  std::size_t count = v.size();
  while (count > 1) {
    const std::size_t pairs = count / 2;
    for (std::size_t i = 0; i < pairs; ++i)
      v[i].value = reducer.combine(v[2 * i].value, v[2 * i + 1].value);
    if (count % 2 == 1) v[pairs] = v[count - 1];
    count = pairs + count % 2;
  }
  return v[0].value;
}

/// A tile of the commutative shape: lane l folds the terms first + l, first + l + lanes, .. from
/// the left, in ascending order; then lane l takes lane l + h for h = lanes / 2, lanes / 4, .., 1.
/// Lanes without terms are skipped.
template <class Load, class R>
typename R::accumulator fold_tile(index_t first, index_t last, const Load& load, const R& reducer) {
  using T = typename R::accumulator;
  constexpr int lanes = canonical::lanes<T>;
  T lane[static_cast<std::size_t>(lanes)];
  lane[0] = load(first);
  for (int l = 1; l < lanes && first + l < last; ++l) lane[l] = load(first + l);
  for (index_t row = first + lanes; row < last; row += lanes) {
    for (int l = 0; l < lanes && row + l < last; ++l)
      lane[l] = reducer.combine(lane[l], load(row + l));
  }
  for (int h = lanes / 2; h >= 1; h /= 2) {
    for (int l = 0; l < h && l + h < last - first; ++l)
      lane[l] = reducer.combine(lane[l], lane[l + h]);
  }
  return lane[0];
}

/// A segment of the ordered shape: a left fold of contiguous terms.
template <class Load, class R>
typename R::accumulator fold_segment(index_t first, index_t last, const Load& load,
                                     const R& reducer) {
  typename R::accumulator folded = load(first);
  for (index_t i = first + 1; i < last; ++i) folded = reducer.combine(folded, load(i));
  return folded;
}

}  // namespace serial_impl

/// Combines n >= 1 terms: tiles or segments, then the tree of adjacent ones.
template <class Load, class R>
typename R::accumulator dispatch_reduce(const serial&, const char*, index_t n, const Load& load,
                                        const R& reducer) {
  using T = typename R::accumulator;
  constexpr index_t leaf = R::commutative ? canonical::tile<T> : canonical::segment;
  std::vector<serial_impl::cell<T>> leaves;
  for (index_t first = 0; first < n; first += leaf) {
    const index_t last = first + leaf < n ? first + leaf : n;
    if constexpr (R::commutative) {
      leaves.push_back({serial_impl::fold_tile(first, last, load, reducer)});
    } else {
      leaves.push_back({serial_impl::fold_segment(first, last, load, reducer)});
    }
  }
  return serial_impl::combine_adjacent(leaves, reducer);
}

/// Reduces n >= 0 terms and leaves the result in `out`.
template <class Load, class R>
void dispatch_reduce_into(const serial& space, const char* label, index_t n, const Load& load,
                          const R& reducer, typename R::result* out) {
  *out = n == 0 ? reducer.empty() : reducer.finish(dispatch_reduce(space, label, n, load, reducer));
}

}  // namespace tandem
