// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/term_loaders.hpp>
#include <tandem/core/reducers.hpp>

namespace tandem {

/// The elements of a box with two dimensions of slices and one dimension along them, by stride. The
/// load functor of slice (p, q) is slices(p, q).
template <class T, class R>
struct strided_slices {
  using element = T;

  const T* data;
  index_t outer_stride;
  index_t inner_stride;
  index_t term_stride;
  R reducer;

  TANDEM_FUNCTION constexpr strided_load<T, R> operator()(index_t p, index_t q) const {
    return {data + p * outer_stride + q * inner_stride, term_stride, reducer};
  }
};

/// Many reductions of equal length as backends receive them, checked: output (p, q), of outer x
/// inner, combines the terms load(0) .. load(terms - 1) of load = slices(p, q), each in the order
/// of a separate reduction of its terms.
///
/// Slices  function object (p, q) -> load functor: strided_slices, or the adapter of a function of
///         the indices
/// R       reducer
///
/// Extents are at least 1, but `terms` may be 0: then every output is reducer.empty(). If it is
/// known, q is the dimension whose neighbours are closer in memory; a single dimension of outputs
/// is q.
template <class Slices, class R>
struct reduce_axis_problem {
  using accumulator = typename R::accumulator;
  using result = typename R::result;

  Slices slices;
  R reducer;
  index_t outer = 1;
  index_t inner = 1;
  index_t terms = 0;
  /// Whether neighbouring outputs q are closer in memory than neighbouring terms, if that is known;
  /// affects tuning only.
  bool side_by_side = false;
  result* out = nullptr;
  index_t out_outer_stride = 0;
  index_t out_inner_stride = 1;

  TANDEM_FUNCTION constexpr index_t outputs() const { return outer * inner; }
  TANDEM_FUNCTION constexpr result& output(index_t p, index_t q) const {
    return out[p * out_outer_stride + q * out_inner_stride];
  }
};

}  // namespace tandem
