// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/parallel_scan.hpp>
#include <tandem/algorithms/segmented_reduce.hpp>

#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// A scan of segments whose operands have been checked, but not the offsets' values.
template <class Space, class Problem>
struct segmented_scan_of {
  const Space& space;
  const Problem& problem;

  void operator()() const {
    if constexpr (checks_contents) require_offsets_ascend(space, "segmented_scan", problem.of);
    if constexpr (uses_hook<Space, hook::segmented_scan>()) {
      dispatch_segmented_scan(space, "segmented_scan", problem);
    } else {
      generic_segmented_scan(space, "segmented_scan", problem);
    }
  }
  void checked() const {
    require_offsets_ascend(space, "segmented_scan", problem.of);
    judge_segments(space, title_of(space, "segmented_scan"), problem.of, problem.of.terms);
    (*this)();
  }
};

/// Scan of the segments of a load; `init` is null for an inclusive one.
template <class Space, class X, class Offsets, class Y, class Load>
void run_segmented_scan(const Space& space, const X& x, const Offsets& offsets, const Y& y,
                        const Load& load, const typename Y::value_type* init) {
  using T = typename Y::value_type;
  using R = std::remove_cvref_t<decltype(load.reducer)>;
  using Problem = segmented_scan_problem<Load, typename Offsets::value_type, R>;
  constexpr const char* name = "segmented_scan";
  Problem problem{make_segments(x.size(), load, load.reducer, offsets, y)};
  problem.of.segments = offsets.size() - 1;
  problem.exclusive = init != nullptr;
  if (init != nullptr) problem.init = *init;
  const auto check = [&] {
    require_same_extents(name, "x", x, "y", y);
    require_distinct_elements(name, "y", y);
    require_apart_from_offsets(name, offsets, y, "y");
    require(offsets.size() >= 1, name, "offsets has no element");
    const bool in_place = std::is_same_v<typename X::value_type, T> && same_elements(x, y);
    require(in_place || !overlaps(x, y), name, "x and y overlap and are not the same elements");
    return problem.of.segments > 0 && x.size() > 0;
  };
  run(space, call{name,
                  profile_kind::scan,
                  {problem.of.segments, x.size()},
                  operands{partly_read{"x", x}, overwritten{"y", y}, input{"offsets", offsets}},
                  check,
                  segmented_scan_of<Space, Problem>{space, problem}});
}

/// Scan of the segments of a view; `init` is null for an inclusive one.
template <class Space, class X, class Offsets, class Y, class Operation>
void scan_segments_of(const Space& space, const X& x, const Offsets& offsets, const Y& y,
                      const Operation& operation, const typename Y::value_type* init) {
  static_assert(reaches<Space, X> && X::rank() == 1,
                "tandem: segmented_scan: x has one dimension and memory that the space reaches");
  static_assert(!has_initial<Operation>,
                "tandem: segmented_scan: an initial value is exclusive{init}'s, behind the "
                "operation");
  check_stored<typename X::value_type, typename Y::value_type>();
  check_offsets<Space, Offsets, Y>();
  with_load(x, as_scan_reducer<typename Y::value_type>(operation), [&](const auto& load) {
    using R = std::remove_cvref_t<decltype(load.reducer)>;
    if constexpr (check_taken<typename X::value_type, R>() && check_reducer<R, Space>())
      run_segmented_scan(space, x, offsets, y, load, init);
  });
}

}  // namespace detail

/// Scans each segment of x, by default to running sums that restart at each offset: y(i) = x(b) op
/// .. op x(i) for each i of a segment that begins at b.
///
/// @param x          rank-1 operand, any stride
/// @param offsets    rank-1 operand of integers, one more than there are segments, as for
///                   segmented_reduce
/// @param y          rank-1 operand of the extent of x, any stride; may be x itself, but not
///                   overlap it otherwise. Elements that are in no segment are unchanged
/// @param operation  as for parallel_scan
/// Errors            extent_error when x and y differ in extent; argument_error when y overlaps
///                   another operand or itself, offsets has no element, an operand has no memory,
///                   or memory that the space cannot access, and in a checked build for offsets
///                   that fall or lead outside; out_of_memory_error. y is unchanged then
/// Agreement         each segment has the bits of parallel_scan over its elements alone, on every
///                   backend, thread count and device
/// Complexity        reads x and offsets once and writes y once. A segment is scanned by one warp
///                   on a GPU, however long it is. Scratch: none, but for long segments on openmp
///                   as for parallel_scan, and 288 elements per thread of a CPU if elements have
///                   more than 128 bytes
/// Asynchronous on `space`.
template <execution_space Space, viewable X, viewable Offsets, viewable Y, class Operation = sum<>>
void segmented_scan(const Space& space, X&& x, Offsets&& offsets, Y&& y,
                    const Operation& operation = {}) {
  detail::scan_segments_of(space, as_view(std::forward<X>(x)),
                           detail::read_only(as_view(std::forward<Offsets>(offsets))),
                           as_view(std::forward<Y>(y)), operation, nullptr);
}

/// y(i) = init op x(b) op .. op x(i - 1) within each segment, with exclusive{init} behind the
/// operation; as above in all else.
///
/// @param x, offsets, y, operation  as for the inclusive scan of segments
/// @param from                      exclusive{init}: init is the leftmost term of every segment
/// Complexity                       as for the inclusive scan of segments
template <execution_space Space, viewable X, viewable Offsets, viewable Y, class Operation,
          class Init>
void segmented_scan(const Space& space, X&& x, Offsets&& offsets, Y&& y, const Operation& operation,
                    const exclusive<Init>& from) {
  const auto init = detail::first_of<element_of<Y>, Operation>(from);
  detail::scan_segments_of(space, as_view(std::forward<X>(x)),
                           detail::read_only(as_view(std::forward<Offsets>(offsets))),
                           as_view(std::forward<Y>(y)), operation, &init);
}

/// Calls segmented_scan(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) {
    segmented_scan(detail::here(), std::forward<Argument>(a)...);
  }
auto segmented_scan(Argument&&... arguments) {
  return segmented_scan(detail::here(), std::forward<Argument>(arguments)...);
}

}  // namespace tandem
