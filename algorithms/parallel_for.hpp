// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/backend_concept.hpp>
#include <tandem/default_space.hpp>

#include <concepts>
#include <limits>
#include <string>
#include <type_traits>

namespace tandem {

namespace detail {

/// A function object with its trailing arguments bound, so that backends see f(index...) only. It
/// names the type of its index, which the function object's own call operator has.
template <class Index, class Function, class... Argument>
struct bound_line {
  Function function;
  tuple<Argument...> arguments;

  TANDEM_FUNCTION void operator()(Index i) const {
    call(i, std::index_sequence_for<Argument...>{});
  }

 private:
  template <std::size_t... I>
  TANDEM_FUNCTION void call(Index i, std::index_sequence<I...>) const {
    function(i, get<I>(arguments)...);
  }
};

template <class Index, class Function, class... Argument>
struct bound_plane {
  Function function;
  tuple<Argument...> arguments;

  TANDEM_FUNCTION void operator()(Index j, Index i) const {
    call(j, i, std::index_sequence_for<Argument...>{});
  }

 private:
  template <std::size_t... I>
  TANDEM_FUNCTION void call(Index j, Index i, std::index_sequence<I...>) const {
    function(j, i, get<I>(arguments)...);
  }
};

template <class Index, class Function, class... Argument>
struct bound_volume {
  Function function;
  tuple<Argument...> arguments;

  TANDEM_FUNCTION void operator()(Index k, Index j, Index i) const {
    call(k, j, i, std::index_sequence_for<Argument...>{});
  }

 private:
  template <std::size_t... I>
  TANDEM_FUNCTION void call(Index k, Index j, Index i, std::index_sequence<I...>) const {
    function(k, j, i, get<I>(arguments)...);
  }
};

/// Whether a function takes `Rank` indices.
template <class Function, int Rank, class Index = loop_index<Function>>
inline constexpr bool takes_indices =
    Rank == 1   ? std::is_invocable_v<const Function&, Index>
    : Rank == 2 ? std::is_invocable_v<const Function&, Index, Index>
                : std::is_invocable_v<const Function&, Index, Index, Index>;

/// Checks the range against the loop's index type, then runs it unless it is empty.
template <class Space, class Function>
void run_loop(const Space& space, const range& indices, const Function& f) {
  static_assert(takes_indices<Function, 1>,
                "tandem: parallel_for: over a range, f takes one index");
  require_indices<loop_index<Function>>("parallel_for", indices);
  if (indices.block < 0)
    fail_extents("parallel_for", "threads of a block", indices.block, "<", "fewest", 1);
  if (indices.size() > 0) dispatch_for(space, "parallel_for", indices, f);
}

template <class Space, int Rank, class Function>
void run_loop(const Space& space, const grid<Rank>& indices, const Function& f) {
  static_assert(takes_indices<Function, Rank>,
                "tandem: parallel_for: over a grid, f takes one index for each dimension");
  require_indices<loop_index<Function>>("parallel_for", indices);
  for (int d = 0; d < Rank; ++d) {
    if (indices.block[d] < 0)
      fail_extents("parallel_for", "threads of a block", indices.block[d], "<", "fewest", 1);
  }
  if (indices.size() > 0) dispatch_for(space, "parallel_for", indices, f);
}

template <class Function, class... Argument>
auto bind_loop(const range&, const Function& f, const Argument&... arguments) {
  return bound_line<loop_index<Function>, Function, Argument...>{f,
                                                                 tandem::make_tuple(arguments...)};
}
template <class Function, class... Argument>
auto bind_loop(const grid<2>&, const Function& f, const Argument&... arguments) {
  return bound_plane<loop_index<Function>, Function, Argument...>{f,
                                                                  tandem::make_tuple(arguments...)};
}
template <class Function, class... Argument>
auto bind_loop(const grid<3>&, const Function& f, const Argument&... arguments) {
  return bound_volume<loop_index<Function>, Function, Argument...>{
      f, tandem::make_tuple(arguments...)};
}

/// An index space as written at a call: a number of indices from zero, a range or a grid.
template <class Indices>
inline constexpr bool is_index_space = std::integral<Indices>;
template <>
inline constexpr bool is_index_space<range> = true;
template <int Rank>
inline constexpr bool is_index_space<grid<Rank>> = true;

/// The index space that a call names. Throws extent_error where n is more than an index_t holds.
template <std::integral Number>
constexpr range as_indices(const char* operation, Number n) {
  if constexpr (std::is_unsigned_v<Number> && sizeof(Number) >= sizeof(index_t)) {
    constexpr auto most = static_cast<Number>(std::numeric_limits<index_t>::max());
    if (n > most) {
      throw extent_error(std::string(operation) + ": " + text(n) +
                         " indices are more than 2^63 - 1 (a negative number as unsigned?)");
    }
  }
  return {0, static_cast<index_t>(n)};
}
constexpr const range& as_indices(const char*, const range& indices) { return indices; }
template <int Rank>
constexpr const grid<Rank>& as_indices(const char*, const grid<Rank>& indices) {
  return indices;
}

}  // namespace detail

/// What may stand where a loop's indices are named: n, range{begin, end}, grid{ny, nx} or grid{nz,
/// ny, nx}.
template <class T>
concept index_space = detail::is_index_space<T>;

/// Calls f for every index of `indices`, in any order and at the same time.
///
/// f(i), f(j, i) or f(k, j, i): a lambda (TANDEM_LAMBDA) or a function object, copied into the
/// kernel, at most 32 KB. The type of its first parameter is the type of the indices. `arguments`
/// follow the indices in the call, as in parallel_for(n, saxpy{}, a, x, y).
/// Errors         extent_error when an index does not fit f's parameter; argument_error when a
///                block that was asked for is more than the device can run; device_error when the
///                launch fails
/// Exceptions     what f throws on a CPU reaches the caller
/// Asynchronous on `space`.
template <execution_space Space, index_space Indices, class Function, class... Argument>
void parallel_for(const Space& space, const Indices& indices, const Function& f,
                  const Argument&... arguments) {
  static_assert(runs_loops<Space>,
                "tandem: loops of this backend over lambdas need its compiler (nvcc for "
                "tandem::cuda) for this file");
  static_assert(detail::check_kernel<Function>());
  const auto& checked = detail::as_indices("parallel_for", indices);
  if constexpr (sizeof...(Argument) == 0) {
    detail::run_loop(space, checked, f);
  } else {
    detail::run_loop(space, checked, detail::bind_loop(checked, f, arguments...));
  }
}

/// Calls parallel_for(space, indices, f, arguments...) on the default space.
template <index_space Indices, class Function, class... Argument>
  requires(!execution_space<Indices>)
void parallel_for(const Indices& indices, const Function& f, const Argument&... arguments) {
  parallel_for(default_instance<default_space>(), indices, f, arguments...);
}

}  // namespace tandem
