// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/parallel_for.hpp>
#include <tandem/core/numbers/half.hpp>

#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// x(i) = first + i * step.
template <class View>
struct iota_store {
  using T = typename View::value_type;
  View x;
  T first;
  T step;

  TANDEM_FUNCTION void operator()(index_t i) const {
    if constexpr (std::is_integral_v<T>) {
      using Bits = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
      x(i) =
          static_cast<T>(static_cast<Bits>(first) + static_cast<Bits>(i) * static_cast<Bits>(step));
    } else {
      using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
      const double steps = static_cast<double>(i) * static_cast<double>(step);
      x(i) = static_cast<T>(static_cast<Real>(static_cast<double>(first) + steps));
    }
  }
};

}  // namespace detail

/// x(i) = first + i * step: 0, 1, 2, .. by default, as std::iota and numpy.arange have it.
///
/// x            rank-1 operand, any stride, of integers or floating point, half and bf16 included.
///              Integers are computed modulo 2^bits, floating point in double and then rounded to
///              x's type, so that errors do not add up
/// first, step  values of x's type of elements; 0 and 1 by default
/// Errors       argument_error when x has no memory, or memory that the space cannot access, or
///              when two indices of x name one element
/// Agreement    the same bits on every backend
/// Complexity   writes x once. No scratch
/// Asynchronous on `space`.
template <execution_space Space, viewable X>
void iota(const Space& space, X&& x, std::type_identity_t<element_of<X>> first = element_of<X>(0),
          std::type_identity_t<element_of<X>> step = element_of<X>(1)) {
  const auto to = as_view(std::forward<X>(x));
  using View = as_view_t<X>;
  using T = element_of<X>;
  static_assert((std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) || std::is_same_v<T, half> ||
                    std::is_same_v<T, bf16>,
                "tandem: iota: the elements are integers or floating point");
  static_assert(View::rank() == 1 && !std::is_const_v<typename View::element_type>,
                "tandem: iota: x has one dimension and its elements are not const");
  static_assert(detail::reaches<Space, View>, "tandem: iota: the space cannot reach x's memory");
  detail::run_loop(space, "iota", range(to.size()), detail::iota_store<View>{to, first, step},
                   detail::output{"x", to});
}

/// Calls iota(space, x, first, step) on the default space.
template <viewable X>
void iota(X&& x, std::type_identity_t<element_of<X>> first = element_of<X>(0),
          std::type_identity_t<element_of<X>> step = element_of<X>(1)) {
  iota(detail::here(), std::forward<X>(x), first, step);
}

}  // namespace tandem
