// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/term_loaders.hpp>

namespace tandem {

/// The terms begin <= i < end.
struct segment_range {
  index_t begin;
  index_t end;

  TANDEM_FUNCTION constexpr index_t size() const { return end - begin; }
};

/// Reductions of neighbouring segments of terms as backends receive them: output s combines the
/// terms load(begin) .. load(end - 1) of segment(s) in the order of a separate reduction.
///
/// Load    function object index_t -> accumulator, called with 0 <= i < terms
/// Offset  integer type; segment s begins at offsets[s] and ends at offsets[s + 1]
/// R       reducer
///
/// Offsets are clamped to 0 .. terms, and a segment that ends before it begins is empty, so no
/// offset leads outside. If offsets decrease so that segments overlap, their outputs are
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

  /// The beginning of segment s; for s == segments, the end of the last one.
  TANDEM_FUNCTION constexpr index_t begin(index_t s) const { return cut(offset(s)); }
  TANDEM_FUNCTION constexpr segment_range segment(index_t s) const {
    return segment(offset(s), offset(s + 1));
  }

  /// Segment s from offset(s) and offset(s + 1), which the caller has loaded.
  TANDEM_FUNCTION constexpr segment_range segment(Offset begin, Offset end) const {
    const index_t first = cut(begin);
    const index_t last = cut(end);
    return {first, last < first ? first : last};
  }
  TANDEM_FUNCTION constexpr Offset offset(index_t s) const {
    return detail::load_constant(offsets + s * offset_stride);
  }
  TANDEM_FUNCTION constexpr result& output(index_t s) const { return out[s * out_stride]; }

 private:
  TANDEM_FUNCTION constexpr index_t cut(Offset offset) const {
    const auto at = static_cast<index_t>(offset);
    return at < 0 ? 0 : at > terms ? terms : at;
  }
};

/// The terms of a load starting at `begin`.
template <class Load>
struct shifted_load {
  Load load;
  index_t begin;

  TANDEM_FUNCTION constexpr auto operator()(index_t i) const { return load(begin + i); }
};

/// A reduction of the values of each run of equal neighbouring keys as backends receive it,
/// checked. Output r combines run r's terms in the order of a separate reduction, and keys_out has
/// its key. The outputs hold the first `room` runs.
///
/// Key   trivially copyable, with a default constructor and ==
/// Load  function object index_t -> accumulator, called with 0 <= i < size
/// R     reducer
///
/// Inputs and outputs do not overlap.
template <class Key, class Load, class R>
struct runs_problem {
  index_t size = 0;  ///< of keys, at least 1
  const Key* keys = nullptr;
  index_t key_stride = 1;
  Key* keys_out = nullptr;
  index_t keys_out_stride = 1;
  Load load;
  R reducer;
  typename R::result* out = nullptr;
  index_t out_stride = 1;
  index_t room = 0;           ///< at most `size`
  index_t* begins = nullptr;  ///< memory for room + 2 indices, for the backend's use
};

}  // namespace tandem
