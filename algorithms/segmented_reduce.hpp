// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/generic/reduce_axis.hpp>
#include <tandem/algorithms/parallel_reduce.hpp>

#include <limits>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Returns position k if its offset is out of range or below its predecessor, else `none`.
template <class Problem>
struct find_wrong_offset {
  Problem problem;

  static constexpr index_t none = std::numeric_limits<index_t>::max();

  TANDEM_FUNCTION index_t operator()(index_t k) const {
    const auto offset = static_cast<index_t>(problem.offsets[k * problem.offset_stride]);
    if (offset < 0 || offset > problem.terms) return k;
    if (k == 0) return none;
    return offset < static_cast<index_t>(problem.offsets[(k - 1) * problem.offset_stride]) ? k
                                                                                           : none;
  }
};

/// Throws if an offset descends or leads outside. Waits for the offsets, so only checked builds
/// call it.
template <class Space, class Problem>
void require_offsets_ascend(const Space& space, const char* label, const Problem& problem) {
  const index_t wrong = dispatch_reduce(space, label, problem.segments + 1,
                                        find_wrong_offset<Problem>{problem}, minimum<index_t>{});
  if (wrong == find_wrong_offset<Problem>::none) return;
  throw argument_error(message(
      {label, ": offset ", wrong, " is below the one before it, or not in 0 .. ", problem.terms}));
}

/// Reports in one line what cannot be the offsets of segments.
template <class Space, class Offsets, class Out>
consteval void check_offsets() {
  static_assert(compiles_loops<Space>,
                "tandem: operations on segments of this backend need this file compiled by its own "
                "compiler (tandem_add_sources in CMake does so)");
  static_assert(Offsets::rank() == 1, "tandem: segments: offsets have one dimension");
  check_index_type<typename Offsets::value_type>();
  static_assert(reaches<Space, Offsets, Out>,
                "tandem: segments: the space cannot reach the memory of offsets or of the output");
}

/// Throws unless an output can hold the results of the segments.
template <class Offsets, class Out>
void require_apart_from_offsets(const char* name, const Offsets& offsets, const Out& out,
                                const char* out_name) {
  if (overlaps(offsets, out))
    throw argument_error(message({name, ": offsets and ", out_name, " overlap"}));
}

/// Throws unless an output has one element per segment.
template <class Offsets, class Out>
void require_segments(const char* name, const Offsets& offsets, const Out& out) {
  require_apart_from_offsets(name, offsets, out, "out");
  require_equal(name, "extent of offsets", offsets.size(), "extent of out + 1", out.size() + 1);
  require_distinct_elements(name, "out", out);
}

/// Dispatches checked segments to the backend's implementation, or to the generic one.
template <class Space, class Load, class Offset, class R>
void dispatch_segments(const Space& space, const char* label,
                       const segmented_problem<Load, Offset, R>& problem) {
  if constexpr (uses_hook<Space, hook::segmented_reduce>()) {
    dispatch_segmented_reduce(space, label, problem);
  } else {
    generic_segmented_reduce(space, label, problem);
  }
}

/// Segments whose operands have been checked, but not the offsets' values.
template <class Space, class Problem>
struct segments {
  const Space& space;
  const char* name;
  const Problem& problem;

  void operator()() const {
    if constexpr (checks_contents) require_offsets_ascend(space, name, problem);
    dispatch_segments(space, name, problem);
  }
  void checked() const {
    require_offsets_ascend(space, name, problem);
    judge_segments(space, title_of(space, name), problem, problem.segments);
    dispatch_segments(space, name, problem);
  }
};

template <class Space, class Problem>
segments(const Space&, const char*, const Problem&) -> segments<Space, Problem>;

/// The segments of n terms of a load.
template <class Load, class R, class Offsets, class Out>
auto make_segments(index_t n, const Load& load, const R& reducer, const Offsets& offsets,
                   const Out& out) {
  using Offset = typename Offsets::value_type;
  return segmented_problem<Load, Offset, R>{.load = load,
                                            .reducer = reducer,
                                            .terms = n,
                                            .offsets = offsets.data_handle(),
                                            .offset_stride = offsets.stride(0),
                                            .segments = out.size(),
                                            .out = out.data_handle(),
                                            .out_stride = out.stride(0)};
}

/// Reduces the segments of a view for the operation `name`.
template <class Space, class X, class Offsets, class Out, class Reducer>
void reduce_segments(const Space& space, const char* name, const X& x, const Offsets& offsets,
                     const Out& out, const Reducer& reducer) {
  const auto chosen = checked_reducer_for<typename X::value_type>(reducer);
  const auto check = [&] {
    require_segments(name, offsets, out);
    require(!overlaps(x, out), name, "x and out overlap");
    return out.size() > 0;
  };
  if constexpr (check_result<Space, 1, Out, std::remove_const_t<decltype(chosen)>>()) {
    with_load(x, chosen, [&](const auto& load) {
      const auto problem = make_segments(x.size(), load, chosen, offsets, out);
      run(space,
          call{name,
               profile_kind::reduction,
               {out.size(), x.size()},
               operands{partly_read{"x", x}, input{"offsets", offsets}, overwritten{"out", out}},
               check,
               segments{space, name, problem}});
    });
  }
}

}  // namespace detail

/// Reduces each segment of x, by default to its sum: out(s) = x(offsets(s)) op .. op x(offsets(s +
/// 1) - 1).
///
///   // sums of x[0..2), nothing, and x[2..5):
///   const auto offsets = tandem::array<int>::of({0, 2, 2, 5});
///   tandem::segmented_reduce(space, x, offsets, sums);
///
/// @param x        rank-1 operand, any stride
/// @param offsets  rank-1 operand of integers with one element more than out, any stride, ascending
///                 in 0 .. x.extent(0); the first need not be 0, nor the last x.extent(0). A
///                 checked build (TANDEM_CHECKED) refuses others, and waits for the offsets to do
///                 so. In other builds offsets are clamped to that range, a segment that ends
///                 before it begins is empty, and if segments overlap, their results are
///                 unspecified: nothing outside x is read
/// @param out      rank-1 operand of the reducer's result type, any stride; overwritten. An empty
///                 segment gives the reducer's result for no terms (0 for a sum)
/// @param reducer  as for parallel_reduce; one with positions reports indices of x
/// Errors          extent_error when out has not one element fewer than offsets; argument_error
///                 when out overlaps x, offsets or itself, or an operand has no memory, or memory
///                 that the space cannot access; out_of_memory_error. out is unchanged then
/// Agreement       each output has the bits of parallel_reduce over its terms alone, on every
///                 backend, thread count and device
/// Complexity      reads x and offsets once and writes out once. Scratch for long segments only: on
///                 a GPU a few values per 2048 terms, on a CPU as for parallel_reduce
/// Asynchronous on `space`.
template <execution_space Space, viewable X, viewable Offsets, viewable Out,
          reducer_or_deduced Reducer = sum<>>
void segmented_reduce(const Space& space, X&& x, Offsets&& offsets, Out&& out,
                      const Reducer& reducer = {}) {
  const auto terms = as_view(std::forward<X>(x));
  const auto at = detail::read_only(as_view(std::forward<Offsets>(offsets)));
  const auto to = as_view(std::forward<Out>(out));
  static_assert(as_view_t<X>::rank() == 1, "tandem: segmented_reduce: x has one dimension");
  static_assert(detail::reaches<Space, decltype(terms)>,
                "tandem: segmented_reduce: the space cannot reach x's memory");
  detail::check_offsets<Space, std::remove_const_t<decltype(at)>, as_view_t<Out>>();
  detail::reduce_segments(space, "segmented_reduce", terms, at, to, reducer);
}

/// Calls segmented_reduce(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) {
    segmented_reduce(detail::here(), std::forward<Argument>(a)...);
  }
auto segmented_reduce(Argument&&... arguments) {
  return segmented_reduce(detail::here(), std::forward<Argument>(arguments)...);
}

}  // namespace tandem
