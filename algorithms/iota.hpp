// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/checks/narrowing.hpp>
#include <tandem/algorithms/parallel_for.hpp>
#include <tandem/core/numbers/half.hpp>

#include <cstdint>
#include <limits>
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

/// Reports in one line what iota cannot store in elements of type T.
template <class T, class First, class Step>
consteval void check_iota() {
  static_assert((std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) || std::is_same_v<T, half> ||
                    std::is_same_v<T, bf16>,
                "tandem: iota: the elements are integers or floating point");
  check_given<First, T>();
  check_given<Step, T>();
}

/// Throws unless the values of n elements, as numbers, are in the range of their type T. The step
/// need not be.
template <class T, class First, class Step>
void require_iota(index_t n, First first, Step step) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<First> && std::is_integral_v<Step>) {
    if (n == 0) return;
    require_holds<T>("iota", "first", first);
    if (step == Step{}) return;
    using limits = std::numeric_limits<T>;
    const auto bits = [](auto v) { return static_cast<std::uint64_t>(v); };
    const bool ascends = step > Step{};
    const std::uint64_t room =
        ascends ? bits(limits::max()) - bits(first) : bits(first) - bits(limits::min());
    const std::uint64_t fitting = room / (ascends ? bits(step) : 0 - bits(step));
    if (fitting >= static_cast<std::uint64_t>(n - 1)) return;
    throw argument_error(
        message({"iota: element ", fitting + 1, " of ", n, ", ", first, " + i * ", step,
                 ", is outside the range of x's type, ", limits::min(), " to ", limits::max()}));
  }
}

}  // namespace detail

/// x(i) = first + i * step: 0, 1, 2, .. by default, as std::iota and numpy.arange have it.
///
/// x            rank-1 operand, any stride, of integers or floating point, half and bf16 included.
///              Integers are exact; floating point is computed in double and then rounded to x's
///              type, so that errors do not add up
/// first, step  0 and 1 by default; integers if x's elements are. The step may be negative although
///              x's elements are unsigned
/// Errors       argument_error when x has no memory, or memory that the space cannot access, or
///              when two indices of x name one element; when the value of an element is an integer
///              outside the range of x's type
/// Agreement    the same bits on every backend
/// Complexity   writes x once. No scratch
/// Asynchronous on `space`.
template <execution_space Space, viewable X, class First = element_of<X>,
          class Step = element_of<X>>
void iota(const Space& space, X&& x, First first = First(0), Step step = Step(1)) {
  const auto to = as_view(std::forward<X>(x));
  using View = as_view_t<X>;
  using T = element_of<X>;
  detail::check_iota<T, First, Step>();
  static_assert(View::rank() == 1 && !std::is_const_v<typename View::element_type>,
                "tandem: iota: x has one dimension and its elements are not const");
  static_assert(detail::reaches<Space, View>, "tandem: iota: the space cannot reach x's memory");
  const T from = static_cast<T>(first);
  const T by = static_cast<T>(step);  // of integers modulo 2^bits, as they are added
  detail::run_loop(space, "iota", range(to.size()), detail::iota_store<View>{to, from, by},
                   detail::output{"x", to},
                   [&] { detail::require_iota<T>(to.size(), first, step); });
}

/// Calls iota(space, x, first, step) on the default space.
template <viewable X, class First = element_of<X>, class Step = element_of<X>>
  requires(!execution_space<X>)
void iota(X&& x, First first = First(0), Step step = Step(1)) {
  iota(detail::here(), std::forward<X>(x), first, step);
}

}  // namespace tandem
