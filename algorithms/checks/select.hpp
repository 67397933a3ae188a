// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/arguments.hpp>
#include <tandem/algorithms/generic/select.hpp>
#include <tandem/algorithms/parallel_reduce.hpp>

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

/// Reports in one line why indices cannot be selected by a predicate.
template <class Space, class Predicate, class Out>
consteval bool check_index_selection() {
  static_assert(compiles_loops<Space>,
                "tandem: copy_if of this backend needs this file compiled by the backend's own "
                "compiler (tandem_add_sources in CMake does so)");
  static_assert(Out::rank() == 1, "tandem: copy_if: out has one dimension");
  static_assert(reaches<Space, Out>, "tandem: copy_if: the space cannot reach the memory of out");
  constexpr bool writable = !std::is_const_v<typename Out::element_type>;
  static_assert(writable, "tandem: copy_if: out is const");
  constexpr bool counts = check_index_type<typename Out::value_type>() && check_index<Predicate>();
  constexpr bool takes = std::is_invocable_r_v<bool, const Predicate&, loop_index<Predicate>>;
  static_assert(takes, "tandem: copy_if: over indices, the predicate takes one and returns a bool");
  return writable && counts && takes;
}

/// Throws unless the indices of a selection fit the predicate's parameter and the elements of out.
template <class Predicate, class Indices, class Out>
void require_index_selection(const char* name, const Indices& indices, const Out& out) {
  require_terms<Predicate>(name, indices);
  require_indices<typename Out::value_type>(name, as_indices(indices));
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

/// A selection that writes the number of kept elements to memory of the space.
template <class Space, class T, class Keep>
void dispatch_selection_into(const Space& space, const char* name,
                             const select_problem<T, Keep>& problem, index_t* count) {
  if constexpr (uses_hook<Space, hook::select>()) {
    dispatch_select_into(space, name, problem, count);
  } else {
    select_generically(space, name, problem);
    dispatch_reduce_into(space, name, problem.size, select_terms(problem), sum<index_t>{}, count);
  }
}

/// Lets the checked runtime instrument the predicate of a selection, if it has one.
template <class Space, class X, class Out, class Keep>
void judge_selection(const Space& space, const char* name, const X& x, const Out& out,
                     const Keep& keep) {
  if constexpr (checks_kernels<Space> && requires { keep.predicate; })
    judge_predicate(space, title_of(space, name), x, keep.predicate, written_by_operation(out));
}

/// The part of copy_if and unique that selects from the elements of x.
template <class Space, class X, class Out, class Keep>
struct element_selection {
  const Space& space;
  const char* name;
  const X& x;
  const Out& out;
  const Keep& keep;

  index_t size() const { return x.extent(0); }
  auto with() const { return operands{input{"x", x}, overwritten{"out", out}}; }
  void check() const { require_selection(name, x, out); }
  auto problem() const { return describe_selection(x, out, keep); }
  void judge() const { judge_selection(space, name, x, out, keep); }
};

/// The part of copy_if that selects from indices.
template <class Space, class Indices, class Predicate, class Out>
struct index_selection {
  const Space& space;
  const char* name;
  const Indices& indices;
  const Predicate& predicate;
  const Out& out;

  index_t size() const { return as_indices(indices).size(); }
  auto with() const { return operands{overwritten{"out", out}}; }
  void check() const { require_index_selection<Predicate>(name, indices, out); }
  auto problem() const {
    const auto placed = place_terms<Space, 1>(name, predicate);
    using keep = keep_indices<std::remove_const_t<decltype(placed)>>;
    return select_problem<typename Out::value_type, keep>{
        .size = size(),
        .out = out.data_handle(),
        .out_stride = out.stride(0),
        .room = out.extent(0),
        .keep = {placed, as_indices(indices).begin}};
  }
  void judge() const {
    if constexpr (checks_kernels<Space>) {
      judge_predicate(space, title_of(space, name), as_indices(indices), predicate,
                      written_by_operation(out));
    }
  }
};

/// Runs a selection and returns how many elements it kept.
template <class Space, class Selection>
index_t run_select(const Space& space, const Selection& selection) {
  const auto check = [&] {
    selection.check();
    return selection.size() > 0;
  };
  const auto dispatch = [&] {
    selection.judge();
    return dispatch_selection(space, selection.name, selection.problem());
  };
  return run(space, call{selection.name,
                         profile_kind::scan,
                         {selection.size()},
                         selection.with(),
                         check,
                         dispatch});
}

/// Runs a selection and writes the number of kept elements to `count`, in stream order.
template <class Space, class Selection, class Count>
void run_select(const Space& space, const Selection& selection, const Count& count) {
  static_assert(std::is_same_v<typename Count::element_type, index_t> && Count::rank() == 0,
                "tandem: copy_if_into or unique_into: count is one index_t, of rank 0");
  static_assert(reaches<Space, Count>,
                "tandem: copy_if_into or unique_into: the space cannot reach the memory of count");
  const auto check = [&] {
    selection.check();
    if constexpr (requires { selection.x; })
      require(!overlaps(selection.x, count), selection.name, "x and count overlap");
    require(!overlaps(selection.out, count), selection.name, "out and count overlap");
  };
  const auto dispatch = [&] {
    selection.judge();
    dispatch_selection_into(space, selection.name, selection.problem(), count.data_handle());
  };
  run(space, call{selection.name,
                  profile_kind::scan,
                  {selection.size()},
                  operands{selection.with(), overwritten{"count", count}},
                  check,
                  dispatch});
}

/// Selects elements of x; returns how many it kept, or writes their number to `count`.
template <class Space, class X, class Out, class Keep, class... Count>
auto select_elements(const Space& space, const char* name, const X& x, const Out& out,
                     const Keep& keep, const Count&... count) {
  check_selection<Space, X, Out>();
  return run_select(space, element_selection<Space, X, Out, Keep>{space, name, x, out, keep},
                    count...);
}

/// Selects indices; returns how many it kept, or writes their number to `count`.
template <class Space, class Indices, class Predicate, class Out, class... Count>
auto select_indices(const Space& space, const char* name, const Indices& indices,
                    const Predicate& predicate, const Out& out, const Count&... count) {
  using selection = index_selection<Space, Indices, Predicate, Out>;
  if constexpr (is_refused<Predicate>) {
    if constexpr (sizeof...(Count) == 0) return index_t{0};
  } else if constexpr (check_index_selection<Space, Predicate, Out>()) {
    return run_select(space, selection{space, name, indices, predicate, out}, count...);
  } else if constexpr (sizeof...(Count) == 0) {
    return index_t{0};  // of what does not compile
  }
}

}  // namespace tandem::detail
