// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/narrowing.hpp>
#include <tandem/algorithms/detail/run.hpp>

#include <type_traits>
#include <utility>

namespace tandem {

/// Sets every element of x to `value`.
///
/// @param x      operand of any rank and layout, of trivially copyable elements of 1 to 16 bytes
/// @param value  converted to x's type of elements; not floating point for integers
/// Errors        argument_error when x has elements but no memory, or when they are integers whose
///               range does not include the value
/// Complexity    writes x once. No scratch
/// Asynchronous on `space`.
template <execution_space Space, viewable Destination, class Value = element_of<Destination>>
  requires detail::storable<const Value&, element_of<Destination>>
void fill(const Space& space, Destination&& x, const Value& value) {
  const auto to = as_view(std::forward<Destination>(x));
  using View = std::remove_const_t<decltype(to)>;
  static_assert(detail::reaches<Space, View>,
                "tandem: fill: the space cannot reach the view's memory");
  static_assert(!std::is_const_v<typename View::element_type>,
                "tandem: fill: the elements are const");
  detail::check_given<Value, typename View::value_type>();
  static_assert(sizeof(typename View::value_type) <= 16,
                "tandem: fill sets elements of at most 16 bytes; use parallel_for for larger ones");
  const auto check = [&] {
    if (!to.empty()) detail::require_holds<typename View::value_type>("fill", "value", value);
    return !to.empty();
  };
  detail::run(space, detail::call{"fill", detail::profile_kind::region, detail::sizes_of(to),
                                  detail::overwritten{"x", to}, check, [&] {
                                    const auto element = static_cast<typename View::value_type>(
                                        detail::as_stored<typename View::value_type>(value));
                                    dispatch_fill(space, detail::make_fill_problem(to, element));
                                  }});
}

/// Calls fill(space, x, value) on the default space.
template <viewable Destination, class Value = element_of<Destination>>
  requires detail::storable<const Value&, element_of<Destination>>
void fill(Destination&& x, const Value& value) {
  fill(detail::here(), std::forward<Destination>(x), value);
}

}  // namespace tandem
