// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/loop_arguments.hpp>
#include <tandem/algorithms/detail/run.hpp>
#include <tandem/core/kernel/failure.hpp>
#include <tandem/core/range/without_vectors.hpp>

#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

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

/// Reports in one line that the first parameter of a function is no index.
template <class Function>
consteval bool check_index() {
  using Index = loop_index<Function>;
  constexpr bool counts = std::is_integral_v<Index> && !std::is_same_v<Index, bool>;
  static_assert(counts, "tandem: a loop's index is an integer other than bool");
  return counts;
}

/// Reports in one line that a function takes one index per dimension.
template <class Function, int Rank>
consteval bool check_indices() {
  constexpr bool counts = check_index<Function>();
  constexpr bool takes = takes_indices<Function, Rank>;
  static_assert(Rank != 1 || takes, "tandem: parallel_for: over a range, f takes one index");
  static_assert(Rank == 1 || takes,
                "tandem: parallel_for: over a grid, f takes one index for each dimension");
  return counts && takes;
}

/// A loop that has been checked and is not empty.
template <class Space, class Indices, class Function>
struct loop {
  const Space& space;
  const char* name;
  const Indices& indices;
  const Function& function;

  void operator()() const {
    if constexpr (Space::memory_type::host_accessible) {
      dispatch(scalar_if_asked(place_function<loop_index<Function>>(
          name, function, std::make_index_sequence<Indices::rank>())));
    } else {
      dispatch(function);
    }
  }
  void checked() const { run_checked(title_of(space, name), indices, function); }

 private:
  template <class... Index>
  static auto scalar_if_asked(const placed_function<Function, Index...>& placed) {
    if constexpr (is_scalar<Indices>) {
      return scalar_function<placed_function<Function, Index...>, Index...>{placed};
    } else {
      return placed;
    }
  }

  template <class Kernel>
  void dispatch(const Kernel& kernel) const {
    if constexpr (requires { indices.counted; }) {
      dispatch_for(space, name, counted(indices), shift(indices, kernel));
    } else {
      dispatch_for(space, name, indices, kernel);
    }
  }
};

/// Throws unless the indices of a loop fit the function's and its launch shape fits a device.
template <class Function, class Indices>
void require_loop(const char* name, const Indices& indices) {
  require_indices_of<Function>(name, indices);
  if constexpr (requires { indices.counted; }) {
    require_block(name, indices.counted.block);
  } else if constexpr (Indices::rank == 1) {
    require_block(name, extents<1>(indices.block));
  } else {
    require_block(name, indices.block);
  }
  if constexpr (requires { indices.blocks; }) require_blocks(name, indices.blocks);
}

/// Runs a loop over `indices` in the name of an operation with these operands and preconditions.
template <class Space, class Indices, class Function, class Operands = operands<>,
          class Check = no_precondition>
void run_loop(const Space& space, const char* name, const Indices& indices, const Function& f,
              const Operands& with = Operands(), const Check& check = {}) {
  if constexpr (check_indices<Function, Indices::rank>()) {
    const auto check_loop = [&] {
      check();
      require_loop<Function>(name, indices);
      return indices.size() > 0;
    };
    run(space, call{name, profile_kind::loop, sizes_of(indices), with, check_loop,
                    loop<Space, Indices, Function>{space, name, indices, f}});
  }
}

/// Indices of a scan or a selection: a number from zero, or a range.
template <class T>
concept line_space = std::integral<T> || std::is_same_v<T, range>;

/// The index space that a call names. Slices off the launch shape.
template <std::integral Number>
constexpr range as_indices(Number n) {
  return {0, static_cast<index_t>(n)};
}
constexpr const range& as_indices(const range& indices) { return indices; }
template <int Rank, bool FromZero>
constexpr const grid<Rank, FromZero>& as_indices(const grid<Rank, FromZero>& indices) {
  return indices;
}

/// The dimensions of an index space as written at a call.
template <class Indices>
inline constexpr int rank_of =
    std::remove_cvref_t<decltype(as_indices(std::declval<Indices>()))>::rank;

/// Throws extent_error if a call names more indices than an index_t holds.
template <class Indices>
void require_count([[maybe_unused]] const char* name, [[maybe_unused]] const Indices& n) {
  if constexpr (std::is_unsigned_v<Indices> && sizeof(Indices) >= sizeof(index_t)) {
    if (n > static_cast<Indices>(std::numeric_limits<index_t>::max()))
      throw extent_error(message(
          {name, ": ", n, " indices are more than 2^63 - 1 (a negative number as unsigned?)"}));
  }
}

/// The indices of a loop, with the launch shape if they have one.
template <class Indices>
constexpr decltype(auto) as_loop(const Indices& indices) {
  if constexpr (std::integral<Indices>) {
    return as_indices(indices);
  } else {
    return (indices);
  }
}

/// Runs the loop of parallel_for.
template <class Space, class Indices, class Function>
void loop_over(const Space& space, const Indices& indices, const Function& f) {
  run_loop(space, "parallel_for", as_loop(indices), f, operands<>(),
           [&] { require_count("parallel_for", indices); });
}

}  // namespace detail

/// The index spaces that a loop accepts: n, range{begin, end} and what its with_block() and
/// with_blocks() return, grid{ny, nx}, grid{nz, ny, nx}, a grid of ranges, or without_vectors() of
/// one of these.
template <class T>
concept index_space = detail::is_index_space<T>;

/// The default space with a label for the operations called on it.
///
///   tandem::parallel_for(tandem::named("advect"), n, f);
///   tandem::sort(space.named("particles"), keys);    // and of any other space
///
/// @param label  a string literal, or a string that outlives what profilers record. They, traces,
///               comparisons and reports of checked kernels call the operations by it; errors begin
///               with "label (operation): "
/// Complexity    constant: the result is a copy of the default space that shares its stream
inline default_space named(const char* label) { return detail::here().named(label); }

/// Calls f for every index of `indices`, in any order and at the same time.
///
/// @param indices    n for 0 .. n - 1, range{begin, end}, grid{ny, nx}, grid{nz, ny, nx} or a grid
///                   of ranges; 0 and range{begin, begin} call nothing. A range and a grid also
///                   take a launch shape: range{0, n}.with_block<256>(),
///                   grid{ny, nx}.with_block(8, 32); without_vectors(indices) keeps a CPU's loop
///                   scalar
/// @param f          f(i), f(j, i) or f(k, j, i), the last index fastest: a lambda (TANDEM_LAMBDA)
///                   or a function object, copied into the kernel, at most 32 KB. The type of its
///                   first parameter is the type of the indices, which convert to the others
/// @param arguments  follow the indices in the call, as in parallel_for(n, saxpy{}, a, x, y):
///                   values by copy; arrays, and containers of the host that own elements, as views
/// Errors            extent_error for a negative n or extent, if a range ends before it begins, or
///                   if an index does not fit its parameter of f; argument_error if a requested
///                   block exceeds what a device can run, on every space; device_error if the
///                   launch fails
/// Exceptions        what f throws on a CPU reaches the caller; to an extent_error, argument_error,
///                   kernel_error or requirement_error the kernel and the index are added
/// Complexity        one call of f per index. No scratch
/// Asynchronous on `space`.
template <execution_space Space, index_space Indices, class Function, class... Argument>
void parallel_for(const Space& space, const Indices& indices, const Function& f,
                  Argument&&... arguments) {
  static_assert(detail::compiles_loops<Space>,
                "tandem: loops of this backend over lambdas need this file compiled by the "
                "backend's own compiler (tandem_add_sources in CMake does so)");
  static_assert(!std::integral<Function>,
                "tandem: parallel_for: two numbers before f: write range{begin, end}");
  if constexpr (!std::integral<Function> && detail::check_kernel<Function, Space>()) {
    detail::loop_over(space, indices,
                      detail::bind_to_loop<Space, detail::rank_of<Indices>>(
                          f, std::forward<Argument>(arguments)...));
  }
}

/// Calls parallel_for(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { parallel_for(detail::here(), std::forward<Argument>(a)...); }
auto parallel_for(Argument&&... arguments) {
  return parallel_for(detail::here(), std::forward<Argument>(arguments)...);
}

}  // namespace tandem
