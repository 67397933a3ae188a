// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/parallel_for.hpp>

#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Reports in one line what cannot be gathered or scattered.
template <class Space, class X, class Indices, class Out>
consteval bool check_indexed() {
  static_assert(X::rank() == 1 && Indices::rank() == 1 && Out::rank() == 1,
                "tandem: gather or scatter: x, indices and out have one dimension");
  constexpr bool one_type = std::is_same_v<typename X::value_type, typename Out::element_type>;
  constexpr bool indexed = check_index_type<typename Indices::value_type>();
  static_assert(one_type || !indexed,
                "tandem: gather or scatter: x and out have one element type, which is not const in "
                "out");
  static_assert(reaches<Space, X, Indices, Out>,
                "tandem: gather or scatter: the space cannot reach the memory of x, indices or "
                "out");
  return one_type && indexed;
}

/// Moves elements by a loop over the indices. `require_sizes` checks the extents.
template <class Space, class Function, class X, class Indices, class Out, class Sizes>
void move_indexed(const Space& space, const char* name, const Function& f, const X& x,
                  const Indices& indices, const Out& out, const Sizes& require_sizes) {
  if constexpr (check_indexed<Space, X, Indices, Out>()) {
    run_loop(space, name, range(indices.size()), f,
             operands{partly_read{"x", x}, input{"indices", indices}, overwritten{"out", out}},
             [&] {
               require(!overlaps(x, out), name, "x and out overlap");
               require(!overlaps(indices, out), name, "indices and out overlap");
               require_distinct_elements(name, "out", out);
               require_sizes();
             });
  }
}

template <class X, class Indices, class Out>
struct gather_element {
  X x;
  Indices indices;
  Out out;

  TANDEM_FUNCTION void operator()(index_t i) const { out(i) = x(static_cast<index_t>(indices(i))); }
};

template <class X, class Indices, class Out>
struct scatter_element {
  X x;
  Indices indices;
  Out out;

  TANDEM_FUNCTION void operator()(index_t i) const { out(static_cast<index_t>(indices(i))) = x(i); }
};

}  // namespace detail

/// Gathers elements by index: out(i) = x(indices(i)), as numpy.take(x, indices).
///
/// x           rank-1 operand, any stride
/// indices     rank-1 operand of integers other than char, any stride, with 0 <= indices(i) <
///             x.extent(0); an index may come more than once. A checked build (TANDEM_CHECKED)
///             refuses one that is out of range; in others the behaviour is undefined. Negative
///             ones do not count from the end
/// out         rank-1 operand of x's element type and the extent of `indices`, any stride
/// Errors      extent_error when the extents of indices and out differ; argument_error when out
///             shares elements with x, indices or itself, when an operand has no memory, or memory
///             that the space cannot access. out is unchanged then
/// Agreement   the same elements on every backend
/// Complexity  reads indices once and as many elements of x, and writes out once. No scratch
/// Asynchronous on `space`.
template <execution_space Space, viewable X, viewable Indices, viewable Out>
void gather(const Space& space, X&& x, Indices&& indices, Out&& out) {
  const auto from = detail::read_only(as_view(std::forward<X>(x))).named("gather: x");
  const auto at = detail::read_only(as_view(std::forward<Indices>(indices)));
  const auto to = as_view(std::forward<Out>(out));
  detail::move_indexed(
      space, "gather",
      detail::gather_element<decltype(from), decltype(at), decltype(to)>{from, at, to}, from, at,
      to, [&] { detail::require_same_extents("gather", "indices", at, "out", to); });
}

/// Scatters elements by index: out(indices(i)) = x(i). Elements of out that no index names are
/// unchanged.
///
/// x           rank-1 operand, any stride
/// indices     rank-1 operand of integers other than char, of x's extent, any stride, with
///             0 <= indices(i) < out.extent(0), distinct: if an index occurs twice, out gets one of
///             its elements, which may differ from run to run (atomics in a parallel_for add them
///             up). A checked build refuses an index that is out of range; in others the behaviour
///             is undefined
/// out         rank-1 operand of x's element type, of any extent and stride
/// Errors      extent_error when the extents of x and indices differ; argument_error as for gather
/// Agreement   the same elements on every backend if the indices are distinct
/// Complexity  reads x and indices once and writes as many elements of out. No scratch
/// Asynchronous on `space`.
template <execution_space Space, viewable X, viewable Indices, viewable Out>
void scatter(const Space& space, X&& x, Indices&& indices, Out&& out) {
  const auto from = detail::read_only(as_view(std::forward<X>(x)));
  const auto at = detail::read_only(as_view(std::forward<Indices>(indices)));
  const auto to = as_view(std::forward<Out>(out)).named("scatter: out");
  detail::move_indexed(
      space, "scatter",
      detail::scatter_element<decltype(from), decltype(at), decltype(to)>{from, at, to}, from, at,
      to, [&] { detail::require_same_extents("scatter", "x", from, "indices", at); });
}

/// Calls gather(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { gather(detail::here(), std::forward<Argument>(a)...); }
auto gather(Argument&&... arguments) {
  return gather(detail::here(), std::forward<Argument>(arguments)...);
}

/// Calls scatter(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { scatter(detail::here(), std::forward<Argument>(a)...); }
auto scatter(Argument&&... arguments) {
  return scatter(detail::here(), std::forward<Argument>(arguments)...);
}

}  // namespace tandem
