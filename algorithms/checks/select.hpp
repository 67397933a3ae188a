// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/arguments.hpp>
#include <tandem/algorithms/generic/select.hpp>
#include <tandem/algorithms/parallel_for.hpp>

#include <concepts>
#include <type_traits>

/// Preconditions of copy_if() and unique(), and their dispatch to a backend.
namespace tandem::detail {

/// Reports in one line what cannot be selected.
template <class Space, class X, class Out>
consteval void check_selection() {
  using T = typename X::value_type;
  static_assert(X::rank() == 1 && Out::rank() == 1,
                "tandem: copy_if or unique: x and out have one dimension");
  static_assert(compiles_loops<Space>,
                "tandem: copy_if and unique of this backend need this file compiled by the "
                "backend's own compiler (tandem_add_sources in CMake does so)");
  static_assert(reaches<Space, X, Out>,
                "tandem: copy_if or unique: the space cannot reach the memory of x or out");
  static_assert(std::is_same_v<T, typename Out::element_type>,
                "tandem: copy_if or unique: x and out have one element type, which is not const in "
                "out");
  static_assert(std::is_trivially_copyable_v<T> && std::default_initializable<T>,
                "tandem: copy_if or unique: elements are trivially copyable and have a default "
                "constructor");
}

template <class X, class Out, class Keep>
select_problem<typename X::value_type, Keep> describe_selection(const X& x, const Out& out,
                                                                const Keep& keep) {
  return {x.extent(0),   x.data_handle(), x.stride(0), out.data_handle(),
          out.stride(0), out.extent(0),   keep};
}

template <class X, class Out>
void require_selection(const char* name, const X& x, const Out& out) {
  require(!overlaps(x, out), name, "x and out overlap");
  require_distinct_elements(name, "out", out);
}

/// A selection that returns the number of kept elements.
template <class Space, class T, class Keep>
index_t dispatch_selection(const Space& space, const char* name,
                           const select_problem<T, Keep>& problem) {
  if constexpr (uses_hook<Space, hook::select>()) {
    return dispatch_select(space, name, problem);
  } else {
    // Counts first: a counter that allocates does so before out is written.
    const index_t kept =
        dispatch_reduce(space, name, problem.size, select_terms(problem), sum<index_t>{});
    select_generically(space, name, problem);
    return kept;
  }
}

/// Lets the checked runtime instrument the predicate of a selection, if it has one.
template <class Space, class X, class Out, class Keep>
void judge_selection(const Space& space, const char* name, const X& x, const Out& out,
                     const Keep& keep) {
  if constexpr (checks_kernels<Space> && requires { keep.predicate; })
    judge_predicate(space, title_of(space, name), x, keep.predicate, written_by_operation(out));
}

/// Selects elements of x and returns how many it kept.
template <class Space, class X, class Out, class Keep>
index_t run_select(const Space& space, const char* name, const X& x, const Out& out,
                   const Keep& keep) {
  check_selection<Space, X, Out>();
  const auto check = [&] {
    require_selection(name, x, out);
    return x.extent(0) > 0;
  };
  const auto dispatch = [&] {
    judge_selection(space, name, x, out, keep);
    return dispatch_selection(space, name, describe_selection(x, out, keep));
  };
  return run(space, call{name,
                         profile_kind::scan,
                         {x.extent(0)},
                         operands{input{"x", x}, overwritten{"out", out}},
                         check,
                         dispatch});
}

/// Selects elements of x and writes the number of kept ones to `count`, in stream order.
template <class Space, class X, class Out, class Keep, class Count>
void run_select_into(const Space& space, const char* name, const X& x, const Out& out,
                     const Keep& keep, const Count& count) {
  check_selection<Space, X, Out>();
  static_assert(std::is_same_v<typename Count::element_type, index_t> && Count::rank() == 0,
                "tandem: copy_if_into or unique_into: count is one index_t, of rank 0");
  static_assert(reaches<Space, Count>,
                "tandem: copy_if_into or unique_into: the space cannot reach the memory of count");
  const auto check = [&] {
    require_selection(name, x, out);
    require(!overlaps(x, count), name, "x and count overlap");
    require(!overlaps(out, count), name, "out and count overlap");
  };
  const auto dispatch = [&] {
    judge_selection(space, name, x, out, keep);
    const auto problem = describe_selection(x, out, keep);
    if constexpr (uses_hook<Space, hook::select>()) {
      dispatch_select_into(space, name, problem, count.data_handle());
    } else {
      select_generically(space, name, problem);
      dispatch_reduce_into(space, name, problem.size, select_terms(problem), sum<index_t>{},
                           count.data_handle());
    }
  };
  run(space, call{name,
                  profile_kind::scan,
                  {x.extent(0)},
                  operands{input{"x", x}, overwritten{"out", out}, overwritten{"count", count}},
                  check,
                  dispatch});
}

}  // namespace tandem::detail
