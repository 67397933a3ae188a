// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/lines.hpp>
#include <tandem/core/math.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace tandem {

namespace detail {

/// |x|: of half and bf16 as float, of integers in 64 bits, without the overflow of the lowest.
template <class View>
struct magnitude_term {
  View x;

  template <class... Index>
  TANDEM_FUNCTION constexpr auto operator()(Index... i) const {
    const typename View::value_type value = x(i...);
    if constexpr (std::is_unsigned_v<typename View::value_type>) {
      return static_cast<std::uint64_t>(value);
    } else if constexpr (std::is_integral_v<typename View::value_type>) {
      const auto wide = static_cast<std::uint64_t>(value);
      return value < 0 ? std::uint64_t{0} - wide : wide;
    } else if constexpr (std::is_arithmetic_v<typename View::value_type>) {
      return tandem::abs(value);
    } else {
      return tandem::abs(static_cast<float>(value));
    }
  }
};

/// (x * scale)^2 in double, which holds the square of a float exactly.
template <class View>
struct square_term {
  View x;
  double scale;

  template <class... Index>
  TANDEM_FUNCTION constexpr double operator()(Index... i) const {
    const double value = static_cast<double>(x(i...)) * scale;
    return value * value;
  }
};

/// Makes the magnitudes of an operand's elements.
struct make_magnitudes {
  template <class View>
  magnitude_term<View> operator()(const View& x) const {
    return {x};
  }
};

/// Makes the squares of an operand's elements, each multiplied by `scale` before.
struct make_squares {
  double scale;

  template <class View>
  square_term<View> operator()(const View& x) const {
    return {x, scale};
  }
};

/// What the norm of elements T is given as: double for double and integers, float for others.
template <class T>
using norm_type =
    std::conditional_t<std::is_same_v<T, double> || std::is_integral_v<T>, double, float>;

/// The norm of elements T, of which `sum_of_squares(scale)` returns the sum of their squares when
/// they are multiplied by a power of two.
template <class T, class SumOfSquares>
norm_type<T> norm_of_squares(const SumOfSquares& sum_of_squares) {
  const double squares = sum_of_squares(1);
  if constexpr (std::is_same_v<T, double>) {
    constexpr double up = 0x1p600;  // 2^-1074 * up has a normal square, and so has 2^1024 / up
    constexpr double smallest = 0x1p-970;  // from here on, what underflows is below the last digit
    if (squares <= smallest) return tandem::sqrt(sum_of_squares(up)) / up;
    if (squares > std::numeric_limits<double>::max())
      return tandem::sqrt(sum_of_squares(1 / up)) * up;
  }
  return static_cast<norm_type<T>>(tandem::sqrt(squares));
}

/// The operand of a norm.
template <class Space, class X>
auto norm_operand(const X& x) {
  static_assert(reaches<Space, X>, "tandem: a norm: the space cannot reach the memory of x");
  return read_only(x);
}

}  // namespace detail

/// Sum of |x(i...)| over all elements, as BLAS's asum: 0 for an empty x; NaN if any element is NaN.
///
/// x           view, array or container of any rank and layout
/// Returns     the type of x's elements, float for half and bf16, std::uint64_t for integers
/// Errors      argument_error when x has no memory, or memory that the space cannot access
/// Agreement   the same bits on every backend: the reproducible sum, in row-major order
/// Complexity  reads x once. Scratch as for parallel_reduce
/// Blocks until the result is available.
template <execution_space Space, viewable X>
auto asum(const Space& space, X&& x) {
  const auto v = detail::norm_operand<Space>(as_view(std::forward<X>(x)));
  return detail::reduce_elements(space, "asum", sum{}, detail::make_magnitudes{}, v);
}

/// Largest |x(i...)|, the maximum norm: 0 of no elements, NaN if any element is NaN.
///
/// x           view, array or container of any rank and layout
/// Returns     the type of x's elements, float for half and bf16, std::uint64_t for integers
/// Errors      argument_error when x has no memory, or memory that the space cannot access
/// Agreement   the same bits on every backend
/// Complexity  reads x once. Scratch as for parallel_reduce
/// Blocks until the result is available.
template <execution_space Space, viewable X>
auto nrm_inf(const Space& space, X&& x) {
  const auto v = detail::norm_operand<Space>(as_view(std::forward<X>(x)));
  const auto largest = [&] {
    return detail::reduce_elements(space, "nrm_inf", maximum{}, detail::make_magnitudes{}, v);
  };
  return v.empty() ? decltype(largest()){0} : largest();
}

/// Square root of the sum of squares of the elements, the Euclidean norm: 0 of no elements.
///
/// The squares are summed in double, in the reduction order of docs/numerics.md. If elements of
/// double are so large or small that squares overflow, or lose digits to underflow, they are scaled
/// by a power of two and summed again: the norm is accurate whenever it can be represented.
/// x           view, array or container of any rank and layout
/// Returns     double for elements of double and integers, float for float, half and bf16
/// Errors      those of asum
/// Agreement   the same bits on every backend
/// Complexity  reads x once, or twice if it has to scale. Scratch as for parallel_reduce
/// Blocks until the result is available.
template <execution_space Space, viewable X>
auto norm2(const Space& space, X&& x) {
  const auto v = detail::norm_operand<Space>(as_view(std::forward<X>(x)));
  return detail::norm_of_squares<element_of<X>>([&](double scale) {
    return detail::reduce_elements(space, "norm2", sum{}, detail::make_squares{scale}, v);
  });
}

/// Calls asum(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { asum(detail::here(), std::forward<Argument>(a)...); }
auto asum(Argument&&... arguments) {
  return asum(detail::here(), std::forward<Argument>(arguments)...);
}

/// Calls nrm_inf(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { nrm_inf(detail::here(), std::forward<Argument>(a)...); }
auto nrm_inf(Argument&&... arguments) {
  return nrm_inf(detail::here(), std::forward<Argument>(arguments)...);
}

/// Calls norm2(space, ...) on the default space.
template <detail::not_a_space... Argument>
  requires requires(Argument&&... a) { norm2(detail::here(), std::forward<Argument>(a)...); }
auto norm2(Argument&&... arguments) {
  return norm2(detail::here(), std::forward<Argument>(arguments)...);
}

}  // namespace tandem
