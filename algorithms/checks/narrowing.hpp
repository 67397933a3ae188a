// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/numbers/narrowing.hpp>

#include <type_traits>

/// Preconditions on the types of values that an operation converts to the elements of an output.
/// docs/guide/views-and-memory.md states the rule.
namespace tandem::detail {

/// Reports in one line that values which an operation computes, of type From, narrow in elements or
/// accumulators of type To.
template <class From, class To>
consteval void check_stored() {
  constexpr bool fits = !narrows<From, To>;
  static_assert(fits,
                "tandem: narrowing: a result is stored in a type that does not hold all values of "
                "its own: give an output of its type, or cast in a function: return float(v)");
}

/// Likewise for what a function returns for these arguments, if it takes them. Returns whether it
/// fits.
template <class To, class Function, class... Argument>
consteval bool check_result_stored() {
  if constexpr (std::is_invocable_v<const Function&, Argument...>) {
    using Result = std::remove_cvref_t<std::invoke_result_t<const Function&, Argument...>>;
    check_stored<Result, To>();
    return !narrows<Result, To>;
  }
  return true;
}

/// Reports in one line that the type of a single value, which a caller gives, shows that integers
/// do not hold it. require_holds() judges the value of others.
template <class Value, class To>
consteval void check_given() {
  constexpr bool fits = !loses_fraction<Value, To>;
  static_assert(fits,
                "tandem: narrowing: a floating-point value is given for integers: cast it, as in "
                "int(value)");
}

}  // namespace tandem::detail
