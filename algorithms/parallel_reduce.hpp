// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/arguments.hpp>
#include <tandem/algorithms/parallel_for.hpp>
#include <tandem/core/combined_reducer.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Terms of a grid by flat, row-major index. 32-bit divisions where the grid allows, since 64-bit
/// ones cost a GPU a lot.
template <int Rank, class Function, class Reducer>
struct grid_load {
  Function function;
  Reducer reducer;
  extents<Rank> sizes;
  bool fits_32;

  TANDEM_FUNCTION typename Reducer::accumulator operator()(index_t i) const {
    return fits_32 ? at(static_cast<std::uint32_t>(i)) : at(static_cast<std::uint64_t>(i));
  }

 private:
  template <class Unsigned>
  TANDEM_FUNCTION typename Reducer::accumulator at(Unsigned flat) const {
    using Index = loop_index<Function>;
    const auto width = static_cast<Unsigned>(sizes[Rank - 1]);
    const Unsigned row = flat / width;
    const auto i = static_cast<Index>(flat - row * width);
    if constexpr (Rank == 2) {
      return reducer.lift(function(static_cast<Index>(row), i), static_cast<index_t>(flat));
    } else {
      const auto height = static_cast<Unsigned>(sizes[1]);
      const Unsigned plane = row / height;
      const auto j = static_cast<Index>(row - plane * height);
      return reducer.lift(function(static_cast<Index>(plane), j, i), static_cast<index_t>(flat));
    }
  }
};

/// Elements of a view of any rank and layout by flat, row-major index.
template <class View, class Reducer>
struct view_load {
  View view;
  Reducer reducer;

  TANDEM_FUNCTION typename Reducer::accumulator operator()(index_t i) const {
    index_t rest = i;
    index_t offset = 0;
    for (int d = View::rank() - 1; d >= 0; --d) {
      offset += rest % view.extent(d) * view.stride(d);
      rest /= view.extent(d);
    }
    return reducer.lift(load_constant(view.data_handle() + offset), i);
  }
};

template <class Function, class Reducer>
auto make_load(const range& indices, const Function& f, const Reducer& reducer) {
  require_indices<loop_index<Function>>("parallel_reduce", indices);
  return function_load<Function, loop_index<Function>, Reducer>{f, reducer, indices.begin};
}

template <int Rank, class Function, class Reducer>
auto make_load(const grid<Rank>& indices, const Function& f, const Reducer& reducer) {
  require_indices<loop_index<Function>>("parallel_reduce", indices);
  return grid_load<Rank, Function, Reducer>{f, reducer, indices.sizes,
                                            indices.size() <= index_t{0xffffffff}};
}

/// Type of a function's terms.
template <class Function, class Indices>
struct term_of;
template <class Function>
struct term_of<Function, range> {
  using type =
      std::remove_cvref_t<decltype(std::declval<const Function&>()(loop_index<Function>{}))>;
};
template <class Function>
struct term_of<Function, grid<2>> {
  using Index = loop_index<Function>;
  using type = std::remove_cvref_t<decltype(std::declval<const Function&>()(Index{}, Index{}))>;
};
template <class Function>
struct term_of<Function, grid<3>> {
  using Index = loop_index<Function>;
  using type =
      std::remove_cvref_t<decltype(std::declval<const Function&>()(Index{}, Index{}, Index{}))>;
};

/// What a sum adds up in: the term's own type, or 64 bits for integers, as NumPy does, so that
/// counts do not overflow.
template <class Term>
using sum_type =
    std::conditional_t<std::is_integral_v<Term>,
                       std::conditional_t<std::is_signed_v<Term> || std::is_same_v<Term, bool>,
                                          std::int64_t, std::uint64_t>,
                       Term>;

template <class Function, class Indices>
using term_type =
    typename term_of<Function,
                     std::remove_cvref_t<decltype(as_indices("", std::declval<Indices>()))>>::type;

template <class Function, class Indices>
using default_sum = sum<sum_type<term_type<Function, Indices>>>;

/// Blocking reduction of n terms; the result of none is the reducer's own.
template <class Space, class Load, class Reducer>
typename Reducer::result run_reduce(const Space& space, index_t n, const Load& load,
                                    const Reducer& reducer) {
  if (n == 0) return reducer.empty();
  return reducer.finish(dispatch_reduce(space, "parallel_reduce", n, load, reducer));
}

/// Calls run(load) with the best load functor for a view: contiguous, strided or general.
template <class View, class Reducer, class Run>
auto with_load(const View& x, const Reducer& reducer, const Run& run) {
  using T = typename View::value_type;
  const contiguous_load<T, Reducer> packed{x.data_handle(), reducer};
  if constexpr (std::is_same_v<typename View::layout_type, layout_right>) {
    return run(packed);
  } else if constexpr (View::rank() == 1) {
    if (x.stride(0) == 1) return run(packed);
    return run(strided_load<T, Reducer>{x.data_handle(), x.stride(0), reducer});
  } else {
    return run(view_load<View, Reducer>{x, reducer});
  }
}

}  // namespace detail

/// Combines the terms f(i) over all indices with a reducer; by default their sum.
///
/// f(i), f(j, i) or f(k, j, i) returns its term by value. Integer terms are summed in 64 bits
/// unless a sum<T> is named. Terms are numbered row-major; reducers with positions report that
/// number.
/// Returns        the reducer's result; of no terms, what the reducer says (0 for a sum)
/// Agreement      the same bits on every backend, thread count and device: the canonical shape of
///                docs/numerics.md
/// Errors         extent_error when an index does not fit f's parameter, or a grid has a negative
///                extent; out_of_memory_error for scratch; device_error
/// Exceptions     what f throws on a CPU reaches the caller
/// Blocks until the result is there.
template <execution_space Space, index_space Indices, class Function, reducer Reducer>
typename Reducer::result parallel_reduce(const Space& space, const Indices& indices,
                                         const Function& f, const Reducer& reducer) {
  static_assert(
      runs_loops<Space>,
      "tandem: reductions of this backend over lambdas need its compiler (nvcc for tandem::cuda)");
  static_assert(detail::check_kernel<Function>() && detail::check_reducer<Reducer>());
  const auto& checked = detail::as_indices("parallel_reduce", indices);
  return detail::run_reduce(space, checked.size(), detail::make_load(checked, f, reducer), reducer);
}
template <execution_space Space, index_space Indices, class Function>
  requires(!is_view<Function>)
auto parallel_reduce(const Space& space, const Indices& indices, const Function& f) {
  static_assert(!std::is_void_v<detail::term_type<Function, Indices>>,
                "tandem: parallel_reduce: f returns its term by value, not void");
  return parallel_reduce(space, indices, f, detail::default_sum<Function, Indices>{});
}
template <index_space Indices, class Function, reducer Reducer>
auto parallel_reduce(const Indices& indices, const Function& f, const Reducer& reducer) {
  return parallel_reduce(default_instance<default_space>(), indices, f, reducer);
}
template <index_space Indices, class Function>
auto parallel_reduce(const Indices& indices, const Function& f) {
  return parallel_reduce(default_instance<default_space>(), indices, f);
}

/// Reduces the elements of a view of any rank and layout, in row-major order. Reads contiguous
/// elements with wide loads; the bits are those of the call with a function.
/// Errors: argument_error when x has no memory, or memory that the space cannot touch.
template <execution_space Space, class T, int Rank, class Layout, class Memory, reducer Reducer>
typename Reducer::result parallel_reduce(const Space& space, const view<T, Rank, Layout, Memory>& x,
                                         const Reducer& reducer) {
  static_assert(can_access<Space, Memory>,
                "tandem: parallel_reduce: the space cannot reach the view's memory");
  static_assert(detail::check_reducer<Reducer>());
  detail::require_operand(space, "parallel_reduce", "x", x);
  return detail::with_load(x, reducer, [&](const auto& load) {
    return detail::run_reduce(space, x.size(), load, reducer);
  });
}
template <execution_space Space, class T, int Rank, class Layout, class Memory>
auto parallel_reduce(const Space& space, const view<T, Rank, Layout, Memory>& x) {
  return parallel_reduce(space, x, sum<detail::sum_type<std::remove_const_t<T>>>{});
}
template <class T, int Rank, class Layout, class Memory, reducer Reducer>
auto parallel_reduce(const view<T, Rank, Layout, Memory>& x, const Reducer& reducer) {
  return parallel_reduce(default_instance<default_space>(), x, reducer);
}
template <class T, int Rank, class Layout, class Memory>
auto parallel_reduce(const view<T, Rank, Layout, Memory>& x) {
  return parallel_reduce(default_instance<default_space>(), x);
}

/// Combines the terms and writes the result to `out`, a rank-0 view in memory of the space; of no
/// terms, what the reducer says. The bits are those of parallel_reduce.
///
/// Errors  those of parallel_reduce; argument_error when out has no memory, or memory that the
///         space cannot touch
/// Asynchronous on `space`.
template <execution_space Space, index_space Indices, class Function, reducer Reducer, class Layout,
          class Memory>
void parallel_reduce_into(const Space& space, const Indices& indices, const Function& f,
                          const Reducer& reducer,
                          const view<typename Reducer::result, 0, Layout, Memory>& out) {
  static_assert(
      runs_loops<Space>,
      "tandem: reductions of this backend over lambdas need its compiler (nvcc for tandem::cuda)");
  static_assert(can_access<Space, Memory>,
                "tandem: parallel_reduce_into: the space cannot reach the memory of out");
  static_assert(detail::check_kernel<Function>() && detail::check_reducer<Reducer>());
  detail::require_operand(space, "parallel_reduce_into", "out", out);
  const auto& checked = detail::as_indices("parallel_reduce_into", indices);
  dispatch_reduce_into(space, "parallel_reduce_into", checked.size(),
                       detail::make_load(checked, f, reducer), reducer, out.data_handle());
}

/// Reduces the elements of a view and leaves the result in `out`, without blocking.
template <execution_space Space, class T, int Rank, class LayoutX, class MemoryX, reducer Reducer,
          class Layout, class Memory>
void parallel_reduce_into(const Space& space, const view<T, Rank, LayoutX, MemoryX>& x,
                          const Reducer& reducer,
                          const view<typename Reducer::result, 0, Layout, Memory>& out) {
  static_assert(can_access<Space, MemoryX> && can_access<Space, Memory>,
                "tandem: parallel_reduce_into: the space cannot reach the memory of x or out");
  static_assert(detail::check_reducer<Reducer>());
  detail::require_operand(space, "parallel_reduce_into", "x", x);
  detail::require_operand(space, "parallel_reduce_into", "out", out);
  detail::with_load(x, reducer, [&](const auto& load) {
    dispatch_reduce_into(space, "parallel_reduce_into", x.size(), load, reducer, out.data_handle());
  });
}

/// Calls parallel_reduce_into(space, ...) on the default space.
template <index_space Indices, class Function, reducer Reducer, class Layout, class Memory>
void parallel_reduce_into(const Indices& indices, const Function& f, const Reducer& reducer,
                          const view<typename Reducer::result, 0, Layout, Memory>& out) {
  parallel_reduce_into(default_instance<default_space>(), indices, f, reducer, out);
}
template <class T, int Rank, class LayoutX, class MemoryX, reducer Reducer, class Layout,
          class Memory>
void parallel_reduce_into(const view<T, Rank, LayoutX, MemoryX>& x, const Reducer& reducer,
                          const view<typename Reducer::result, 0, Layout, Memory>& out) {
  parallel_reduce_into(default_instance<default_space>(), x, reducer, out);
}

}  // namespace tandem
