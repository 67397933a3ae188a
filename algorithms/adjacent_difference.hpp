// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/narrowing.hpp>
#include <tandem/algorithms/parallel_for.hpp>

#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// a - b in type T: integers modulo 2^bits, half and bf16 as floats, rounded.
template <class T>
struct difference_as {
  TANDEM_FUNCTION constexpr T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using Bits = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
      return static_cast<T>(static_cast<Bits>(a) - static_cast<Bits>(b));
    } else {
      return static_cast<T>(a - b);
    }
  }
};

template <class X, class Y, class Operation>
struct store_difference {
  using user_function = Operation;
  using T = typename Y::value_type;
  X x;
  Y y;
  Operation operation;

  TANDEM_FUNCTION void operator()(index_t i) const {
    y(i) = static_cast<T>(operation(x(i), x(i - 1)));
  }
};

/// Copies y(0) = x(0) in a separate loop, so that the other one has no branch.
template <class X, class Y>
struct store_first {
  X x;
  Y y;

  TANDEM_FUNCTION void operator()(index_t i) const {
    y(i) = static_cast<typename Y::value_type>(x(i));
  }
};

template <class Space, class X, class Y, class Operation>
void run_differences(const Space& space, const X& x, const Y& y, const Operation& operation) {
  run_loop(space, "adjacent_difference", range(x.empty() ? 0 : 1), store_first<X, Y>{x, y},
           operands{input{"x", x}, output{"y", y}}, [&] {
             require_same_extents("adjacent_difference", "x", x, "y", y);
             require(!overlaps(x, y), "adjacent_difference", "x and y overlap");
           });
  run_loop(space, "adjacent_difference", range{x.empty() ? 0 : 1, x.size()},
           store_difference<X, Y, Operation>{x, y, operation}, validated{y});
}

}  // namespace detail

/// Combines neighbours, as std::adjacent_difference does: y(0) = x(0), and y(i) = operation(x(i),
/// x(i - 1)) for i > 0. Without its first element, subview(y, slice{1, n}), the default is
/// numpy.diff(x); for integers and the default operation, parallel_scan of y restores x.
///
/// x, y        rank-1 operands of equal extent, any stride, that do not overlap
/// operation   function object op(later, earlier), called in any order and at the same time; by
///             default the difference in the type of y's elements, of integers modulo 2^bits.
///             Neither its result nor x's elements may narrow in y's: cast in a function
/// Errors      extent_error when the extents differ; argument_error when x and y overlap, when two
///             indices of y name one element, when x or y has no memory, or memory that the space
///             cannot access. y is unchanged then
/// Agreement   the same bits on every backend if the operation's are
/// Complexity  n - 1 operations; reads x from memory once and writes y once. No scratch
/// Asynchronous on `space`.
template <execution_space Space, viewable X, viewable Y, class Operation>
void adjacent_difference(const Space& space, X&& x, Y&& y, const Operation& operation) {
  const auto from = detail::read_only(as_view(std::forward<X>(x)));
  const auto to = as_view(std::forward<Y>(y));
  using From = std::remove_const_t<decltype(from)>;
  using To = as_view_t<Y>;
  static_assert(From::rank() == 1 && To::rank() == 1 && !std::is_const_v<typename To::element_type>,
                "tandem: adjacent_difference: x and y have one dimension, and y's elements are not "
                "const");
  static_assert(detail::reaches<Space, From, To>,
                "tandem: adjacent_difference: the space cannot reach the memory of x or y");
  static_assert(detail::check_kernel<Operation, Space>());
  using T = typename From::value_type;
  using Stored = typename To::value_type;
  detail::check_stored<T, Stored>();
  if constexpr (detail::check_result_stored<Stored, Operation, T, T>())
    detail::run_differences(space, from, to, operation);
}

/// Differences of neighbours: y(0) = x(0), and y(i) = x(i) - x(i - 1) for i > 0.
///
/// @param x, y  as for the call with an operation
template <execution_space Space, viewable X, viewable Y>
void adjacent_difference(const Space& space, X&& x, Y&& y) {
  adjacent_difference(space, std::forward<X>(x), std::forward<Y>(y),
                      detail::difference_as<element_of<Y>>{});
}

/// Calls adjacent_difference(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) {
    adjacent_difference(detail::here(), std::forward<Argument>(a)...);
  }
auto adjacent_difference(Argument&&... arguments) {
  return adjacent_difference(detail::here(), std::forward<Argument>(arguments)...);
}

}  // namespace tandem
