// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/arguments.hpp>
#include <tandem/algorithms/parallel_reduce.hpp>

#include <cstdint>
#include <type_traits>

namespace tandem {

namespace detail {

/// Term of a dot product: the rounded product, added like any other term of a sum. Integers are
/// multiplied in the 64 bits that they are added in, modulo 2^64.
template <class X, class Y>
struct product_term {
  X x;
  Y y;

  TANDEM_FUNCTION constexpr auto operator()(index_t i) const {
    using T = typename X::value_type;
    if constexpr (std::is_integral_v<T>) {
      const auto wide = [](T value) { return static_cast<std::uint64_t>(value); };
      return static_cast<sum_type<T>>(wide(x(i)) * wide(y(i)));
    } else {
      return x(i) * y(i);
    }
  }
};

}  // namespace detail

/// Sum of x(i) * y(i) over two rank-1 views of equal extent, any stride; 0 for empty ones.
///
/// Products are rounded, then summed in the canonical shape. Integers are multiplied and summed in
/// 64 bits, modulo 2^64, as if they were converted first.
/// Errors     extent_error when extents differ; argument_error when x or y has no memory, or memory
///            that the space cannot touch
/// Agreement  the same bits on every backend, thread count and device
/// Blocks until the result is there. Reads x and y once.
template <execution_space Space, class T, class LayoutX, class LayoutY, class MemoryX,
          class MemoryY, class U>
  requires std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>
auto dot(const Space& space, const view<T, 1, LayoutX, MemoryX>& x,
         const view<U, 1, LayoutY, MemoryY>& y) {
  static_assert(can_access<Space, MemoryX> && can_access<Space, MemoryY>,
                "tandem: dot: the space cannot reach x or y");
  detail::require_operand(space, "dot", "x", x);
  detail::require_operand(space, "dot", "y", y);
  detail::require_same_extents("dot", "x", x, "y", y);
  const view<const T, 1, LayoutX, MemoryX> left = x;
  const view<const U, 1, LayoutY, MemoryY> right = y;
  return parallel_reduce(space, x.size(),
                         detail::product_term<decltype(left), decltype(right)>{left, right});
}

/// Calls dot(space, x, y) on the default space.
template <class T, class LayoutX, class LayoutY, class MemoryX, class MemoryY, class U>
auto dot(const view<T, 1, LayoutX, MemoryX>& x, const view<U, 1, LayoutY, MemoryY>& y) {
  return dot(default_instance<default_space>(), x, y);
}

}  // namespace tandem
