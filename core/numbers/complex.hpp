// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/math.hpp>
#include <tandem/core/numbers/wide_double.hpp>

#include <concepts>
#include <type_traits>

namespace tandem {

template <std::floating_point T>
class complex;

namespace detail {

template <class C>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<complex<T>> = true;

/// The interface of std::complex<T> and the complex types of device libraries.
template <class C, class T>
concept complex_like = !is_complex<C> && std::same_as<typename C::value_type, T> &&
                       std::constructible_from<C, T, T> && requires(const C& z) {
                         { z.real() } -> std::convertible_to<T>;
                         { z.imag() } -> std::convertible_to<T>;
                       };

template <class C>
inline constexpr bool is_any_complex = is_complex<C>;
template <class C>
  requires complex_like<C, typename C::value_type>
inline constexpr bool is_any_complex<C> = true;

}  // namespace detail

/// A complex number for kernels, with the same bits on every backend. It has the layout of
/// std::complex<T> and converts to and from it.
///
/// Files compiled by the host compiler may use std::complex as an element. nvcc refuses its
/// operators in kernels, or drops them silently with --expt-relaxed-constexpr, because the standard
/// library implements them with builtins of the host compiler.
///
/// Each operation is a sequence of rounded operations of T: a product is (a c - b d, a d + b c).
/// Infinities are not recovered as C's Annex G requires: results may have parts (inf, nan), and a
/// finite number divided by an infinite one has NaN parts for float, zeros for double.
///
/// @tparam T  float or double
template <std::floating_point T>
class complex {
 public:
  using value_type = T;

  complex() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): every real number is complex.
  TANDEM_FUNCTION constexpr complex(T real, T imag = T{0}) : real_(real), imag_(imag) {}
  /// Converts from another precision, with rounding.
  template <std::floating_point U>
    requires(!std::same_as<U, T>)
  TANDEM_FUNCTION constexpr explicit complex(complex<U> z)
      : real_(static_cast<T>(z.real())), imag_(static_cast<T>(z.imag())) {}
  /// Converts from std::complex<T> without loss.
  template <detail::complex_like<T> C>
  // NOLINTNEXTLINE(google-explicit-constructor): it is the same number.
  constexpr complex(const C& z) : real_(z.real()), imag_(z.imag()) {}
  /// Converts to std::complex<T> without loss.
  template <detail::complex_like<T> C>
  // NOLINTNEXTLINE(google-explicit-constructor): it is the same number.
  constexpr operator C() const {
    return C(real_, imag_);
  }

  TANDEM_FUNCTION constexpr T real() const { return real_; }
  TANDEM_FUNCTION constexpr T imag() const { return imag_; }

  TANDEM_FUNCTION constexpr complex& operator+=(complex b) { return *this = *this + b; }
  TANDEM_FUNCTION constexpr complex& operator-=(complex b) { return *this = *this - b; }
  TANDEM_FUNCTION constexpr complex& operator*=(complex b) { return *this = *this * b; }
  TANDEM_FUNCTION constexpr complex& operator/=(complex b) { return *this = *this / b; }

  TANDEM_FUNCTION friend constexpr complex operator+(complex a) { return a; }
  TANDEM_FUNCTION friend constexpr complex operator-(complex a) { return {-a.real_, -a.imag_}; }
  TANDEM_FUNCTION friend constexpr complex operator+(complex a, complex b) {
    return {a.real_ + b.real_, a.imag_ + b.imag_};
  }
  TANDEM_FUNCTION friend constexpr complex operator-(complex a, complex b) {
    return {a.real_ - b.real_, a.imag_ - b.imag_};
  }
  TANDEM_FUNCTION friend constexpr complex operator*(complex a, complex b) {
    return {a.real_ * b.real_ - a.imag_ * b.imag_, a.real_ * b.imag_ + a.imag_ * b.real_};
  }
  TANDEM_FUNCTION friend constexpr complex operator*(complex a, T b) {
    return {a.real_ * b, a.imag_ * b};
  }
  TANDEM_FUNCTION friend constexpr complex operator*(T a, complex b) { return b * a; }
  TANDEM_FUNCTION friend constexpr complex operator/(complex a, T b) {
    return {a.real_ / b, a.imag_ / b};
  }
  /// Floats are divided in double, so that squares neither overflow nor underflow. Doubles are
  /// scaled by the divisor's larger part (Smith, "Algorithm 116: Complex division", CACM 1962); no
  /// step overflows or underflows but the rounding of the result.
  TANDEM_FUNCTION friend constexpr complex operator/(complex a, complex b) {
    if constexpr (std::is_same_v<T, float>) {
      const double x = a.real_;
      const double y = a.imag_;
      const double c = b.real_;
      const double d = b.imag_;
      const double n = c * c + d * d;
      return {static_cast<T>((x * c + y * d) / n), static_cast<T>((y * c - x * d) / n)};
    } else {
      // If the divisor's imaginary part is the larger one, both operands are divided by i.
      const bool swapped = tandem::abs(b.real_) < tandem::abs(b.imag_);
      const T major_part = swapped ? b.imag_ : b.real_;
      const T minor_part = swapped ? -b.real_ : b.imag_;
      const T along = swapped ? a.imag_ : a.real_;
      const T across = swapped ? -a.real_ : a.imag_;
      if (is_moderate(along) && is_moderate(across) && is_moderate(major_part) &&
          is_moderate(minor_part)) {
        return divide_by_smith(along, across, major_part, minor_part);
      }
      using wide = detail::wide_double;
      return divide_by_smith(wide(along), wide(across), wide(major_part), wide(minor_part));
    }
  }
  TANDEM_FUNCTION friend constexpr bool operator==(complex a, complex b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }

 private:
  /// Whether all of Smith's steps stay within the range of doubles. The smallest is a product of a
  /// part with the ratio of two.
  TANDEM_FUNCTION static constexpr bool is_moderate(T part) {
    const T size = tandem::abs(part);
    return size == 0 || (size >= T(0x1p-340) && size <= T(0x1p340));
  }

  TANDEM_FUNCTION static constexpr double to_double(double x) { return x; }
  TANDEM_FUNCTION static constexpr double to_double(detail::wide_double x) { return x.to_double(); }

  /// (along + across i) / (major_part + minor_part i) for |minor_part| <= |major_part|.
  template <class Number>
  TANDEM_FUNCTION static constexpr complex divide_by_smith(Number along, Number across,
                                                           Number major_part, Number minor_part) {
    const Number ratio = minor_part / major_part;
    const Number sum = major_part + minor_part * ratio;
    return {to_double((along + across * ratio) / sum),
            to_double((across + -(along * ratio)) / sum)};
  }

  T real_;
  T imag_;
};

static_assert(std::is_trivially_copyable_v<complex<float>> && sizeof(complex<float>) == 8);
static_assert(std::is_trivially_copyable_v<complex<double>> && sizeof(complex<double>) == 16);

/// a - b i for z = a + b i.
template <std::floating_point T>
TANDEM_FUNCTION constexpr complex<T> conj(complex<T> z) {
  return {z.real(), -z.imag()};
}

/// The square of |z|: a a + b b.
template <std::floating_point T>
TANDEM_FUNCTION constexpr T norm(complex<T> z) {
  return z.real() * z.real() + z.imag() * z.imag();
}

/// |z| without intermediate overflow or underflow: floats are computed in double, doubles as the
/// larger part times sqrt(1 + r r), where r is the ratio of the smaller part to it. Infinite if a
/// part is infinite, even if the other one is NaN (C11, G.6).
template <std::floating_point T>
TANDEM_FUNCTION constexpr T abs(complex<T> z) {
  constexpr T infinity = detail::infinity_of<T>;
  const T real = tandem::abs(z.real());
  const T imag = tandem::abs(z.imag());
  if (real == infinity || imag == infinity) return infinity;
  if constexpr (std::is_same_v<T, float>) {
    const double a = real;
    const double b = imag;
    return static_cast<T>(tandem::sqrt(a * a + b * b));
  } else {
    const T greater = tandem::max(real, imag);
    const T lesser = tandem::min(real, imag);
    if (greater == lesser) return greater * tandem::sqrt(T{2});  // also zeros
    const T r = lesser / greater;
    return greater * tandem::sqrt(T{1} + r * r);
  }
}

}  // namespace tandem
