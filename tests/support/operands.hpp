// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include <tandem/tandem.hpp>

#include "support/backends.hpp"

/// Operands of calls that must be refused, and a check that they are unchanged.
namespace tandem::test {

/// Contiguous host or device memory of rank 1.
template <class T, class Memory>
using line_of = tandem::view<T, 1, tandem::layout_right, Memory>;

/// Arrays of five elements, each filled with a different number; `longer` has six, and `null` is a
/// view without memory.
template <class Backend>
struct operands {
  using space_type = typename Backend::space;
  using memory = typename space_type::memory_type;
  template <class T>
  using line = line_of<T, memory>;

  space_type space = Backend::make();
  tandem::array<float, 1, space_type> x{tandem::extents<1>(5), 1.0f, space};
  tandem::array<float, 1, space_type> y{tandem::extents<1>(5), 2.0f, space};
  tandem::array<float, 1, space_type> z{tandem::extents<1>(5), 3.0f, space};
  tandem::array<float, 1, space_type> w{tandem::extents<1>(5), 4.0f, space};
  tandem::array<float, 1, space_type> longer{tandem::extents<1>(6), 5.0f, space};
  tandem::array<float, 0, space_type> scalar{tandem::extents<0>(), 6.0f, space};
  line<float> null{nullptr, tandem::extents<1>(5)};

  /// Every second element of a longer array.
  auto gaps() { return tandem::subview(longer.view(), slice{0, 5, 2}); }

  /// Whether every element has its initial value.
  bool unchanged() const {
    const auto all = [&](const auto& values, float wanted) {
      for (const float value : to_host(space, values)) {
        if (value != wanted) return false;
      }
      return true;
    };
    return all(x, 1) && all(y, 2) && all(z, 3) && all(w, 4) && all(longer, 5) && all(scalar, 6);
  }
};

}  // namespace tandem::test
