// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/generic/reduce_axis.hpp>
#include <tandem/algorithms/parallel_reduce.hpp>
#include <tandem/core/contract/strided.hpp>

#include <utility>

namespace tandem {

namespace detail {

/// Binds all indices of a function but the last one.
template <int Rank, class Function>
struct row_of_function {
  using index = loop_index<Function>;

  Function function;
  index outer;
  index inner;

  TANDEM_FUNCTION decltype(auto) operator()(index i) const {
    if constexpr (Rank == 2) {
      return function(inner, i);
    } else {
      return function(outer, inner, i);
    }
  }
};

/// The terms of one output: a function of all indices with all but one of them fixed.
template <int Rank, class Function, class Reducer>
struct axis_load {
  const Function& function;
  Reducer reducer;
  int axis;
  index_t p;
  index_t q;

  /// Returns these terms as a function of the last index alone, if that is the one that varies. A
  /// CPU vectorises it like any other function of one index.
  auto row() const {
    using Index = loop_index<Function>;
    using Row = row_of_function<Rank, Function>;
    return function_load<Row, Index, Reducer>{
        Row{function, static_cast<Index>(p), static_cast<Index>(q)}, reducer, 0};
  }

  TANDEM_FUNCTION typename Reducer::accumulator operator()(index_t i) const {
    using Index = loop_index<Function>;
    const auto term = static_cast<Index>(i);
    const auto inner = static_cast<Index>(q);
    if constexpr (Rank == 2) {
      return reducer.lift(function(axis == 0 ? term : inner, axis == 0 ? inner : term), i);
    } else {
      const auto outer = static_cast<Index>(p);
      return reducer.lift(
          function(axis == 0 ? term : outer, axis == 0 ? outer : (axis == 1 ? term : inner),
                   axis == 2 ? term : inner),
          i);
    }
  }
};

/// The slices along one index of a function of all indices.
template <int Rank, class Function, class Reducer>
struct function_slices {
  Function function;
  Reducer reducer;
  int axis;

  /// Valid during the lifetime of this object.
  TANDEM_FUNCTION axis_load<Rank, Function, Reducer> operator()(index_t p, index_t q) const {
    return {function, reducer, axis, p, q};
  }
};

/// Converts a negative axis to one counted from the first dimension. Throws extent_error if there
/// is no such dimension.
inline int checked_axis(axis along, int rank) {
  if (along.dimension >= rank)
    fail_extents("parallel_reduce_into", "axis", along.dimension, ">=", "rank", rank);
  if (along.dimension < -rank)
    fail_extents("parallel_reduce_into", "axis", along.dimension, "<", "negative rank", -rank);
  return along.dimension < 0 ? along.dimension + rank : along.dimension;
}

/// Throws extent_error unless the extents of `out` are those of `sizes` without the axis.
template <int Rank, class Out>
void require_remaining_extents(const extents<Rank>& sizes, int along, const Out& out) {
  for (int d = 0; d < Rank - 1; ++d) {
    const int from = d < along ? d : d + 1;
    if (sizes[from] == out.extent(d)) continue;
    const std::string left = message({"extent ", from, " of x"});
    const std::string right = message({"extent ", d, " of out"});
    fail_extents("parallel_reduce_into", left.c_str(), sizes[from], "!=", right.c_str(),
                 out.extent(d));
  }
}

/// The dimensions of a problem's outputs, after slices and output have been matched.
template <int Rank, class Slices, class R, class Out>
reduce_axis_problem<Slices, R> axis_problem(const extents<Rank>& sizes, int along,
                                            const Slices& slices, const R& reducer,
                                            const Out& out) {
  reduce_axis_problem<Slices, R> problem{slices, reducer};
  problem.terms = sizes[along];
  problem.out = out.data_handle();
  problem.inner = out.extent(Rank - 2);
  problem.out_inner_stride = out.stride(Rank - 2);
  if constexpr (Rank == 3) {
    problem.outer = out.extent(0);
    problem.out_outer_stride = out.stride(0);
  }
  return problem;
}

/// Moves the dimension with the smaller strides inside, and merges the two dimensions if both
/// layouts allow it.
template <class T, class R>
void normalise(reduce_axis_problem<strided_slices<T, R>, R>& problem) {
  strided_slices<T, R>& x = problem.slices;
  if (problem.outer > 1 &&
      (problem.inner == 1 || magnitude(x.outer_stride) < magnitude(x.inner_stride))) {
    std::swap(problem.outer, problem.inner);
    std::swap(problem.out_outer_stride, problem.out_inner_stride);
    std::swap(x.outer_stride, x.inner_stride);
  }
  const bool is_line = x.outer_stride == problem.inner * x.inner_stride &&
                       problem.out_outer_stride == problem.inner * problem.out_inner_stride;
  if (problem.outer > 1 && is_line) problem.inner *= std::exchange(problem.outer, 1);
  problem.side_by_side = problem.inner > 1 && magnitude(x.inner_stride) < magnitude(x.term_stride);
}

/// Lets the checked runtime instrument what the reducer accesses.
template <class Space, class Slices, class R>
void judge_axis(const Space& space, const reduce_axis_problem<Slices, R>& problem) {
  const index_t of_one = problem.terms / 2;
  const auto pair = [&](index_t i) {
    const index_t at = i / of_one;
    const auto load = problem.slices(at / problem.inner, at % problem.inner);
    const index_t term = 2 * (i % of_one);
    return std::pair(load(term), load(term + 1));
  };
  judge_pairs(space, "parallel_reduce_into", problem.outputs() * of_one, pair, problem.reducer);
}

/// Dispatches a checked problem to the backend's implementation, or to the generic one.
template <class Space, class Slices, class R>
void dispatch_axis(const Space& space, const reduce_axis_problem<Slices, R>& problem) {
  if constexpr (checks_kernels<Space>) judge_axis(space, problem);
  if constexpr (uses_hook<Space, hook::reduce_axis>()) {
    dispatch_reduce_axis(space, "parallel_reduce_into", problem);
  } else {
    generic_reduce_axis(space, "parallel_reduce_into", problem);
  }
}

/// Runs reductions along an axis; `terms` is their total number of terms.
template <class Space, class Out, class Operands, class Check, class Dispatch>
void run_along_axis(const Space& space, index_t terms, const Out& out, const Operands& with,
                    const Check& check, const Dispatch& dispatch) {
  const auto check_axis = [&] {
    check();
    return !out.empty();
  };
  run(space, call{"parallel_reduce_into",
                  profile_kind::reduction,
                  {out.size(), out.empty() ? 0 : terms / out.size()},
                  with,
                  check_axis,
                  dispatch});
}

/// Calls reduce(terms) with f, or with its precomputed values if the checked runtime has called it.
template <class Space, int Rank, class Function, class Reduce>
void with_axis_terms(const Space&, const grid<Rank>& indices, const Function& f,
                     const Reduce& reduce) {
  if constexpr (checks_kernels<Space>) {
    using Term = term_type<Function, grid<Rank>>;
    if (indices.size() > 0)
      return with_checked_terms(std::type_identity<Term>(), "parallel_reduce_into", indices, f,
                                reduce);
  }
  reduce(place_terms<Space, std::size_t{Rank}>("parallel_reduce_into", f));
}

}  // namespace detail

/// Reduces x along one of its dimensions, as NumPy's reductions do with `axis`: out(j) = x(0, j) op
/// x(1, j) op .. for axis{0} of a matrix, out(i) = x(i, 0) op x(i, 1) op .. for axis{1}.
///
/// elements    x, an operand of rank 2 or 3, any layout and strides
/// along       the dimension to reduce; negative ones count from the end
/// reducer     as for parallel_reduce; one with positions reports the index along the axis
/// results     out, an operand of the remaining extents, any layout and strides, with distinct
///             elements; overwritten. If the axis has no elements: the reducer's result for none (0
///             for a sum)
/// Errors      extent_error if there is no such axis or extents differ; argument_error if x and out
///             overlap, have no memory, or have memory that the space cannot access;
///             out_of_memory_error. out is unchanged then
/// Complexity  reads x once, x.size() * sizeof(T) bytes, and writes out once. Scratch: partial
///             results if the terms of an output are split, at most a few per 512 terms
/// Agreement   each output has the bits of parallel_reduce over its elements alone, on every
///             backend
/// Asynchronous on `space`.
template <execution_space Space, viewable X, reducer_or_deduced Reducer, viewable Out>
void parallel_reduce_into(const Space& space, X&& elements, axis along, const Reducer& reducer,
                          Out&& results) {
  using value_type = element_of<X>;
  constexpr int rank = as_view_t<X>::rank();
  static_assert(rank == 2 || rank == 3,
                "tandem: parallel_reduce_into: along an axis, x has 2 or 3 dimensions");
  const auto x = as_view(std::forward<X>(elements));
  const auto out = as_view(std::forward<Out>(results));
  const auto chosen = detail::checked_reducer_for<value_type>(reducer);
  using Chosen = std::remove_const_t<decltype(chosen)>;
  static_assert(detail::compiles_loops<Space>,
                "tandem: reductions of this backend need this file compiled by its own "
                "compiler (tandem_add_sources in CMake does so)");
  static_assert(detail::reaches<Space, decltype(x), decltype(out)>,
                "tandem: parallel_reduce_into: the space cannot reach the memory of x or out");
  if constexpr (detail::check_result<Space, rank - 1, as_view_t<Out>, Chosen>()) {
    int axis = 0;
    const auto check = [&] {
      axis = detail::checked_axis(along, rank);
      detail::require_remaining_extents(x.extents(), axis, out);
      detail::require_distinct_elements("parallel_reduce_into", "out", out);
      detail::require(!detail::overlaps(x, out), "parallel_reduce_into", "x and out overlap");
    };
    const auto reduce = [&] {
      const int inner = axis == rank - 1 ? rank - 2 : rank - 1;
      const int outer = axis == 0 ? 1 : 0;
      const strided_slices<value_type, Chosen> slices{x.data_handle(),
                                                      rank == 3 ? x.stride(outer) : 0,
                                                      x.stride(inner), x.stride(axis), chosen};
      auto problem = detail::axis_problem(x.extents(), axis, slices, chosen, out);
      detail::normalise(problem);
      detail::dispatch_axis(space, problem);
    };
    detail::run_along_axis(space, x.size(), out,
                           detail::operands{detail::input{"x", x}, detail::overwritten{"out", out}},
                           check, reduce);
  }
}

/// Reduces the terms f(j, i) or f(k, j, i) of an index grid along one axis.
///
/// @param indices         grid of rank 2 or 3
/// @param along, reducer  as for an operand
/// @param f               a lambda (TANDEM_LAMBDA) or a function object, called once per index
/// @param results         out, an operand of the remaining extents; overwritten
/// Complexity             one call of f per index; scratch as for an operand
/// Errors, agreement and order are those of an operand. Exceptions that f throws on a CPU reach the
/// caller.
template <execution_space Space, int Rank, class Function, reducer_or_deduced Reducer, viewable Out>
void parallel_reduce_into(const Space& space, const grid<Rank>& indices, axis along,
                          const Function& f, const Reducer& reducer, Out&& results) {
  const auto out = as_view(std::forward<Out>(results));
  const auto chosen = detail::reducer_of_terms<Function, grid<Rank>>(reducer);
  using Chosen = std::remove_const_t<decltype(chosen)>;
  static_assert(
      detail::compiles_loops<Space>,
      "tandem: reductions of this backend over lambdas need this file compiled by its own "
      "compiler (tandem_add_sources in CMake does so)");
  static_assert(detail::reaches<Space, decltype(out)>,
                "tandem: parallel_reduce_into: the space cannot reach the memory of out");
  if constexpr (detail::check_kernel<Function, Space>() &&
                detail::check_result<Space, Rank - 1, as_view_t<Out>, Chosen>()) {
    int axis = 0;
    const auto check = [&] {
      axis = detail::checked_axis(along, Rank);
      detail::require_indices_of<Function>("parallel_reduce_into", indices);
      detail::require_remaining_extents(indices.sizes, axis, out);
    };
    const auto reduce = [&]<class Terms>(const Terms& terms) {
      const detail::function_slices<Rank, Terms, Chosen> slices{terms, chosen, axis};
      auto problem = detail::axis_problem(indices.sizes, axis, slices, chosen, out);
      problem.side_by_side = axis != Rank - 1;  // a grid's last index is taken to be contiguous
      detail::dispatch_axis(space, problem);
    };
    detail::run_along_axis(space, indices.size(), out, detail::output{"out", out}, check,
                           [&] { detail::with_axis_terms(space, indices, f, reduce); });
  }
}

template <execution_space Space, int Rank, class Function, reducer_or_deduced Reducer, viewable Out>
void parallel_reduce_into(const Space& space, const grid<Rank, false>& indices, axis along,
                          const Function& f, const Reducer& reducer, Out&& out) {
  static_assert(detail::takes_indices<Function, Rank>,
                "tandem: parallel_reduce_into: over a grid, f takes one index for each dimension");
  detail::require_indices_of<Function>("parallel_reduce_into", indices);
  parallel_reduce_into(space, indices.counted, along, detail::shift(indices, f), reducer,
                       std::forward<Out>(out));
}

}  // namespace tandem
