// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/lines.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Term of a dot product: the rounded product, added like any other term of a sum. Integers are
/// multiplied in the 64 bits that they are added in, modulo 2^64.
template <class X, class Y>
struct product_term {
  X x;
  Y y;

  template <class... Index>
  TANDEM_FUNCTION constexpr auto operator()(Index... i) const {
    using T = typename X::value_type;
    if constexpr (std::is_integral_v<T>) {
      const auto wide = [](T value) { return static_cast<std::uint64_t>(value); };
      return static_cast<sum_type<T>>(wide(x(i...)) * wide(y(i...)));
    } else {
      return x(i...) * y(i...);
    }
  }
};

/// Makes the terms of the dot product of two operands.
struct make_products {
  template <class X, class Y>
  product_term<X, Y> operator()(const X& x, const Y& y) const {
    return {x, y};
  }
};

}  // namespace detail

/// Sum of x(i...) * y(i...) over the elements of two operands of equal extents; 0 for empty ones.
///
/// Products are rounded, then summed in row-major order by the reduction order of docs/numerics.md.
/// Integers are multiplied and summed in 64 bits, modulo 2^64, as if they were converted first.
/// x, y        views or arrays of one element type, of any rank and layout: the interior of a
///             padded grid, for example, is a subview
/// Errors      extent_error when extents differ; argument_error when x or y has no memory, or
///             memory that the space cannot access
/// Agreement   the same bits on every backend, thread count and device
/// Complexity  2 n operations; reads x and y once. Scratch as for parallel_reduce
/// Blocks until the result is available.
template <execution_space Space, viewable X, viewable Y>
auto dot(const Space& space, X&& x, Y&& y) {
  static_assert(std::is_same_v<element_of<X>, element_of<Y>>,
                "tandem: dot: x and y have one element type");
  const auto left = detail::read_only(as_view(std::forward<X>(x)));
  const auto right = detail::read_only(as_view(std::forward<Y>(y)));
  static_assert(detail::reaches<Space, decltype(left), decltype(right)>,
                "tandem: dot: the space cannot reach x or y");
  return detail::reduce_elements(space, "dot", sum{}, detail::make_products{}, left, right);
}

/// Calls dot(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { dot(detail::here(), std::forward<Argument>(a)...); }
auto dot(Argument&&... arguments) {
  return dot(detail::here(), std::forward<Argument>(arguments)...);
}

}  // namespace tandem
