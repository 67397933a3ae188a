// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/arguments.hpp>
#include <tandem/algorithms/generic/select.hpp>
#include <tandem/algorithms/parallel_for.hpp>

#include <concepts>
#include <type_traits>

/// What copy_if() and unique() demand of their arguments, and how they reach a backend.
namespace tandem::detail {

/// Checks the operands and describes the selection.
template <class Space, class X, class Out, class Keep>
auto describe_selection(const Space& space, const char* label, const X& x, const Out& out,
                        const Keep& keep) {
  using T = typename X::value_type;
  static_assert(X::rank() == 1 && Out::rank() == 1,
                "tandem: copy_if or unique: x and out have one dimension");
  static_assert(runs_loops<Space>,
                "tandem: copy_if and unique of this backend need this file compiled by the "
                "backend's own compiler (tandem_add_sources in CMake does so)");
  static_assert(
      can_access<Space, typename X::memory_type> && can_access<Space, typename Out::memory_type>,
      "tandem: copy_if or unique: the space cannot reach the memory of x or out");
  static_assert(std::is_same_v<T, typename Out::element_type>,
                "tandem: copy_if or unique: x and out have one element type, which is not const in "
                "out");
  static_assert(std::is_trivially_copyable_v<T> && std::default_initializable<T>,
                "tandem: copy_if or unique: elements are trivially copyable and have a default "
                "constructor");
  require_operand(space, label, "x", x);
  require_operand(space, label, "out", out);
  require(!overlaps(x, out), label, "x and out overlap");
  require_distinct_elements(label, "out", out);
  return select_problem<T, Keep>{x.extent(0),   x.data_handle(), x.stride(0), out.data_handle(),
                                 out.stride(0), out.extent(0),   keep};
}

/// Selects and returns how many elements were kept.
template <class Space, class T, class Keep>
index_t run_select(const Space& space, const char* label, const select_problem<T, Keep>& problem) {
  if (problem.size == 0) return 0;
  const profiled region(space, label, profile_kind::scan, {problem.size});
  try {
    if constexpr (uses_hook<Space, hook::select>()) {
      return region.returns(dispatch_select(space, label, problem));
    } else {
      // Counted first: what takes memory for itself does so before out is written.
      const index_t kept =
          dispatch_reduce(space, label, problem.size, select_terms(problem), sum<index_t>{});
      select_generically(space, label, problem);
      return region.returns(kept);
    }
  } catch (const out_of_memory_error& e) {
    fail_memory(label, e);
  }
}

/// Selects and writes how many elements were kept to `count`, in the space's order.
template <class Space, class T, class Keep, class Count>
void run_select_into(const Space& space, const char* label, const select_problem<T, Keep>& problem,
                     const Count& count) {
  static_assert(std::is_same_v<typename Count::element_type, index_t> && Count::rank() == 0,
                "tandem: copy_if_into or unique_into: count is one index_t, of rank 0");
  static_assert(can_access<Space, typename Count::memory_type>,
                "tandem: copy_if_into or unique_into: the space cannot reach the memory of count");
  require_operand(space, label, "count", count);
  const profiled region(space, label, profile_kind::scan, {problem.size});
  try {
    if constexpr (uses_hook<Space, hook::select>()) {
      dispatch_select_into(space, label, problem, count.data_handle());
    } else {
      select_generically(space, label, problem);
      dispatch_reduce_into(space, label, problem.size, select_terms(problem), sum<index_t>{},
                           count.data_handle());
    }
  } catch (const out_of_memory_error& e) {
    fail_memory(label, e);
  }
}

}  // namespace tandem::detail
