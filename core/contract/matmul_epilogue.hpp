// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/numbers/gelu.hpp>

#include <type_traits>

namespace tandem::detail {

/// a * b + c: rounded once, or modulo 2^32.
template <class Sum>
TANDEM_FUNCTION constexpr Sum multiply_add(Sum a, Sum b, Sum c) {
  if constexpr (std::is_integral_v<Sum>) {
    using Bits = std::make_unsigned_t<Sum>;
    return static_cast<Sum>(static_cast<Bits>(a) * static_cast<Bits>(b) + static_cast<Bits>(c));
  } else {
    return tandem::fma(a, b, c);
  }
}

/// a + b: rounded, or modulo 2^32.
template <class Sum>
TANDEM_FUNCTION constexpr Sum add_totals(Sum a, Sum b) {
  if constexpr (std::is_integral_v<Sum>) {
    return multiply_add(a, Sum{1}, b);
  } else {
    return a + b;
  }
}

/// Finishes an element from the total of its products: the last part of matmul's definition.
///
/// r = alpha * total; with beta != 0 r = fma(beta, c, r); with a bias r = r + bias; then the
/// activation. Sum is the accumulator type of matmul: float for half and bf16.
template <class Sum>
struct element_epilogue {
  Sum alpha = Sum{1};
  Sum beta = Sum{0};
  const Sum* bias = nullptr;  ///< null: none
  index_t bias_row = 0;       ///< elements of bias from one row of c to the next
  index_t bias_column = 0;
  matmul_activation activation = matmul_activation::none;

  /// Whether c is read: if beta == 0 it may be uninitialised.
  TANDEM_FUNCTION constexpr bool reads_c() const { return beta != Sum{0}; }

  /// Returns the finished element (row, column) of c, before rounding to c's type. `old` is the
  /// value of c, and ignored if beta is 0.
  TANDEM_FUNCTION Sum operator()(Sum total, Sum old, index_t row, index_t column) const {
    Sum r = product(alpha, total);
    if (reads_c()) r = multiply_add(beta, old, r);
    return finished(r, row, column);
  }

  /// Applies bias and activation to r = alpha * total + beta * c.
  TANDEM_FUNCTION Sum finished(Sum r, index_t row, index_t column) const {
    if (bias != nullptr) r = add_totals(r, bias[row * bias_row + column * bias_column]);
    return activated(r);
  }

  /// Whether finished() changes anything.
  TANDEM_FUNCTION constexpr bool has_epilogue() const {
    return bias != nullptr || activation != matmul_activation::none;
  }

 private:
  // Only the product: -0 * alpha keeps its sign, which adding a zero would lose.
  TANDEM_FUNCTION static constexpr Sum product(Sum a, Sum b) {
    if constexpr (std::is_integral_v<Sum>) {
      return multiply_add(a, b, Sum{0});
    } else {
      return a * b;
    }
  }
  /// Not inlined: kernels finish a hundred elements one after the other in unrolled code.
  [[gnu::noinline]] TANDEM_FUNCTION static Sum gelu_noinline(Sum x) { return gelu(x); }
  /// NaN stays NaN.
  TANDEM_FUNCTION Sum activated(Sum x) const {
    if (activation == matmul_activation::relu) return x < Sum{0} ? Sum{0} : x;
    if constexpr (std::is_floating_point_v<Sum>) {
      if (activation == matmul_activation::gelu) return gelu_noinline(x);
    }
    return x;
  }
};

/// Returns the epilogue of a problem's elements.
template <class T, class In>
TANDEM_FUNCTION constexpr element_epilogue<matmul_sum_t<T>> epilogue_of(
    const matmul_problem<T, In>& p) {
  return {p.alpha, p.beta, p.bias, p.bias_row, p.bias_column, p.activation};
}

}  // namespace tandem::detail
