// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/term_loaders.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/reducers.hpp>

namespace tandem {

/// The terms begin <= i < end.
struct segment_range {
  index_t begin;
  index_t end;

  TANDEM_FUNCTION constexpr index_t size() const { return end - begin; }
};

/// Reductions of neighbouring segments of one line of terms as backends get them: output s combines
/// the terms load(begin) .. load(end - 1) of segment(s) in the canonical shape that they have
/// alone.
///
/// Load    function object index_t -> accumulator, called with 0 <= i < terms
/// Offset  integer type; segment s begins at offsets[s] and ends at offsets[s + 1]
/// R       reducer
///
/// Offsets are cut to 0 .. terms, and a segment that ends before it begins is empty, so no offset
/// leads outside. Where offsets fall so that segments overlap, the outputs of those are
/// unspecified.
template <class Load, class Offset, class R>
struct segmented_problem {
  using accumulator = typename R::accumulator;
  using result = typename R::result;

  Load load;
  R reducer;
  index_t terms = 0;
  const Offset* offsets = nullptr;
  index_t offset_stride = 1;
  index_t segments = 0;
  result* out = nullptr;
  index_t out_stride = 1;

  /// Where segment s begins; of s == segments, where the last one ends.
  TANDEM_FUNCTION constexpr index_t begin(index_t s) const {
    const auto offset = static_cast<index_t>(detail::load_constant(offsets + s * offset_stride));
    return offset < 0 ? 0 : offset > terms ? terms : offset;
  }
  TANDEM_FUNCTION constexpr segment_range segment(index_t s) const {
    const index_t first = begin(s);
    const index_t last = begin(s + 1);
    return {first, last < first ? first : last};
  }
  TANDEM_FUNCTION constexpr result& output(index_t s) const { return out[s * out_stride]; }
};

/// Most terms of a segment that fold_few() takes.
inline constexpr int few_terms = 8;

/// The canonical combination of 1 to few_terms terms: of the commutative shape the halving of lanes
/// with a term each, of the ordered one a left fold. Bounds of loops are constants, so that
/// compilers unroll them and terms stay in registers.
template <class Load, class R>
TANDEM_FUNCTION constexpr typename R::accumulator fold_few(const Load& load,
                                                           const segment_range& terms,
                                                           const R& reducer) {
  using T = typename R::accumulator;
  const int count = static_cast<int>(terms.size());
  T term[few_terms] = {};
  for (int l = 0; l < few_terms; ++l) {
    if (l < count) term[l] = load(terms.begin + l);
  }
  if constexpr (R::commutative) {
    for (int h = few_terms / 2; h >= 1; h /= 2) {
      for (int l = 0; l < few_terms / 2; ++l) {
        if (l < h && l + h < count) term[l] = reducer.combine(term[l], term[l + h]);
      }
    }
  } else {
    for (int l = 1; l < few_terms; ++l) {
      if (l < count) term[0] = reducer.combine(term[0], term[l]);
    }
  }
  return term[0];
}

/// Whether fold_few() suits the accumulators of R.
template <class R>
inline constexpr bool folds_few = sizeof(typename R::accumulator) <= 16;

/// The terms of a load from `begin` on.
template <class Load>
struct shifted_load {
  Load load;
  index_t begin;

  TANDEM_FUNCTION constexpr auto operator()(index_t i) const { return load(begin + i); }
};

}  // namespace tandem
