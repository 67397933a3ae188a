// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/term_loaders.hpp>

namespace tandem {

/// Keeps the elements for which a predicate holds.
template <class Predicate>
struct keep_where {
  static constexpr bool looks_back = false;
  Predicate predicate;

  template <class T>
  TANDEM_FUNCTION constexpr bool operator()(const T& element, const T&) const {
    return static_cast<bool>(predicate(element));
  }
};

/// Keeps the indices for which a predicate holds: a selection from first, first + 1, .., without x.
template <class Predicate>
struct keep_indices {
  static constexpr bool looks_back = false;
  Predicate predicate;
  index_t first = 0;

  template <class T>
  TANDEM_FUNCTION constexpr bool operator()(T i, T) const {
    return static_cast<bool>(predicate(static_cast<loop_index<Predicate>>(i)));
  }
};

/// Whether a selection keeps indices.
template <class Keep>
inline constexpr bool selects_indices = false;
template <class Predicate>
inline constexpr bool selects_indices<keep_indices<Predicate>> = true;

/// Keeps the elements that differ from the previous one.
struct keep_changes {
  static constexpr bool looks_back = true;

  template <class T>
  TANDEM_FUNCTION constexpr bool operator()(const T& element, const T& before) const {
    return !(element == before);
  }
};

/// Keeps the elements that differ from the previous one, and writes the index of each to `begins`,
/// followed by the number of elements: at most `room` + 1 indices. Backends with a
/// dispatch_reduce_runs may use it; nothing else does.
struct keep_runs : keep_changes {
  index_t* begins;
};

/// A selection as backends receive it, checked. The elements of x for which keep(element, before)
/// is true go to out, in order; `before` is the previous element, and if `keep` uses it the first
/// element is always kept. out holds the first `room` of them.
///
/// T     trivially copyable, with a default constructor
/// Keep  keep_where, keep_changes, or keep_indices: then element i is keep.first + i, which a T
///       holds, and x is null
///
/// x and out do not overlap.
template <class T, class Keep>
struct select_problem {
  index_t size = 0;
  const T* x = nullptr;
  index_t x_stride = 1;
  T* out = nullptr;
  index_t out_stride = 1;
  index_t room = 0;
  Keep keep;

  TANDEM_FUNCTION T element(index_t i) const {
    if constexpr (selects_indices<Keep>) {
      return static_cast<T>(keep.first + i);
    } else {
      return detail::load_constant(x + i * x_stride);
    }
  }
  /// Whether element i is kept.
  TANDEM_FUNCTION bool keeps(index_t i) const {
    if constexpr (selects_indices<Keep>) {
      return keep(element(i), element(i));
    } else {
      const T* const here = x + i * x_stride;
      if constexpr (Keep::looks_back) {
        return i == 0 || keep(*here, *(here - x_stride));
      } else {
        return keep(*here, *here);
      }
    }
  }
};

}  // namespace tandem
