// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#if TANDEM_CHECKED > 1
#include <tandem/core/kernel/checked.hpp>
#endif

namespace tandem::host {

/// Throws what a kernel did wrong. The checked runtime reports it first, as it does what it finds
/// itself, and adds the kernel, the lane and the line; elsewhere the operation adds what it knows
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

/// Where a kernel of the host failed, which its operation adds to the message: the view, or
/// require_in_kernel, that throws knows neither kernel nor index.
namespace tandem::detail {

/// What a compiler writes of a function whose template parameter is Kernel.
template <class Kernel>
const char* name_kernel() {
  return __PRETTY_FUNCTION__;
}

/// " (kernel NAME)", from what name_kernel() returns.
std::string kernel_note(const char* named);

/// " (kernel NAME)": the type of a kernel as this compiler writes it.
template <class Kernel>
std::string kernel_note() {
  return kernel_note(name_kernel<Kernel>());
}

/// Throws the exception that is being handled again. Where it is one of tandem's own about a kernel
/// (extent_error, argument_error, kernel_error, requirement_error), "; in PLACE" is added.
[[noreturn]] void throw_with_place(const std::string& place);

/// Calls f(i) for 0 <= i < count, which are a phase's lanes or items. The one that throws is named
/// in its error, so that an error that the kernel catches names no lane of a later one.
template <class Index, class Function>
void call_lanes(Index count, const Function& f) {
  Index i = 0;
  try {
    for (; i < count; ++i) f(i);
  } catch (const error&) {
    throw_with_place(message({"lane ", i}));
  }
}

/// Calls throw_with_place for an iteration of the kernel that name_kernel() returned `named` for.
[[noreturn]] void throw_with_indices(const char* operation, const char* named,
                                     std::initializer_list<index_t> indices);

/// Calls throw_with_place for a team of the kernel.
[[noreturn]] void throw_with_team(const char* named, index_t team);

/// A loop's function as a backend of the host calls it: the iteration that throws is named.
template <class Function, class... Index>
struct placed_function {
  const char* operation;
  Function function;

  [[gnu::always_inline]] void operator()(Index... index) const {
    try {
      function(index...);
    } catch (const error&) {
      throw_with_indices(operation, name_kernel<Function>(), {static_cast<index_t>(index)...});
    }
  }
};

/// Makes the placed function of a loop with one index of type Index per D.
template <class Index, class Function, std::size_t... D>
auto place_function(const char* operation, const Function& f, std::index_sequence<D...>) {
  return placed_function<Function, decltype(D, Index{})...>{operation, f};
}

/// A kernel of teams as a backend of the host calls it.
template <class Team, class Kernel>
struct placed_kernel {
  Kernel kernel;

  void operator()(Team& t) const {
    try {
      kernel(t);
    } catch (const error&) {
      throw_with_team(name_kernel<Kernel>(), static_cast<index_t>(t.index()));
    }
  }
};

}  // namespace tandem::detail
