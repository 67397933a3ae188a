// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <type_traits>

#include <tandem/backends/cuda/loop/range.cuh>
#include <tandem/backends/cuda/reduce_axis/launch.cuh>
#include <tandem/backends/cuda/reduce_axis/plan.hpp>
#include <tandem/core/contract/reduce_axis_problem.hpp>

namespace tandem {

namespace cuda_impl {

/// Writes the results of reductions over no terms.
template <class Slices, class R>
struct store_empty {
  reduce_axis_problem<Slices, R> problem;

  __device__ void operator()(index_t o) const {
    const output_index at = split_output(o, problem.outer, problem.inner);
    problem.output(at.p, at.q) = problem.reducer.empty();
  }
};

/// Whether elements of T can be read as 16-byte words for R: a row of lanes has at least two words.
template <class T, class R>
inline constexpr bool has_words =
    16 % sizeof(T) == 0 && std::is_trivially_copyable_v<T> &&
    sizeof(typename R::accumulator) <= 16 && canonical::lanes<R> * sizeof(T) >= 32;

/// Whether every stride of the slices along a dimension with more than one element preserves
/// alignment to `Width` elements.
template <int Width, class T, class R>
bool keeps_boundary(const reduce_axis_problem<strided_slices<T, R>, R>& problem, index_t inner,
                    index_t term) {
  const auto& x = problem.slices;
  return reinterpret_cast<std::size_t>(x.data) % (Width * sizeof(T)) == 0 &&
         (problem.outer == 1 || x.outer_stride % Width == 0) && inner % Width == 0 &&
         term % Width == 0;
}

/// The widest columns whose lanes fit into 32 registers per thread.
template <class T, class R>
inline constexpr int column_width = [] {
  using accumulator = typename R::accumulator;
  const int each = canonical::lanes<R> / (column_block / word_columns_across);
  int width = static_cast<int>(16 / sizeof(T));
  while (width > 1 && width * each * registers_of(sizeof(accumulator)) > 32) width /= 2;
  return width;
}();

/// Columns of words with as many loads in flight as registers permit.
template <class T, class R>
using deep_word_columns = column_tile<word_columns<T, R, column_width<T, R>>, word_columns_across,
                                      loads_in_flight(sizeof(typename R::accumulator))>;

/// How single terms of adjacent slices are read. Elements of a view are read by address, which
/// needs fewer registers than a functor of the index.
template <class Slices, class R>
struct single_columns {
  using type = function_columns<Slices, R>;
};
template <class T, class R>
  requires(16 % sizeof(T) == 0 && std::is_trivially_copyable_v<T>)
struct single_columns<strided_slices<T, R>, R> {
  using type = word_columns<T, R, 1>;
};

/// Whether a thread reads columns by address.
template <class Columns>
inline constexpr bool reads_elements = false;
template <class T, class R, int Width>
inline constexpr bool reads_elements<word_columns<T, R, Width>> = true;

/// The properties of a problem that determine its method. Only views of elements are read in words.
template <class Slices, class R>
axis_shape shape_of_axis(const reduce_axis_problem<Slices, R>& problem) {
  using accumulator = typename R::accumulator;
  return {.terms = problem.terms,
          .inner = problem.inner,
          .side_by_side = problem.side_by_side,
          .commutative = R::commutative,
          .accumulator_bytes = sizeof(accumulator),
          .lanes = canonical::lanes<R>,
          .tile = canonical::tile<R>};
}
template <class T, class R>
  requires(R::commutative && has_words<T, R>)
void allow_words(axis_shape& shape, const reduce_axis_problem<strided_slices<T, R>, R>& problem) {
  const auto& x = problem.slices;
  constexpr int width = static_cast<int>(16 / sizeof(T));
  shape.word_rows =
      x.term_stride == 1 &&
      keeps_boundary<width>(problem, problem.inner == 1 ? 0 : x.inner_stride, problem.terms);
  shape.word_columns = x.inner_stride == 1 &&
                       keeps_boundary<column_width<T, R>>(problem, problem.inner, x.term_stride);
  using deep = deep_word_columns<T, R>;
  shape.deep_rows = deep::rows * deep::lanes;
}

/// Runs a method that reads slices term by term.
template <class Slices, class R>
void run_single_terms(const axis_call& call, const reduce_axis_problem<Slices, R>& problem,
                      axis_method method) {
  using accumulator = typename R::accumulator;
  using rows = function_rows<Slices, R>;
  constexpr int batch = loads_in_flight(sizeof(accumulator));
  constexpr int lanes = canonical::lanes<R>;
  constexpr int team = lanes < warp_threads ? lanes : warp_threads;
  const rows x{problem.slices, problem.reducer};
  const axis_output<R> output = make_axis_output(problem);
  if constexpr (sizeof(accumulator) <= 16) {
    using thread = lane_team<rows, 1, 1, shallow_lanes>;
    if (method == axis_method::thread_rows)
      return launch_short<thread, 256>(call, x, problem.terms, output);
  }
  if constexpr (sizeof(accumulator) <= 32) {
    if (method == axis_method::columns) {
      using columns = typename single_columns<Slices, R>::type;
      const columns adjacent{problem.slices, problem.reducer};
      if constexpr (sizeof(typename columns::word) <= 4 && reads_elements<columns>) {
        using wide = column_tile<columns, wide_columns_across, batch>;
        const index_t blocks = ceil_div(problem.terms, index_t{canonical::tile<R>}) *
                               (problem.inner / wide_columns_across) * problem.outer;
        if (are_enough_wide_columns(blocks, limits(call.space).multiprocessors))
          return launch_columns<wide>(call, adjacent, problem.terms, output);
      }
      using tile = column_tile<columns, warp_threads, batch>;
      return launch_columns<tile>(call, adjacent, problem.terms, output);
    }
  }
  if (method == axis_method::short_rows)
    return launch_short<lane_team<rows, 16, batch / 2>, 256>(call, x, problem.terms, output);
  launch_slices(call, lane_slices<rows, team, batch>{x}, problem.terms, output);
}

/// Runs the method of a non-commutative operation.
template <class Slices, class R>
  requires(!R::commutative)
void run_single_terms(const axis_call& call, const reduce_axis_problem<Slices, R>& problem,
                      axis_method) {
  launch_slices(call, ordered_slices<Slices, R>{problem.slices, problem.reducer}, problem.terms,
                make_axis_output(problem));
}

/// Runs a method that reads rows in 16-byte words.
template <class T, class R>
void run_word_rows(const axis_call& call,
                   const reduce_axis_problem<strided_slices<T, R>, R>& problem,
                   axis_method method) {
  using rows = word_rows<T, R>;
  constexpr int batch = loads_in_flight(sizeof(typename R::accumulator));
  // Threads that share a row of lanes, which has two or more words.
  constexpr int words = canonical::lanes<R> / rows::width;
  constexpr int by_16 = words < 16 ? words : 16;
  constexpr int by_8 = words < 8 ? words : 8;
  constexpr int by_4 = words < 4 ? words : 4;
  constexpr int by_2 = shallow_lanes / rows::width < 2 ? 1 : 2;
  const rows x{problem.slices, problem.reducer};
  const axis_output<R> output = make_axis_output(problem);
  const index_t n = problem.terms;
  if (method == axis_method::long_word_rows)
    return launch_slices(call, lane_slices<rows, by_16, batch>{x}, n, output);
  if (method == axis_method::word_rows_16)
    return launch_short<lane_team<rows, by_16, batch / 2>, 128>(call, x, n, output);
  if (method == axis_method::word_rows_8)
    return launch_short<lane_team<rows, by_8, batch / 4>, 512>(call, x, n, output);
  if (method == axis_method::word_rows_4)
    return launch_short<lane_team<rows, by_4, batch / 4>, 256>(call, x, n, output);
  launch_short<lane_team<rows, by_2, batch / 4, shallow_lanes>, 256>(call, x, n, output);
}

/// Runs a method that reads columns in words.
template <class T, class R>
void run_word_columns(const axis_call& call,
                      const reduce_axis_problem<strided_slices<T, R>, R>& problem,
                      axis_method method) {
  using columns = word_columns<T, R, column_width<T, R>>;
  constexpr int batch = loads_in_flight(sizeof(typename R::accumulator));
  using shallow = column_tile<columns, word_columns_across, batch / 2>;
  const columns x{problem.slices, problem.reducer};
  const axis_output<R> output = make_axis_output(problem);
  if (method == axis_method::deep_word_columns)
    return launch_columns<deep_word_columns<T, R>>(call, x, problem.terms, output);
  launch_columns<shallow>(call, x, problem.terms, output);
}

/// Reduces any slices; elements of a view are read in words if aligned.
template <class Slices, class R>
void reduce_slices(const axis_call& call, const reduce_axis_problem<Slices, R>& problem) {
  axis_shape shape = shape_of_axis(problem);
  if constexpr (requires { allow_words(shape, problem); }) {
    allow_words(shape, problem);
    const axis_method method = plan_axis(shape);
    if (reads_word_rows(method)) return run_word_rows(call, problem, method);
    if (reads_word_columns(method)) return run_word_columns(call, problem, method);
  }
  run_single_terms(call, problem, plan_axis(shape));
}

}  // namespace cuda_impl

/// Performs many reductions of the same length in stream order, each in its canonical shape.
/// Launches one kernel. Does not block. Errors: device_error, out_of_memory_error.
template <class Slices, class R>
void dispatch_reduce_axis(const cuda& space, const char* label,
                          const reduce_axis_problem<Slices, R>& problem) {
  cuda_impl::require_argument_size<cuda_impl::axis_arguments<Slices, R>>();
  const cuda_impl::axis_call call{space, label};
  if (problem.terms == 0) {
    dispatch_for(space, label, range{0, problem.outputs()},
                 cuda_impl::store_empty<Slices, R>{problem});
  } else {
    cuda_impl::reduce_slices(call, problem);
  }
}

// Instantiated once, in instances/sum.cu.
extern template void dispatch_reduce_axis(
    const cuda&, const char*,
    const reduce_axis_problem<strided_slices<float, sum<float>>, sum<float>>&);
extern template void dispatch_reduce_axis(
    const cuda&, const char*,
    const reduce_axis_problem<strided_slices<double, sum<double>>, sum<double>>&);

}  // namespace tandem
