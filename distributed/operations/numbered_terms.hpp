// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/distributed/operations/parallel_reduce.hpp>

#include <cstddef>

/// Reductions of a part of the terms of a whole, whose positions are those of the whole.
namespace tandem {

namespace detail {

/// A reducer of terms that have the numbers from `first` on.
template <class R>
struct reducer_from {
  using accumulator = typename R::accumulator;
  using result = typename R::result;
  static constexpr bool commutative = R::commutative;

  R reducer;
  index_t first;

  template <class Term>
  TANDEM_FUNCTION constexpr accumulator lift(const Term& term, index_t i) const {
    return reducer.lift(term, first + i);
  }
  TANDEM_FUNCTION constexpr accumulator combine(const accumulator& a, const accumulator& b) const {
    return reducer.combine(a, b);
  }
  TANDEM_FUNCTION constexpr accumulator identity() const { return reducer.identity(); }
  TANDEM_FUNCTION constexpr result finish(const accumulator& a) const { return reducer.finish(a); }
  TANDEM_FUNCTION constexpr result empty() const { return reducer.empty(); }
};

/// The reducer of terms that have the numbers from `first` on: the given one, which backends may
/// recognise, if it ignores positions.
template <class R>
auto numbered_from([[maybe_unused]] index_t first, const R& reducer) {
  if constexpr (ignores_positions<R>) {
    return reducer;
  } else {
    return reducer_from<R>{reducer, first};
  }
}

}  // namespace detail

namespace canonical {

/// Terms are combined in one order, whatever number they are counted from.
template <class R>
inline constexpr std::size_t lane_bytes<detail::reducer_from<R>> = lane_bytes<R>;

}  // namespace canonical

template <class R>
inline constexpr bool order_free<detail::reducer_from<R>> = order_free<R>;

}  // namespace tandem
