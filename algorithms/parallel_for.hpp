// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/backend_concept.hpp>
#include <tandem/core/kernel/failure.hpp>
#include <tandem/core/tools/profiling/profiling.hpp>
#include <tandem/core/view/viewable.hpp>
#include <tandem/default_space.hpp>

#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>
#if TANDEM_CHECKED > 1
#include <tandem/algorithms/detail/checked.hpp>
#endif

namespace tandem {

namespace detail {

/// A function object with its trailing arguments bound, so that backends see f(index...) only. It
/// names the type of its index, which the function object's own call operator has.
template <class Index, class Function, class... Argument>
struct bound_line {
  Function function;
  tuple<Argument...> arguments;

  [[gnu::always_inline]] TANDEM_FUNCTION void operator()(Index i) const {
    call(i, std::index_sequence_for<Argument...>{});
  }

 private:
  template <std::size_t... I>
  [[gnu::always_inline]] TANDEM_FUNCTION void call(Index i, std::index_sequence<I...>) const {
    function(i, get<I>(arguments)...);
  }
};

template <class Index, class Function, class... Argument>
struct bound_plane {
  Function function;
  tuple<Argument...> arguments;

  [[gnu::always_inline]] TANDEM_FUNCTION void operator()(Index j, Index i) const {
    call(j, i, std::index_sequence_for<Argument...>{});
  }

 private:
  template <std::size_t... I>
  [[gnu::always_inline]] TANDEM_FUNCTION void call(Index j, Index i,
                                                   std::index_sequence<I...>) const {
    function(j, i, get<I>(arguments)...);
  }
};

template <class Index, class Function, class... Argument>
struct bound_volume {
  Function function;
  tuple<Argument...> arguments;

  [[gnu::always_inline]] TANDEM_FUNCTION void operator()(Index k, Index j, Index i) const {
    call(k, j, i, std::index_sequence_for<Argument...>{});
  }

 private:
  template <std::size_t... I>
  [[gnu::always_inline]] TANDEM_FUNCTION void call(Index k, Index j, Index i,
                                                   std::index_sequence<I...>) const {
    function(k, j, i, get<I>(arguments)...);
  }
};

/// Whether a function takes `Rank` indices. Asks for that number alone, since a function of any
/// number may have no body for others.
template <class Function, int Rank, class Index>
consteval bool can_take_indices() {
  if constexpr (Rank == 1) return std::is_invocable_v<const Function&, Index>;
  if constexpr (Rank == 2) return std::is_invocable_v<const Function&, Index, Index>;
  if constexpr (Rank == 3) return std::is_invocable_v<const Function&, Index, Index, Index>;
}
template <class Function, int Rank>
inline constexpr bool takes_indices = can_take_indices<Function, Rank, loop_index<Function>>();

template <class Space, class Indices, class Function>
void dispatch_loop(const Space& space, const char* label, const Indices& indices,
                   const Function& f) {
  if constexpr (requires { indices.counted; }) {
    dispatch_for(space, label, counted(indices), shift(indices, f));
  } else {
    dispatch_for(space, label, indices, f);
  }
}

/// Runs a loop that is not empty.
template <class Space, class Indices, class Function, class... Written>
void start_loop(const Space& space, const char* label, const Indices& indices, const Function& f,
                const Written&... written) {
  const profiled region(space, label, profile_kind::loop, sizes_of(indices));
  (region.writes(written), ...);
#if TANDEM_CHECKED > 1
  if constexpr (Space::memory_type::host_accessible)
    return run_checked(label, typeid(Function), indices, f);
#endif
  if constexpr (Space::memory_type::host_accessible) {
    dispatch_loop(
        space, label, indices,
        place_function<loop_index<Function>>(label, f, std::make_index_sequence<Indices::rank>()));
  } else {
    dispatch_loop(space, label, indices, f);
  }
}

/// Checks the range against the loop's index type, then runs it unless it is empty. `label` names
/// the user's operation in errors; `written` are the views that f writes, for tandem::compare.
template <class Space, std::derived_from<range> Indices, class Function, class... Written>
void run_loop(const Space& space, const char* label, const Indices& indices, const Function& f,
              const Written&... written) {
  static_assert(takes_indices<Function, 1>,
                "tandem: parallel_for: over a range, f takes one index");
  require_indices<loop_index<Function>>(label, indices);
  require_block(label, extents<1>(indices.block));
  if constexpr (requires { indices.blocks; }) require_blocks(label, indices.blocks);
  if (indices.size() > 0) start_loop(space, label, indices, f, written...);
}

template <class Space, class Indices, class Function, class... Written>
  requires std::derived_from<Indices, grid<Indices::rank>>
void run_loop(const Space& space, const char* label, const Indices& indices, const Function& f,
              const Written&... written) {
  static_assert(takes_indices<Function, Indices::rank>,
                "tandem: parallel_for: over a grid, f takes one index for each dimension");
  require_indices<loop_index<Function>>(label, indices);
  require_block(label, indices.block);
  if (indices.size() > 0) start_loop(space, label, indices, f, written...);
}

template <class Space, class Indices, class Function, class... Written>
  requires std::derived_from<Indices, grid<Indices::rank, false>>
void run_loop(const Space& space, const char* label, const Indices& indices, const Function& f,
              const Written&... written) {
  static_assert(takes_indices<Function, Indices::rank>,
                "tandem: parallel_for: over a grid, f takes one index for each dimension");
  require_indices<loop_index<Function>>(label, indices);
  require_block(label, indices.counted.block);
  if (indices.size() > 0) start_loop(space, label, indices, f, written...);
}

/// A loop's argument as kernels get it: an array's view, anything else itself.
template <class Argument>
decltype(auto) as_argument(Argument&& argument) {
  if constexpr (owner_of_elements<std::remove_reference_t<Argument>>) {
    return as_view(std::forward<Argument>(argument));
  } else {
    return std::forward<Argument>(argument);
  }
}

template <class Function, class... Argument>
auto bind_loop(const range&, const Function& f, const Argument&... arguments) {
  return bound_line<loop_index<Function>, Function, Argument...>{f,
                                                                 tandem::make_tuple(arguments...)};
}
template <bool FromZero, class Function, class... Argument>
auto bind_loop(const grid<2, FromZero>&, const Function& f, const Argument&... arguments) {
  return bound_plane<loop_index<Function>, Function, Argument...>{f,
                                                                  tandem::make_tuple(arguments...)};
}
template <bool FromZero, class Function, class... Argument>
auto bind_loop(const grid<3, FromZero>&, const Function& f, const Argument&... arguments) {
  return bound_volume<loop_index<Function>, Function, Argument...>{
      f, tandem::make_tuple(arguments...)};
}

/// An index space as written at a call: a number of indices from zero, a range or a grid.
template <class Indices>
inline constexpr bool is_index_space = std::integral<Indices> || std::derived_from<Indices, range>;
template <int Rank, bool FromZero>
inline constexpr bool is_index_space<grid<Rank, FromZero>> = true;
template <int Rank, index_t Threads, bool FromZero>
inline constexpr bool is_index_space<block_grid<Rank, Threads, FromZero>> = true;

/// The index space that a call names. Throws extent_error where n is more than an index_t holds.
template <std::integral Number>
constexpr range as_indices(const char* operation, Number n) {
  if constexpr (std::is_unsigned_v<Number> && sizeof(Number) >= sizeof(index_t)) {
    constexpr auto most = static_cast<Number>(std::numeric_limits<index_t>::max());
    if (n > most) {
      throw extent_error(
          message({operation, ": ", n,
                   " indices are more than 2^63 - 1 (a negative number as unsigned?)"}));
    }
  }
  return {0, static_cast<index_t>(n)};
}
constexpr const range& as_indices(const char*, const range& indices) { return indices; }
template <int Rank, bool FromZero>
constexpr const grid<Rank, FromZero>& as_indices(const char*, const grid<Rank, FromZero>& indices) {
  return indices;
}

/// The indices of a loop, with the launch shape where one is given beside them.
template <class Indices>
constexpr decltype(auto) as_loop(const char* operation, const Indices& indices) {
  if constexpr (std::integral<Indices>) {
    return as_indices(operation, indices);
  } else {
    return (indices);
  }
}

}  // namespace detail

/// What may stand where a loop's indices are named: n, range{begin, end} and what its with_block()
/// and with_blocks() return, grid{ny, nx}, grid{nz, ny, nx}, or a grid of ranges.
template <class T>
concept index_space = detail::is_index_space<T>;

/// Calls f for every index of `indices`, in any order and at the same time.
///
/// @param indices    n for 0 .. n - 1, range{begin, end}, grid{ny, nx}, grid{nz, ny, nx} or a grid
///                   of ranges; an empty one calls nothing. A range and a grid also take a
///                   launch shape: range{0, n}.with_block<256>(), grid{ny, nx}.with_block(8, 32)
/// @param f          f(i), f(j, i) or f(k, j, i), the last index fastest: a lambda (TANDEM_LAMBDA)
///                   or a function object, copied into the kernel, at most 32 KB. The type of its
///                   first parameter is the type of the indices
/// @param arguments  follow the indices in the call, as in parallel_for(n, saxpy{}, a, x, y):
///                   values by copy, arrays as their views
/// Errors            extent_error when an index does not fit f's parameter; argument_error when a
///                   block that was asked for is more than a device can run, wherever the loop
///                   runs; device_error when the launch fails
/// Exceptions        what f throws on a CPU reaches the caller; to an extent_error, argument_error,
///                   kernel_error or requirement_error the kernel and the index are added
/// Complexity        one call of f per index. No scratch
/// Asynchronous on `space`.
template <execution_space Space, index_space Indices, class Function, class... Argument>
void parallel_for(const Space& space, const Indices& indices, const Function& f,
                  Argument&&... arguments) {
  static_assert(runs_loops<Space>,
                "tandem: loops of this backend over lambdas need this file compiled by the "
                "backend's own compiler (tandem_add_sources in CMake does so)");
  static_assert(!std::integral<Function>,
                "tandem: parallel_for: two numbers before f: write range{begin, end}");
  constexpr bool can_run = !std::integral<Function> && detail::check_kernel<Function, Space>();
  const auto& checked = detail::as_loop("parallel_for", indices);
  if constexpr (!can_run) {
    return;  // the reason has been given
  } else if constexpr (sizeof...(Argument) == 0) {
    detail::run_loop(space, "parallel_for", checked, f);
  } else {
    detail::run_loop(
        space, "parallel_for", checked,
        detail::bind_loop(checked, f, detail::as_argument(std::forward<Argument>(arguments))...));
  }
}

/// Calls parallel_for(space, indices, f, arguments...) on the default space.
template <index_space Indices, class Function, class... Argument>
  requires(!execution_space<Indices>)
void parallel_for(const Indices& indices, const Function& f, Argument&&... arguments) {
  parallel_for(default_instance<default_space>(), indices, f, std::forward<Argument>(arguments)...);
}

}  // namespace tandem
