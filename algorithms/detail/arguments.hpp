// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/array.hpp>
#include <tandem/core/contract/backend_concept.hpp>
#include <tandem/core/tools/profiling/profiling.hpp>
#include <tandem/core/view/overlap.hpp>
#include <tandem/core/view/viewable.hpp>
#include <tandem/default_space.hpp>

#include <concepts>
#include <type_traits>

namespace tandem::detail {

// Variables rather than concepts, because a compiler adds ten lines and more to an assertion of a
// concept that does not hold.

/// Whether code of Space can access the memory of all views.
template <class Space, class... View>
inline constexpr bool reaches =
    (can_access<Space, typename std::remove_cvref_t<View>::memory_type> && ...);

/// Whether this compiler compiles lambdas for Space.
template <class Space>
inline constexpr bool compiles_loops = runs_loops<Space>;

/// Reports in one line what cannot name elements.
template <class T>
consteval bool check_index_type() {
  constexpr bool counts = std::is_integral_v<T> && !std::is_same_v<T, bool>;
  static_assert(counts,
                "tandem: indices, columns and offsets are integers; for a mask of bools there is "
                "copy_if");
  static_assert(!std::is_same_v<T, char>,
                "tandem: indices, columns and offsets: char is signed on some machines only: use "
                "unsigned char or another integer type");
  return counts;
}

/// Returns a view of const elements.
template <class T, int Rank, class Layout, class Memory>
view<const T, Rank, Layout, Memory> read_only(const view<T, Rank, Layout, Memory>& x) {
  return x;
}

/// Throws if the operand has no memory, or memory that the space cannot access although its type
/// says so.
template <class Space, class View>
void require_operand(const Space& space, const char* operation, const char* name, const View& v) {
  require_data(operation, name, v);
  if constexpr (uses_hook<Space, hook::check_pointer>() && View::memory_type::device_accessible) {
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
    fail_extents(operation, message({"extent ", d, " of ", a_name}).c_str(), a.extent(d),
                 "!=", message({"extent ", d, " of ", b_name}).c_str(), b.extent(d));
  }
}

/// Views the elements of a row-major view of any rank as one dimension.
template <class T, int Rank, class Memory>
view<T, 1, layout_right, Memory> flattened(const view<T, Rank, layout_right, Memory>& v) {
  return {v.data_handle(), extents<1>(v.size())};
}

}  // namespace tandem::detail
