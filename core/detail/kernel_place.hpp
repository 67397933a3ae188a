// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/errors.hpp>
#include <tandem/core/extents.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

/// Where a kernel of the host failed, which its operation adds to the message: the view, or
/// require_in_kernel, that throws knows neither kernel nor index.
namespace tandem::detail {

/// " (kernel NAME)": the type of a kernel as this compiler writes it.
template <class Kernel>
std::string kernel_note() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::string_view before = "Kernel = ";
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return "";
  std::string_view name = text.substr(begin + before.size());
  name = name.substr(0, name.find("; std::string"));  // g++ says what that stands for
  if (!name.empty() && name.back() == ']') name.remove_suffix(1);
  return " (kernel " + std::string(name) + ")";
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
    throw_with_place("lane " + std::to_string(i));
  }
}

template <class Function, class... Index>
[[noreturn]] void throw_with_indices(const char* operation, Index... index) {
  constexpr const char* names[] = {", k = ", ", j = ", ", i = "};
  const char* const* name = names + 3 - sizeof...(Index);
  std::string place = operation + kernel_note<Function>();
  ((place += *name++ + std::to_string(index)), ...);
  throw_with_place(place);
}

/// A loop's function as a backend of the host calls it: the iteration that throws is named.
template <class Function, class... Index>
struct placed_function {
  const char* operation;
  Function function;

  [[gnu::always_inline]] void operator()(Index... index) const {
    try {
      function(index...);
    } catch (const error&) {
      throw_with_indices<Function>(operation, index...);
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
      throw_with_place("parallel_teams" + kernel_note<Kernel>() + ", team " +
                       std::to_string(static_cast<index_t>(t.index())));
    }
  }
};

}  // namespace tandem::detail
