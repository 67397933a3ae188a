// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/term_loaders.hpp>

namespace tandem {

/// Keeps the elements that a predicate holds for.
template <class Predicate>
struct keep_where {
  static constexpr bool looks_back = false;
  Predicate predicate;

  template <class T>
  TANDEM_FUNCTION constexpr bool operator()(const T& element, const T&) const {
    return static_cast<bool>(predicate(element));
  }
};

/// Keeps the elements that differ from the one before.
struct keep_changes {
  static constexpr bool looks_back = true;

  template <class T>
  TANDEM_FUNCTION constexpr bool operator()(const T& element, const T& before) const {
    return !(element == before);
  }
};

/// A selection as backends get it: checked. The elements of x for which keep(element, before) is
/// true go to out, in their order; `before` is the element before, and where `keep` looks at it the
/// first element is kept without a question. out takes the first `room` of them.
///
/// T     trivially copyable, with a default constructor
/// Keep  keep_where or keep_changes
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

  /// Whether element i is kept.
  TANDEM_FUNCTION bool keeps(index_t i) const {
    const T* const element = x + i * x_stride;
    if constexpr (Keep::looks_back) {
      return i == 0 || keep(*element, *(element - x_stride));
    } else {
      return keep(*element, *element);
    }
  }
};

}  // namespace tandem
