// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/copy.hpp>
#include <tandem/core/array.hpp>
#include <tandem/core/memory/host_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem {

namespace detail {

/// A device's space that names another one for arrays that the host can access.
template <class Space>
concept has_mirror_space = requires { typename Space::mirror_space; };

/// A space whose arrays hold what members report to the host.
template <class Space>
struct mailbox_space {
  using type = Space;
};
template <has_mirror_space Space>
struct mailbox_space<Space> {
  using type = typename Space::mirror_space;
};

/// An array into which a space writes and from which the host reads, once the space has been waited
/// for.
template <class Space, class T>
using mailbox = array<T, 1, typename mailbox_space<Space>::type>;

/// Allocates a vector of `count` elements. Errors: out_of_memory_error in the name of `operation`.
template <class T>
std::vector<T> make_vector(const char* operation, index_t count) {
  const std::size_t bytes = size_in_bytes<T>(count);
  const bool is_absurd = bytes > static_cast<std::size_t>(PTRDIFF_MAX);
  if (is_absurd || (bytes >= checked_bytes && bytes > free_host_bytes()))
    fail_host_memory(operation, bytes);
  try {
    return std::vector<T>(static_cast<std::size_t>(count));
  } catch (const std::bad_alloc&) {
    fail_host_memory(operation, bytes);
  }
}

/// Copies a device's elements to an array for the host.
template <class Space, class View>
auto copied_to_host(const Space& space, const View& from) {
  constexpr bool by_columns = std::is_same_v<typename View::layout_type, layout_left>;
  using Layout = std::conditional_t<by_columns, layout_left, layout_right>;
  array<typename View::value_type, View::rank(), typename Space::mirror_space, Layout> on_host(
      from.extents());
  copy(space, from, on_host);
  space.fence();
  return on_host;
}

}  // namespace detail

/// Gives the host access to the elements of x, in the same shape and order:
///
///   auto on_host = tandem::mirror(space, x);
///   for (float& v : on_host) v = 1;
///   tandem::copy(space, on_host, x);  // back
///
/// If the host can access x already, the result is x's own view: nothing is copied, and writes
/// through it change x. Otherwise it is an array of pinned memory with a copy of x, made after the
/// space's earlier work.
/// x           view, array or container of any rank and layout
/// Returns     a view, or an array of x's rank; row-major unless x has layout_left
/// Errors      those of copy; out_of_memory_error
/// Complexity  constant if the host can access x; else one copy, into an array of x.size() elements
/// Waits for the space.
template <execution_space Space, viewable X>
auto mirror(const Space& space, X&& x) {
  const auto from = as_view(std::forward<X>(x));
  using View = as_view_t<X>;
  if constexpr (View::memory_type::host_accessible) {
    space.fence();
    return from;
  } else {
    static_assert(detail::has_mirror_space<Space>,
                  "tandem: mirror: only a space of the device can read memory of a device; give it "
                  "as the first argument");
    if constexpr (detail::has_mirror_space<Space>) return detail::copied_to_host(space, from);
  }
}

/// Calls mirror(space, x) on the default space.
template <viewable X>
auto mirror(X&& x) {
  return mirror(detail::here(), std::forward<X>(x));
}

/// Copies the elements of x to a std::vector, in row-major order.
///
/// @param x    operand of any rank, layout and memory
/// Errors      those of copy; out_of_memory_error
/// Complexity  one copy, into a vector whose elements are set to zero before
/// Waits for the space.
template <execution_space Space, viewable X>
std::vector<element_of<X>> to_vector(const Space& space, X&& x) {
  static_assert(!std::is_same_v<element_of<X>, bool>,
                "tandem: to_vector: std::vector<bool> holds bits, not bools: use mirror");
  auto result = detail::make_vector<element_of<X>>("to_vector", as_view(x).size());
  try {
    copy(space, x, result);
  } catch (const out_of_memory_error& e) {
    detail::fail_memory("to_vector", e);
  }
  space.fence();
  return result;
}

/// Calls to_vector(space, x) on the default space.
template <viewable X>
std::vector<element_of<X>> to_vector(X&& x) {
  return to_vector(detail::here(), std::forward<X>(x));
}

}  // namespace tandem
