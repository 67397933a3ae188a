// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/reduce.hpp>
#include <tandem/algorithms/detail/arguments.hpp>
#include <tandem/algorithms/parallel_for.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>
#if TANDEM_CHECKED > 1
#include <tandem/algorithms/detail/checked.hpp>
#endif

namespace tandem {

namespace detail {

template <class Function, class Reducer>
auto make_load(const char* label, const range& indices, const Function& f, const Reducer& reducer) {
  require_indices<loop_index<Function>>(label, indices);
  return function_load<Function, loop_index<Function>, Reducer>{f, reducer, indices.begin};
}

template <int Rank, class Function, class Reducer>
auto make_load(const char* label, const grid<Rank>& indices, const Function& f,
               const Reducer& reducer) {
  require_indices<loop_index<Function>>(label, indices);
  return grid_load<Rank, Function, Reducer>{f, reducer, grid_indices<Rank>(indices.sizes)};
}

template <int Rank, class Function, class Reducer>
auto make_load(const char* label, const grid<Rank, false>& indices, const Function& f,
               const Reducer& reducer) {
  require_indices<loop_index<Function>>(label, indices);
  return make_load(label, indices.counted, shift(indices, f), reducer);
}

/// Type of a function's terms.
template <class Function, class Indices>
struct term_of;
template <class Function>
struct term_of<Function, range> {
  using type =
      std::remove_cvref_t<decltype(std::declval<const Function&>()(loop_index<Function>{}))>;
};
template <class Function, bool FromZero>
struct term_of<Function, grid<2, FromZero>> {
  using Index = loop_index<Function>;
  using type = std::remove_cvref_t<decltype(std::declval<const Function&>()(Index{}, Index{}))>;
};
template <class Function, bool FromZero>
struct term_of<Function, grid<3, FromZero>> {
  using Index = loop_index<Function>;
  using type =
      std::remove_cvref_t<decltype(std::declval<const Function&>()(Index{}, Index{}, Index{}))>;
};

template <class Function, class Indices>
using term_type =
    typename term_of<Function,
                     std::remove_cvref_t<decltype(as_indices("", std::declval<Indices>()))>>::type;

/// Whether a function takes the indices of an index space and nothing else.
template <class Function, class Indices>
inline constexpr bool takes_indices_of =
    takes_indices<Function,
                  std::remove_cvref_t<decltype(as_indices("", std::declval<Indices>()))>::rank>;

/// Says in one line what a function of another form should be.
template <class Function, class Indices>
consteval bool check_terms() {
  static_assert(
      takes_indices_of<Function, Indices>,
      "tandem: parallel_reduce: f takes the index of each dimension and returns its term; "
      "there is no reference to add to: 'sum += x' becomes 'return x'");
  if constexpr (takes_indices_of<Function, Indices>) {
    constexpr bool nothing = std::is_void_v<term_type<Function, Indices>>;
    static_assert(!nothing, "tandem: parallel_reduce: f returns its term by value, not void");
    return !nothing;
  }
  return false;
}

/// The reducer of a function's terms.
template <class Function, class Indices, class Reducer>
auto reducer_of_terms(const Reducer& r) {
  if constexpr (check_terms<Function, Indices>())
    return reducer_for<term_type<Function, Indices>>(r);
}

/// Says in one line what is wrong with a reducer, or with where its results go.
template <class Space, int Rank, class Out, class Reducer>
consteval bool check_result() {
  static_assert(std::is_same_v<typename Out::element_type, typename Reducer::result>,
                "tandem: parallel_reduce_into: out has elements of the reducer's result type, and "
                "is not const");
  static_assert(Out::rank() == Rank,
                "tandem: parallel_reduce_into: out has the rank of the result: 0 for one value, or "
                "one dimension less than x");
  return std::is_same_v<typename Out::element_type, typename Reducer::result> &&
         Out::rank() == Rank && check_reducer<Reducer, Space>();
}

/// Blocking reduction of n terms; the result of none is the reducer's own.
template <class Space, class Load, class Reducer>
typename Reducer::result run_reduce(const Space& space, const char* label, index_t n,
                                    const Load& load, const Reducer& reducer) {
  if (n == 0) return reducer.empty();
  const profiled region(space, label, profile_kind::reduction, {n});
  try {
#if TANDEM_CHECKED > 1
    if constexpr (calls_on_host<Space, Load>) {
      const checked_terms<Load> terms(label, n, load);
      judge_combine<Space>(label, n, terms.load(), reducer);
      return region.returns(
          reducer.finish(dispatch_reduce(space, label, n, terms.load(), reducer)));
    }
    judge_combine<Space>(label, n, load, reducer);
#endif
    return region.returns(reducer.finish(dispatch_reduce(space, label, n, load, reducer)));
  } catch (const out_of_memory_error& e) {
    fail_memory(label, e);
  }
}

/// Reduction of n terms to memory of the space.
template <class Space, class Load, class Reducer>
void run_reduce_into(const Space& space, index_t n, const Load& load, const Reducer& reducer,
                     typename Reducer::result* out) {
  const profiled region(space, "parallel_reduce_into", profile_kind::reduction, {n});
  try {
#if TANDEM_CHECKED > 1
    if constexpr (calls_on_host<Space, Load>) {
      const checked_terms<Load> terms("parallel_reduce_into", n, load);
      judge_combine<Space>("parallel_reduce_into", n, terms.load(), reducer);
      dispatch_reduce_into(space, "parallel_reduce_into", n, terms.load(), reducer, out);
      return;
    }
    judge_combine<Space>("parallel_reduce_into", n, load, reducer);
#endif
    dispatch_reduce_into(space, "parallel_reduce_into", n, load, reducer, out);
  } catch (const out_of_memory_error& e) {
    fail_memory("parallel_reduce_into", e);
  }
}

/// Calls run(load) with the best load functor for a view: contiguous, strided or general.
template <class View, class Reducer, class Run>
auto with_load(const View& x, const Reducer& reducer, const Run& run) {
  using T = typename View::value_type;
  const contiguous_load<T, Reducer> packed{x.data_handle(), reducer};
  if constexpr (View::rank() == 0 || std::is_same_v<typename View::layout_type, layout_right>) {
    return run(packed);
  } else if constexpr (View::rank() == 1) {
    if (x.stride(0) == 1) return run(packed);
    return run(strided_load<T, Reducer>{x.data_handle(), x.stride(0), reducer});
  } else {
    return run(view_load<View, Reducer>{x, reducer});
  }
}

/// Checks and reduces the terms of a function of the indices; `label` names the user's operation in
/// errors.
template <class Space, class Indices, class Function, class Reducer>
auto reduce_terms(const Space& space, const char* label, const Indices& indices, const Function& f,
                  const Reducer& reducer) {
  static_assert(
      runs_loops<Space>,
      "tandem: reductions of this backend over lambdas need this file compiled by its own "
      "compiler (tandem_add_sources in CMake does so)");
  if constexpr (check_terms<Function, Indices>()) {
    const auto chosen = reducer_of_terms<Function, Indices>(reducer);
    static_assert(check_kernel<Function, Space>() &&
                  check_reducer<std::remove_const_t<decltype(chosen)>, Space>());
    const auto& checked = as_indices(label, indices);
    const auto load = make_load(label, checked, f, chosen);  // refuses sizes that overflow
    return run_reduce(space, label, checked.size(), load, chosen);
  }
}

/// Checks and reduces the elements of a view.
template <class Space, class View, class Reducer>
auto reduce_view(const Space& space, const char* label, const View& x, const Reducer& reducer) {
  const auto chosen = reducer_for<typename View::value_type>(reducer);
  static_assert(reaches<Space, View>,
                "tandem: parallel_reduce: the space cannot reach the view's memory");
  static_assert(check_reducer<std::remove_const_t<decltype(chosen)>, Space>());
  require_operand(space, label, "x", x);
  return with_load(x, chosen, [&](const auto& load) {
    return run_reduce(space, label, x.size(), load, chosen);
  });
}

}  // namespace detail

/// Combines the terms f(i) over all indices with a reducer; by default their sum.
///
///   float peak = parallel_reduce(space, n, TANDEM_LAMBDA(int i) { return x(i); }, maximum{});
///
/// @param indices  n, a range or a grid, as for parallel_for. Terms of a grid are numbered
///                 row-major from zero; reducers with positions report that number
/// @param f        f(i), f(j, i) or f(k, j, i) returns its term by value; it is called exactly once
///                 per index and may store what no other term reads or stores
/// @param reducer  sum (the default), product, minimum, maximum, minloc, minmax, .. of
///                 core/reducers.hpp, or your own. Integer terms are summed in 64 bits unless a
///                 sum<T> is named
/// Returns         the reducer's result; of no terms, what the reducer says (0 for a sum)
/// Agreement       the same bits on every backend, thread count and device: the canonical shape of
///                 docs/numerics.md
/// Errors          extent_error when an index does not fit f's parameter, or a grid has a negative
///                 extent; out_of_memory_error for scratch; device_error
/// Exceptions      what f throws on a CPU reaches the caller
/// Complexity      one call of f per index and n - 1 combinations; scratch for partial results:
///                 none on serial, bounded for each thread of openmp, and on a GPU at most a few
///                 per 512 terms
/// Blocks until the result is there.
template <execution_space Space, index_space Indices, class Function, reducer_or_deduced Reducer>
auto parallel_reduce(const Space& space, const Indices& indices, const Function& f,
                     const Reducer& reducer) {
  return detail::reduce_terms(space, "parallel_reduce", indices, f, reducer);
}
template <execution_space Space, index_space Indices, class Function, class Other>
  requires(!reducer_or_deduced<Other>)
auto parallel_reduce(const Space&, const Indices&, const Function&, Other&&) {
  static_assert(reducer_or_deduced<Other>,
                "tandem: parallel_reduce: after f comes a reducer (sum{}, maximum{}, "
                "reduction{operation, identity}), and the result is returned");
}
template <execution_space Space, index_space Indices, class Function>
  requires(!viewable<Function>)
auto parallel_reduce(const Space& space, const Indices& indices, const Function& f) {
  return parallel_reduce(space, indices, f, sum{});
}
template <index_space Indices, class Function, reducer_or_deduced Reducer>
auto parallel_reduce(const Indices& indices, const Function& f, const Reducer& reducer) {
  return parallel_reduce(default_instance<default_space>(), indices, f, reducer);
}
template <index_space Indices, class Function, class Other>
  requires(!reducer_or_deduced<Other>)
auto parallel_reduce(const Indices& indices, const Function& f, Other&& other) {
  return parallel_reduce(default_instance<default_space>(), indices, f, std::forward<Other>(other));
}
template <index_space Indices, class Function>
auto parallel_reduce(const Indices& indices, const Function& f) {
  return parallel_reduce(default_instance<default_space>(), indices, f);
}

/// Reduces the elements of an operand in row-major order.
///
/// @param x        view, array or container of any rank and layout
/// @param reducer  as for a function of the indices, whose bits these are
/// Errors          argument_error when x has no memory, or memory that the space cannot touch;
///                 out_of_memory_error for scratch; device_error
/// Complexity      reads x once, x.size() * sizeof(T) bytes, contiguous elements with wide loads.
///                 Scratch as for terms
/// Blocks until the result is there.
template <execution_space Space, viewable X, reducer_or_deduced Reducer>
auto parallel_reduce(const Space& space, X&& x, const Reducer& reducer) {
  return detail::reduce_view(space, "parallel_reduce", as_view(std::forward<X>(x)), reducer);
}
template <execution_space Space, viewable X>
auto parallel_reduce(const Space& space, X&& x) {
  return parallel_reduce(space, std::forward<X>(x), sum{});
}
template <viewable X, reducer_or_deduced Reducer>
auto parallel_reduce(X&& x, const Reducer& reducer) {
  return parallel_reduce(default_instance<default_space>(), std::forward<X>(x), reducer);
}
template <viewable X>
auto parallel_reduce(X&& x) {
  return parallel_reduce(default_instance<default_space>(), std::forward<X>(x), sum{});
}

/// Combines the terms and writes the result to `out`, without blocking. The bits are those of
/// parallel_reduce.
///
/// @param indices, f, reducer  as for parallel_reduce
/// @param out                  rank-0 operand of the reducer's result type in memory of the space;
///                             of no terms it gets what the reducer says (0 for a sum)
/// Errors                      those of parallel_reduce; argument_error when out has no memory, or
///                             memory that the space cannot touch
/// Complexity                  as for parallel_reduce
/// Asynchronous on `space`.
template <execution_space Space, index_space Indices, class Function, reducer_or_deduced Reducer,
          viewable Out>
void parallel_reduce_into(const Space& space, const Indices& indices, const Function& f,
                          const Reducer& reducer, Out&& out) {
  static_assert(
      runs_loops<Space>,
      "tandem: reductions of this backend over lambdas need this file compiled by its own "
      "compiler (tandem_add_sources in CMake does so)");
  const auto result = as_view(std::forward<Out>(out));
  static_assert(detail::reaches<Space, decltype(result)>,
                "tandem: parallel_reduce_into: the space cannot reach the memory of out");
  constexpr const char* label = "parallel_reduce_into";
  if constexpr (detail::check_terms<Function, Indices>() &&
                detail::check_kernel<Function, Space>()) {
    const auto chosen = detail::reducer_of_terms<Function, Indices>(reducer);
    using Chosen = std::remove_const_t<decltype(chosen)>;
    if constexpr (detail::check_result<Space, 0, as_view_t<Out>, Chosen>()) {
      detail::require_operand(space, label, "out", result);
      const auto& checked = detail::as_indices(label, indices);
      detail::run_reduce_into(space, checked.size(), detail::make_load(label, checked, f, chosen),
                              chosen, result.data_handle());
    }
  }
}

/// Reduces the elements of an operand and leaves the result in `out`, without blocking.
///
/// @param x        view, array or container of any rank and layout, in row-major order
/// @param reducer  as for parallel_reduce
/// @param out      rank-0 operand of the reducer's result type in memory of the space
/// Errors          those of parallel_reduce, for x and for out
/// Complexity      as for parallel_reduce
/// Asynchronous on `space`.
template <execution_space Space, viewable X, reducer_or_deduced Reducer, viewable Out>
void parallel_reduce_into(const Space& space, X&& x, const Reducer& reducer, Out&& out) {
  const auto elements = as_view(std::forward<X>(x));
  const auto result = as_view(std::forward<Out>(out));
  const auto chosen = detail::reducer_for<element_of<X>>(reducer);
  static_assert(detail::reaches<Space, decltype(elements), decltype(result)>,
                "tandem: parallel_reduce_into: the space cannot reach the memory of x or out");
  using Chosen = std::remove_const_t<decltype(chosen)>;
  if constexpr (detail::check_result<Space, 0, as_view_t<Out>, Chosen>()) {
    detail::require_operand(space, "parallel_reduce_into", "x", elements);
    detail::require_operand(space, "parallel_reduce_into", "out", result);
    detail::with_load(elements, chosen, [&](const auto& load) {
      detail::run_reduce_into(space, elements.size(), load, chosen, result.data_handle());
    });
  }
}

/// Calls parallel_reduce_into(space, ...) on the default space.
template <index_space Indices, class Function, reducer_or_deduced Reducer, viewable Out>
void parallel_reduce_into(const Indices& indices, const Function& f, const Reducer& reducer,
                          Out&& out) {
  parallel_reduce_into(default_instance<default_space>(), indices, f, reducer,
                       std::forward<Out>(out));
}
template <viewable X, reducer_or_deduced Reducer, viewable Out>
void parallel_reduce_into(X&& x, const Reducer& reducer, Out&& out) {
  parallel_reduce_into(default_instance<default_space>(), std::forward<X>(x), reducer,
                       std::forward<Out>(out));
}

}  // namespace tandem
