// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

#include <tandem/backends/cuda/reduce/argminmax_tile.cuh>
#include <tandem/backends/cuda/reduce/lane_tile.cuh>
#include <tandem/backends/cuda/reduce/ordered_tile.cuh>
#include <tandem/backends/cuda/reduce/shared_memory_tile.cuh>
#include <tandem/core/contract/term_loaders.hpp>

/// The choice of the tile algorithm. A tile says how the warps of a block fold terms:
///   accumulator, reducer
///   block                       most threads per block
///   min_blocks_per_sm           blocks that each multiprocessor must hold; 0 for the compiler's
///                               choice
///   items                       how many work items a warp takes (policy.hpp)
///   item_elements               terms per work item
///   max_values                  most values that the warps of a block leave to its tree
///   fold_items(each, n, value)  folds this warp's `each` work items of n terms into value[..], in
///                               the order of the terms over the warps of the block; returns how
///                               many values a warp leaves. All lanes of a warp call it
namespace tandem::cuda_impl {

/// Contiguous elements at a 16-byte boundary, as terms of a tile.
template <class T>
struct aligned_elements {
  const T* data;
};

/// Whether a tile reads aligned elements of type T for R in words of 16 bytes.
template <class T, class R>
inline constexpr bool has_aligned_tile =
    R::commutative && (has_vector_tile<T, R> || has_argminmax_tile<T, R>);

/// The tile for the terms of a load functor.
template <class Load, class R>
auto reduce_tile(const Load& terms, const R& reducer) {
  if constexpr (R::commutative) {
    return function_tile<Load, R>{terms, reducer};
  } else {
    return ordered_tile<Load, R>{terms, reducer};
  }
}

/// The tile for aligned elements.
template <class T, class R>
  requires has_aligned_tile<T, R>
auto reduce_tile(const aligned_elements<T>& terms, const R& reducer) {
  if constexpr (has_argminmax_tile<T, R>) {
    return argminmax_tile<T, R>{terms.data, reducer};
  } else if constexpr (has_narrow_rows<T, R>) {
    return shared_memory_tile<T, R>{{terms.data, reducer}};
  } else {
    return vector_tile<T, R>{terms.data, reducer};
  }
}

/// The type of the tile for terms of type Terms.
template <class Terms, class R>
using reduce_tile_for = decltype(reduce_tile(std::declval<Terms>(), std::declval<R>()));

/// Calls run(tile) with the tile for a load, which depends on where contiguous elements begin.
template <class Load, class R, class Run>
void with_reduce_tile(const Load& load, const R& reducer, const Run& run) {
  run(reduce_tile(load, reducer));
}
template <class T, class R, class Run>
  requires has_aligned_tile<T, R>
void with_reduce_tile(const contiguous_load<T, R>& load, const R& reducer, const Run& run) {
  if (is_vector_aligned(load.data)) {
    run(reduce_tile(aligned_elements<T>{load.data}, reducer));
  } else {
    run(reduce_tile(load, reducer));
  }
}

}  // namespace tandem::cuda_impl
