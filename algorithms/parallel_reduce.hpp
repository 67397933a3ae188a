// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/reduce.hpp>
#include <tandem/algorithms/parallel_for.hpp>

#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// Whether errors of terms name their indices. A device's compiler refuses it, since loads, which
/// may run on the device, would call a function of the host.
#if defined(TANDEM_DEVICE_PASS)
inline constexpr bool places_terms = false;
#else
inline constexpr bool places_terms = true;
#endif

/// A function of terms as the backend calls it: on the host, an error names the indices.
template <class Space, std::size_t Rank, class Function>
auto place_terms([[maybe_unused]] const char* operation, const Function& f) {
  if constexpr (places_terms && Space::memory_type::host_accessible && !checks_kernels<Space>) {
    return place_function<loop_index<Function>>(operation, f, std::make_index_sequence<Rank>());
  } else {
    return f;
  }
}

template <class Function, class Reducer>
auto make_load(const range& indices, const Function& f, const Reducer& reducer) {
  return function_load<Function, loop_index<Function>, Reducer>{f, reducer, indices.begin};
}
template <int Rank, class Function, class Reducer>
auto make_load(const grid<Rank>& indices, const Function& f, const Reducer& reducer) {
  return grid_load<Rank, Function, Reducer>{f, reducer, grid_indices<Rank>(indices.sizes)};
}
template <int Rank, class Function, class Reducer>
auto make_load(const grid<Rank, false>& indices, const Function& f, const Reducer& reducer) {
  return make_load(indices.counted, shift(indices, f), reducer);
}

/// Type of the terms of a function of `Rank` indices.
template <class Function, int Rank>
consteval auto find_term_type() {
  using F = const Function&;
  using Index = loop_index<Function>;
  if constexpr (Rank == 1) return std::type_identity<std::invoke_result_t<F, Index>>();
  if constexpr (Rank == 2) return std::type_identity<std::invoke_result_t<F, Index, Index>>();
  if constexpr (Rank == 3)
    return std::type_identity<std::invoke_result_t<F, Index, Index, Index>>();
}
template <class Function, class Indices>
using term_type =
    std::remove_cvref_t<typename decltype(find_term_type<Function, rank_of<Indices>>())::type>;

/// Reports in one line which form a function should have.
template <class Function, class Indices>
consteval bool check_terms() {
  constexpr bool takes = takes_indices<Function, rank_of<Indices>>;
  static_assert(
      takes,
      "tandem: parallel_reduce or parallel_scan: f takes the index of each dimension and returns "
      "its term; there is no reference to add to: 'sum += x' becomes 'return x'");
  if constexpr (takes) {
    constexpr bool nothing = std::is_void_v<term_type<Function, Indices>>;
    static_assert(
        !nothing,
        "tandem: parallel_reduce or parallel_scan: f returns its term by value, not void");
    return !nothing && check_index<Function>();
  }
  return false;
}

/// The reducer of a function's terms.
template <class Function, class Indices, class Reducer>
auto reducer_of_terms(const Reducer& r) {
  if constexpr (check_terms<Function, Indices>())
    return checked_reducer_for<term_type<Function, Indices>>(r);
}

/// Reports in one line what is wrong with a reducer, or with the target of its results.
template <class Space, int Rank, class Out, class Reducer>
consteval bool check_result() {
  if constexpr (check_reducer<Reducer, Space>()) {
    constexpr bool typed = std::is_same_v<typename Out::element_type, typename Reducer::result>;
    static_assert(typed,
                  "tandem: the output of a reduction has elements of the reducer's result type, "
                  "and is not const: sum{} and product{} of integers give std::int64_t or "
                  "std::uint64_t, sum<int>{} gives int");
    static_assert(Out::rank() == Rank,
                  "tandem: the output of a reduction has the rank of the result: 0 for one value, "
                  "one dimension less than x along an axis, 1 for segments and keys");
    return typed && Out::rank() == Rank;
  }
  return false;
}

/// Reports in one line that reductions need the backend's compiler, or what is wrong with f.
template <class Space, class Indices, class Function>
consteval bool check_term_function() {
  static_assert(
      compiles_loops<Space>,
      "tandem: reductions of this backend over lambdas need this file compiled by its own "
      "compiler (tandem_add_sources in CMake does so)");
  if constexpr (check_kernel<Function, Space>()) return check_terms<Function, Indices>();
  return false;
}

/// A reduction of n terms whose result is returned.
template <class Space, class Load, class Reducer>
struct reduction_by_value {
  const Space& space;
  const char* name;
  index_t n;
  const Load& load;
  const Reducer& reducer;

  typename Reducer::result nothing() const { return reducer.empty(); }
  typename Reducer::result operator()() const {
    return reducer.finish(dispatch_reduce(space, name, n, load, reducer));
  }
  typename Reducer::result checked() const {
    return with_judged_terms(space, title_of(space, name), n, load, reducer, {},
                             [&](const auto& terms, const auto& judged) {
                               return judged.finish(dispatch_reduce(space, name, n, terms, judged));
                             });
  }
};

/// A reduction of n terms whose result is written to memory of the space.
template <class Space, class Load, class Reducer>
struct reduction_into {
  const Space& space;
  const char* name;
  index_t n;
  const Load& load;
  const Reducer& reducer;
  typename Reducer::result* out;

  void operator()() const { dispatch_reduce_into(space, name, n, load, reducer, out); }
  void checked() const {
    with_judged_terms(space, title_of(space, name), n, load, reducer, {},
                      [&](const auto& terms, const auto& judged) {
                        dispatch_reduce_into(space, name, n, terms, judged, out);
                      });
  }
};

/// Reduces n terms and returns the result; for n = 0, the reducer's result for none.
template <class Space, class Load, class Reducer, class Operands, class Check>
typename Reducer::result run_reduce(const Space& space, const char* name, index_t n,
                                    const Load& load, const Reducer& reducer, const Operands& with,
                                    const Check& check) {
  const auto check_terms = [&] {
    check();
    return n != 0;
  };
  return run(space, call{name,
                         profile_kind::reduction,
                         {n},
                         with,
                         check_terms,
                         reduction_by_value<Space, Load, Reducer>{space, name, n, load, reducer}});
}

/// Reduces n terms to memory of the space.
template <class Space, class Load, class Reducer, class Operands, class Check>
void run_reduce_into(const Space& space, index_t n, const Load& load, const Reducer& reducer,
                     typename Reducer::result* out, const Operands& with, const Check& check) {
  constexpr const char* name = "parallel_reduce_into";
  run(space, call{name,
                  profile_kind::reduction,
                  {n},
                  with,
                  check,
                  reduction_into<Space, Load, Reducer>{space, name, n, load, reducer, out}});
}

/// Calls use(load) with the best load functor for a view: contiguous, strided or general.
template <class View, class Reducer, class Use>
auto with_load(const View& x, const Reducer& reducer, const Use& use) {
  using T = typename View::value_type;
  const contiguous_load<T, Reducer> packed{x.data_handle(), reducer};
  if constexpr (View::rank() == 0 || std::is_same_v<typename View::layout_type, layout_right>) {
    return use(packed);
  } else if constexpr (View::rank() == 1) {
    if (x.stride(0) == 1) return use(packed);
    return use(strided_load<T, Reducer>{x.data_handle(), x.stride(0), reducer});
  } else {
    return use(view_load<View, Reducer>{x, reducer});
  }
}

/// Throws unless the indices of terms can be counted and fit the function's.
template <class Function, class Indices>
void require_terms(const char* name, const Indices& indices) {
  require_count(name, indices);
  require_indices_of<Function>(name, as_indices(indices));
}

/// Reduces the terms of a function of the indices in the name of an operation with these operands
/// and preconditions.
template <class Space, class Indices, class Function, class Reducer, class Operands = operands<>,
          class Check = no_precondition>
auto reduce_terms(const Space& space, const char* name, const Indices& indices, const Function& f,
                  const Reducer& reducer, const Operands& with = Operands(),
                  const Check& check = {}) {
  if constexpr (check_term_function<Space, Indices, Function>()) {
    const auto chosen = reducer_of_terms<Function, Indices>(reducer);
    if constexpr (check_reducer<std::remove_const_t<decltype(chosen)>, Space>()) {
      const auto& counted = as_indices(indices);
      const auto placed = place_terms<Space, std::size_t{rank_of<Indices>}>(name, f);
      return run_reduce(space, name, counted.size(), make_load(counted, placed, chosen), chosen,
                        with, [&] {
                          check();
                          require_terms<Function>(name, indices);
                        });
    }
  }
}

/// Reduces the terms of a function of the indices to memory of the space.
template <class Space, class Indices, class Function, class Reducer, class Out>
void reduce_terms_into(const Space& space, const Indices& indices, const Function& f,
                       const Reducer& reducer, const Out& out) {
  constexpr const char* name = "parallel_reduce_into";
  static_assert(reaches<Space, Out>,
                "tandem: parallel_reduce_into: the space cannot reach the memory of out");
  if constexpr (check_term_function<Space, Indices, Function>()) {
    const auto chosen = reducer_of_terms<Function, Indices>(reducer);
    using Chosen = std::remove_const_t<decltype(chosen)>;
    if constexpr (check_result<Space, 0, Out, Chosen>()) {
      const auto& counted = as_indices(indices);
      const auto placed = place_terms<Space, std::size_t{rank_of<Indices>}>(name, f);
      run_reduce_into(space, counted.size(), make_load(counted, placed, chosen), chosen,
                      out.data_handle(), operands{output{"out", out}},
                      [&] { require_terms<Function>(name, indices); });
    }
  }
}

/// Reduces the elements of a view in the name of an operation.
template <class Space, class View, class Reducer>
auto reduce_view(const Space& space, const char* name, const View& x, const Reducer& reducer) {
  const auto chosen = checked_reducer_for<typename View::value_type>(reducer);
  static_assert(reaches<Space, View>,
                "tandem: parallel_reduce: the space cannot reach the view's memory");
  if constexpr (check_reducer<std::remove_const_t<decltype(chosen)>, Space>()) {
    return with_load(x, chosen, [&](const auto& load) {
      return run_reduce(space, name, x.size(), load, chosen, input{"x", x}, no_precondition());
    });
  }
}

}  // namespace detail

/// Combines the terms f(i) over all indices with a reducer; by default their sum.
///
///   float peak = parallel_reduce(space, n, TANDEM_LAMBDA(int i) { return x(i); }, maximum{});
///   float norm = parallel_reduce(space, n, squared_difference{}, sum{}, x, y);
///
/// @param indices  n, a range or a grid, as for parallel_for. Terms of a grid are numbered
///                 row-major from zero; reducers with positions report that number
/// @param f        f(i), f(j, i) or f(k, j, i) returns its term by value; it is called exactly once
///                 per index and may store what no term reads and no other one stores
/// @param reducer  sum (the default), product, minimum, maximum, minloc, minmax, .. of
///                 core/reducers.hpp, or your own. Integer terms are summed in 64 bits unless a
///                 sum<T> is named
/// @param arguments  follow the indices in each call of f, as for parallel_for
/// Returns         the reducer's result; without terms, its result for none (0 for a sum)
/// Agreement       the same bits on every backend, thread count and device: the reduction order of
///                 docs/numerics.md
/// Errors          extent_error when an index does not fit f's parameter, for a negative n or
///                 extent and for a range that ends before it begins; out_of_memory_error for
///                 scratch; device_error
/// Exceptions      what f throws on a CPU reaches the caller
/// Complexity      one call of f per index and n - 1 combinations; scratch for partial results:
///                 none on serial, bounded for each thread of openmp, and on a GPU at most a few
///                 per 512 terms
/// Blocks until the result is available.
template <execution_space Space, index_space Indices, class Function, reducer_or_deduced Reducer,
          class... Argument>
auto parallel_reduce(const Space& space, const Indices& indices, const Function& f,
                     const Reducer& reducer, Argument&&... arguments) {
  return detail::reduce_terms(space, "parallel_reduce", indices,
                              detail::bind_to_terms<Space, detail::rank_of<Indices>>(
                                  f, std::forward<Argument>(arguments)...),
                              reducer);
}
template <execution_space Space, index_space Indices, class Function, class Other,
          class... Argument>
  requires(!reducer_or_deduced<std::remove_cvref_t<Other>>)
auto parallel_reduce(const Space&, const Indices&, const Function&, Other&&, Argument&&...) {
  static_assert(sizeof(Space) == 0,
                "tandem: parallel_reduce: after f comes a reducer (sum{}, maximum{}, "
                "reduction{operation, identity}), then f's arguments; the result is returned");
}
template <execution_space Space, index_space Indices, class Function>
  requires(!viewable<Function>)
auto parallel_reduce(const Space& space, const Indices& indices, const Function& f) {
  return parallel_reduce(space, indices, f, sum{});
}

/// Reduces the elements of an operand in row-major order.
///
/// @param x        view, array or container of any rank and layout
/// @param reducer  as for a function of the indices, whose bits these are
/// Errors          argument_error when x has no memory, or memory that the space cannot access;
///                 out_of_memory_error for scratch; device_error
/// Complexity      reads x once, x.size() * sizeof(T) bytes, contiguous elements with wide loads.
///                 Scratch as for terms
/// Blocks until the result is available.
template <execution_space Space, viewable X, reducer_or_deduced Reducer>
auto parallel_reduce(const Space& space, X&& x, const Reducer& reducer) {
  return detail::reduce_view(space, "parallel_reduce", as_view(std::forward<X>(x)), reducer);
}
template <execution_space Space, viewable X>
auto parallel_reduce(const Space& space, X&& x) {
  return parallel_reduce(space, std::forward<X>(x), sum{});
}

/// Calls parallel_reduce(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) {
    parallel_reduce(detail::here(), std::forward<Argument>(a)...);
  }
auto parallel_reduce(Argument&&... arguments) {
  return parallel_reduce(detail::here(), std::forward<Argument>(arguments)...);
}

/// Combines the terms and writes the result to `out`, without blocking. The bits are those of
/// parallel_reduce.
///
/// @param indices, f, reducer, arguments  as for parallel_reduce
/// @param out   rank-0 operand of the reducer's result type in memory of the space; without terms
///              it gets the reducer's result for none (0 for a sum)
/// Errors       those of parallel_reduce; argument_error when out has no memory, or memory that the
///              space cannot access
/// Complexity   as for parallel_reduce
/// Asynchronous on `space`.
template <execution_space Space, index_space Indices, class Function, reducer_or_deduced Reducer,
          viewable Out, class... Argument>
void parallel_reduce_into(const Space& space, const Indices& indices, const Function& f,
                          const Reducer& reducer, Out&& out, Argument&&... arguments) {
  detail::reduce_terms_into(space, indices,
                            detail::bind_to_terms<Space, detail::rank_of<Indices>>(
                                f, std::forward<Argument>(arguments)...),
                            reducer, as_view(std::forward<Out>(out)));
}

/// Reduces the elements of an operand and leaves the result in `out`, without blocking.
///
/// @param x        view, array or container of any rank and layout, in row-major order
/// @param reducer  as for parallel_reduce
/// @param out      rank-0 operand of the reducer's result type in memory of the space
/// Errors          those of parallel_reduce, for x and for out; argument_error when x and out
///                 overlap. out is unchanged then
/// Complexity      as for parallel_reduce
/// Asynchronous on `space`.
template <execution_space Space, viewable X, reducer_or_deduced Reducer, viewable Out>
void parallel_reduce_into(const Space& space, X&& x, const Reducer& reducer, Out&& out) {
  const auto elements = as_view(std::forward<X>(x));
  const auto result = as_view(std::forward<Out>(out));
  const auto chosen = detail::checked_reducer_for<element_of<X>>(reducer);
  static_assert(detail::reaches<Space, decltype(elements), decltype(result)>,
                "tandem: parallel_reduce_into: the space cannot reach the memory of x or out");
  using Chosen = std::remove_const_t<decltype(chosen)>;
  if constexpr (detail::check_result<Space, 0, as_view_t<Out>, Chosen>()) {
    const auto check = [&] {
      detail::require(!detail::overlaps(elements, result), "parallel_reduce_into",
                      "x and out overlap");
    };
    detail::with_load(elements, chosen, [&](const auto& load) {
      detail::run_reduce_into(
          space, elements.size(), load, chosen, result.data_handle(),
          detail::operands{detail::input{"x", elements}, detail::output{"out", result}}, check);
    });
  }
}

/// Calls parallel_reduce_into(space, ...) on the default space, along an axis as well.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) {
    parallel_reduce_into(detail::here(), std::forward<Argument>(a)...);
  }
auto parallel_reduce_into(Argument&&... arguments) {
  return parallel_reduce_into(detail::here(), std::forward<Argument>(arguments)...);
}

}  // namespace tandem
