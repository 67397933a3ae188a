// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>
#include <tandem/core/extents.hpp>
#include <tandem/core/kernel/function.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#if TANDEM_CHECKED > 1
#include <tandem/core/kernel/checked.hpp>
#endif

namespace tandem::host {

/// Throws the error of a kernel. The checked runtime first reports it like its findings, and adds
/// the kernel, the lane and the line; in other builds the operation adds what it knows
/// (throw_with_place).
///
/// kind  one or two words for tools: "out of range", "nested"
template <class Error>
[[noreturn]] void fail_in_kernel([[maybe_unused]] const char* kind, const std::string& what,
                                 [[maybe_unused]] const char* hint) {
#if TANDEM_CHECKED > 1
  throw Error(checked::failure(kind, what, hint));
#else
  throw Error(what);
#endif
}

}  // namespace tandem::host

/// Finds where a host kernel failed, for the operation's error message: the view, or
/// require_in_kernel, that throws knows neither kernel nor index.
namespace tandem::detail {

/// Returns the compiler's name of a function whose template parameter is Kernel.
template <class Kernel>
const char* name_kernel() {
  return __PRETTY_FUNCTION__;
}

/// Returns " (kernel NAME)" from the result of name_kernel(); nothing if the kernel is of the
/// library.
std::string kernel_note(const char* named);

/// Rethrows the exception that is being handled. If it is one of tandem's errors about kernels
/// (extent_error, argument_error, kernel_error, requirement_error), "; in PLACE" is added.
[[noreturn]] void throw_with_place(const std::string& place);

/// Calls f(i) for 0 <= i < count, the lanes or items of a phase. An error names the one that threw,
/// and an error that the kernel catches leaves no lane's name behind.
template <class Index, class Function>
void call_lanes(Index count, const Function& f) {
  Index i = 0;
  try {
    for (; i < count; ++i) f(i);
  } catch (const error&) {
    throw_with_place(message({"lane ", i}));
  }
}

/// Calls throw_with_place for an iteration of the kernel with name_kernel() == `named`.
[[noreturn]] void throw_with_indices(const char* operation, const char* named,
                                     std::initializer_list<index_t> indices);

/// Calls throw_with_place for a team of the kernel.
[[noreturn]] void throw_with_team(const char* named, index_t team);

/// Names the function of the user that a kernel of the library calls for it, as `user_function`.
template <class Kernel>
const char* name_user_function() {
  if constexpr (requires { typename Kernel::user_function; }) {
    return name_user_function<typename Kernel::user_function>();
  } else {
    return name_kernel<Kernel>();
  }
}

/// Returns " (kernel NAME)": the type of a kernel, or of the user's function that it calls, as
/// this compiler writes it.
template <class Kernel>
std::string kernel_note() {
  return kernel_note(name_user_function<Kernel>());
}

/// A function of a loop or of terms as a host backend calls it: errors name the iteration that
/// throws.
template <class Function, class... Index>
struct placed_function {
  const char* operation;
  Function function;

  [[gnu::always_inline]] auto operator()(Index... index) const
      -> std::invoke_result_t<const Function&, Index...> {
    return call(std::index_sequence_for<Index...>(), index...);
  }

 private:
  template <std::size_t... D>
  [[gnu::always_inline]] auto call(std::index_sequence<D...>, Index... index) const
      -> std::invoke_result_t<const Function&, Index...> {
    try {
      return function(as_parameter<Function, D>(index)...);
    } catch (const error&) {
      throw_with_indices(operation, name_user_function<Function>(),
                         {static_cast<index_t>(index)...});
    }
  }
};

/// Makes the placed function of a loop with one index of type Index per D.
template <class Index, class Function, std::size_t... D>
auto place_function(const char* operation, const Function& f, std::index_sequence<D...>) {
  return placed_function<Function, decltype(D, Index{})...>{operation, f};
}

/// The number by which errors call a team: its own, or that of the team which the kernel makes of
/// it.
template <class Kernel, class Team>
index_t number_of_team(const Kernel& kernel, const Team& t) {
  if constexpr (requires { kernel.number_of(t); }) {
    return kernel.number_of(t);
  } else {
    return t.index();
  }
}

/// A kernel of teams as a host backend calls it.
template <class Team, class Kernel>
struct placed_kernel {
  Kernel kernel;

  void operator()(Team& t) const {
    try {
      kernel(t);
    } catch (const error&) {
      throw_with_team(name_user_function<Kernel>(), number_of_team(kernel, t));
    }
  }
};

}  // namespace tandem::detail
