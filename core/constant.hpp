// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace tandem {

/// N values that travel inside a kernel's arguments: capture it by value. On a GPU they are in the
/// constant bank, which serves all lanes of a warp that read the same element at register speed.
/// All arguments together may have 32,764 bytes.
///
/// An aggregate: constant<float, 3>{{0.25f, 0.5f, 0.25f}}.
template <class T, int N>
struct constant {
  static_assert(N > 0 && std::is_trivially_copyable_v<T>, "tandem: a constant holds copyable bits");

  T values[static_cast<std::size_t>(N)];

  TANDEM_FUNCTION static constexpr index_t size() { return N; }

  /// Element `i`, 0 <= i < N.
  template <std::integral Index>
  TANDEM_FUNCTION constexpr const T& operator[](Index i) const {
    return values[i];
  }
  template <std::integral Index>
  TANDEM_FUNCTION constexpr const T& operator()(Index i) const {
    return values[i];
  }
};

}  // namespace tandem
