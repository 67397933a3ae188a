// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/parallel_for.hpp>

#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Swaps element i with its mirror image.
template <class View>
struct swap_ends {
  View x;
  index_t last;

  TANDEM_FUNCTION void operator()(index_t i) const {
    const typename View::value_type front = x(i);
    x(i) = x(last - i);
    x(last - i) = front;
  }
};

template <class X, class Out>
struct store_reversed {
  X x;
  Out out;
  index_t last;

  TANDEM_FUNCTION void operator()(index_t i) const { out(i) = x(last - i); }
};

}  // namespace detail

/// Reverses the order of x's elements, in place. A view of x in reverse order needs no copy:
/// subview(x, slice{0, n, -1}).
///
/// x           rank-1 operand, any stride
/// Errors      argument_error when x has no memory, or memory that the space cannot access, or when
///             two indices of x name one element
/// Agreement   the same elements on every backend
/// Complexity  reads and writes x once. No scratch
/// Asynchronous on `space`.
template <execution_space Space, viewable X>
void reverse(const Space& space, X&& x) {
  const auto v = as_view(std::forward<X>(x));
  using View = as_view_t<X>;
  static_assert(View::rank() == 1 && !std::is_const_v<typename View::element_type>,
                "tandem: reverse: x has one dimension and its elements are not const");
  static_assert(detail::reaches<Space, View>, "tandem: reverse: the space cannot reach x's memory");
  detail::run_loop(space, "reverse", range(v.size() / 2), detail::swap_ends<View>{v, v.size() - 1},
                   detail::output{"x", v});
}

/// out(i) = x(n - 1 - i): the elements of x in reverse order, as std::reverse_copy and numpy.flip
/// give them.
///
/// x, out      rank-1 operands of one element type and equal extent, any stride
/// Errors      extent_error when the extents differ; argument_error when x and out overlap, or as
///             for the call in place. out is unchanged then
/// Agreement   the same elements on every backend
/// Complexity  reads x once and writes out once. No scratch
/// Asynchronous on `space`.
template <execution_space Space, viewable X, viewable Out>
void reverse(const Space& space, X&& x, Out&& out) {
  const auto from = detail::read_only(as_view(std::forward<X>(x)));
  const auto to = as_view(std::forward<Out>(out));
  using From = std::remove_const_t<decltype(from)>;
  using To = as_view_t<Out>;
  static_assert(From::rank() == 1 && To::rank() == 1,
                "tandem: reverse: x and out have one dimension");
  static_assert(std::is_same_v<typename From::value_type, typename To::element_type>,
                "tandem: reverse: x and out have one element type, which is not const in out");
  static_assert(detail::reaches<Space, From, To>,
                "tandem: reverse: the space cannot reach the memory of x or out");
  const auto check = [&] {
    detail::require_same_extents("reverse", "x", from, "out", to);
    detail::require(!detail::overlaps(from, to), "reverse",
                    "x and out overlap; reverse(space, x) works in place");
  };
  detail::run_loop(space, "reverse", range(from.size()),
                   detail::store_reversed<From, To>{from, to, from.size() - 1},
                   detail::operands{detail::input{"x", from}, detail::output{"out", to}}, check);
}

/// Calls reverse(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { reverse(detail::here(), std::forward<Argument>(a)...); }
auto reverse(Argument&&... arguments) {
  return reverse(detail::here(), std::forward<Argument>(arguments)...);
}

}  // namespace tandem
