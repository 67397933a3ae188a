// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/array.hpp>
#include <tandem/core/contract/backend_concept.hpp>
#include <tandem/core/detail/overlap.hpp>
#include <tandem/default_space.hpp>

#include <type_traits>

namespace tandem::detail {

/// A contiguous container of the standard library, for example std::vector, std::array or
/// std::span.
template <class Container>
concept contiguous_container = requires(Container& c) {
  *c.data();
  { c.size() } -> std::convertible_to<std::size_t>;
};

template <class T, int Rank, class Layout, class Memory>
auto as_operand(const view<T, Rank, Layout, Memory>& v) {
  return v;
}
template <class T, int Rank, class Space, class Layout>
auto as_operand(array<T, Rank, Space, Layout>& a) {
  return a.view();
}
template <class T, int Rank, class Space, class Layout>
auto as_operand(const array<T, Rank, Space, Layout>& a) {
  return a.view();
}
template <contiguous_container Container>
auto as_operand(Container& c) {
  return as_view<host_memory>(c.data(), c.size());
}

/// What copy() takes: a view, an array or a contiguous container.
template <class T>
concept operand = requires(T& x) { detail::as_operand(x); };

template <class T>
using operand_view = decltype(detail::as_operand(std::declval<T&>()));

/// Throws where the operand has no memory, or memory that the space cannot touch although its type
/// says so.
template <class Space, class View>
void require_operand(const Space& space, const char* operation, const char* name, const View& v) {
  require_data(operation, name, v);
  if constexpr (requires { dispatch_check_pointer(space, "", "", nullptr); } &&
                View::memory_type::device_accessible) {
    if (!v.empty()) dispatch_check_pointer(space, operation, name, v.data_handle());
  }
}

/// Throws extent_error unless both views have the same extents.
template <class A, class B>
void require_same_extents(const char* operation, const char* a_name, const A& a, const char* b_name,
                          const B& b) {
  static_assert(A::rank() == B::rank(), "tandem: the operands have different ranks");
  for (int d = 0; d < A::rank(); ++d) {
    if (a.extent(d) == b.extent(d)) continue;
    const std::string dimension = "extent " + text(d) + " of ";
    fail_extents(operation, (dimension + a_name).c_str(), a.extent(d),
                 "!=", (dimension + b_name).c_str(), b.extent(d));
  }
}

/// The elements of a row-major view of any rank as one dimension.
template <class T, int Rank, class Memory>
view<T, 1, layout_right, Memory> flattened(const view<T, Rank, layout_right, Memory>& v) {
  return {v.data_handle(), extents<1>(v.size())};
}

}  // namespace tandem::detail
