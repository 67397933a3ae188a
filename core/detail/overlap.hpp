// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/view.hpp>

#include <cstdint>

namespace tandem::detail {

/// Addresses of the first and of one past the last byte that a view reaches, whatever the signs of
/// its strides.
struct byte_span {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

template <class View>
byte_span bytes_of(const View& v) {
  if (v.empty()) return {};
  index_t low = 0;
  index_t high = 0;
  for (int d = 0; d < View::rank(); ++d) {
    const index_t reach = v.stride(d) * (v.extent(d) - 1);
    (reach < 0 ? low : high) += reach;
  }
  const auto base = reinterpret_cast<std::uintptr_t>(v.data_handle());
  constexpr auto size = sizeof(typename View::value_type);
  return {base + static_cast<std::uintptr_t>(low) * size,
          base + (static_cast<std::uintptr_t>(high) + 1) * size};
}

/// Whether two views may share an element. Exact for views without gaps and for rank-1 views of one
/// stride (even and odd elements do not overlap); otherwise views whose address ranges intersect
/// count as overlapping.
template <class A, class B>
bool overlaps(const A& a, const B& b) {
  const byte_span x = bytes_of(a);
  const byte_span y = bytes_of(b);
  if (x.begin >= y.end || y.begin >= x.end) return false;
  if constexpr (A::rank() == 1 && B::rank() == 1 &&
                sizeof(typename A::value_type) == sizeof(typename B::value_type)) {
    const auto distance = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(a.data_handle()) -
                                               reinterpret_cast<std::uintptr_t>(b.data_handle()));
    const auto step = a.stride(0) * static_cast<index_t>(sizeof(typename A::value_type));
    if (a.stride(0) == b.stride(0) && step != 0 && distance % step != 0) return false;
  }
  return true;
}

/// Whether two views are the same elements in the same order.
template <class A, class B>
bool same_elements(const A& a, const B& b) {
  if (static_cast<const void*>(a.data_handle()) != static_cast<const void*>(b.data_handle()))
    return false;
  for (int d = 0; d < A::rank(); ++d) {
    if (a.extent(d) != b.extent(d) || a.stride(d) != b.stride(d)) return false;
  }
  return true;
}

/// Throws argument_error unless `v` has elements to point at: null data with non-empty extents, a
/// negative extent.
template <class View>
void require_data(const char* operation, const char* operand, const View& v) {
  for (int d = 0; d < View::rank(); ++d) {
    if (v.extent(d) < 0) fail_extents(operation, operand, v.extent(d), "<", "smallest extent", 0);
  }
  if (v.size() > 0 && v.data_handle() == nullptr) {
    throw argument_error(std::string(operation) + ": " + operand + " has " + text(v.size()) +
                         " elements but no memory (null)");
  }
}

}  // namespace tandem::detail
