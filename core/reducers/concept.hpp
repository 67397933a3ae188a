// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tandem {

/// Defines what a reduction does with its terms. A reducer is a trivially copyable object with
///
/// accumulator            type that is combined; its size determines the reduction order
///                        (docs/numerics.md)
/// result                 type returned to the caller
/// commutative            static constexpr bool: whether combine(a, b) has the value of
///                        combine(b, a)
/// lift(term, i)          accumulator of one term, at flat index i
/// combine(a, b)          a before b; associative in intent, as floating-point addition is
/// identity()             combine(x, identity()) and combine(identity(), x) are x, bit for bit
/// finish(accumulator)    the result
/// empty()                the result of no terms
template <class R>
concept reducer = requires(const R r, typename R::accumulator a) {
  typename R::result;
  { R::commutative } -> std::convertible_to<bool>;
  { r.combine(a, a) } -> std::same_as<typename R::accumulator>;
  { r.identity() } -> std::same_as<typename R::accumulator>;
  { r.finish(a) } -> std::same_as<typename R::result>;
  { r.empty() } -> std::same_as<typename R::result>;
};

/// Arguments of reductions: a reducer, or one that deduces its type from the terms, like sum{},
/// maximum{} and combined_reducer{sum{}, minmax{}}.
template <class R>
concept reducer_or_deduced = reducer<R> || requires(const R r) { r.template for_terms<int>(); };

/// Largest accumulator in bytes: backends keep a tile of them on a thread's stack or in a block's
/// shared memory.
inline constexpr std::size_t largest_accumulator = 1024;

namespace detail {

/// Whether a thread's stack is too small for tens of these: operations that need as many at a time
/// keep them in scratch memory or find them again.
template <class T>
inline constexpr bool is_large = sizeof(T) > 128;

/// The type in which a sum or product is formed: the term's type, or 64 bits for integers, as in
/// NumPy, so that counts do not overflow.
template <class Term>
using sum_type =
    std::conditional_t<std::is_integral_v<Term>,
                       std::conditional_t<std::is_signed_v<Term> || std::is_same_v<Term, bool>,
                                          std::int64_t, std::uint64_t>,
                       Term>;

/// Base of reducers without a type, which reductions replace by the reducer of their terms' type:
/// wide ones by the reducer of sum_type. A scan, whose results are elements, uses the elements'
/// type.
template <template <class> class Reducer, bool Wide = false>
struct deduced_reducer {
  template <class Term>
  static constexpr auto for_terms() {
    return Reducer<std::conditional_t<Wide, sum_type<Term>, Term>>{};
  }
  template <class T>
  static constexpr auto for_elements() {
    return Reducer<T>{};
  }
};

/// Whether lift() can cast a term to an accumulator.
template <class Term, class T>
concept castable_term = requires(Term& term) { static_cast<T>(term); };

/// The reducer itself, or the one that it deduces for terms of type Term.
template <class Term, reducer_or_deduced R>
constexpr auto reducer_for(const R& r) {
  if constexpr (reducer<R>) {
    return r;
  } else {
    return r.template for_terms<Term>();
  }
}

}  // namespace detail

/// Base of reducers whose accumulator is their result.
template <class T>
struct plain_reducer {
  using accumulator = T;
  using result = T;
  static constexpr bool commutative = true;

  template <detail::castable_term<T> Term>
  TANDEM_FUNCTION constexpr T lift(Term term, index_t) const {
    return static_cast<T>(term);
  }
  TANDEM_FUNCTION constexpr T finish(T a) const { return a; }
};

}  // namespace tandem
