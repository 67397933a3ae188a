// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/hooks.hpp>

#include <concepts>
#include <cstdint>

namespace tandem {

class half;
class bf16;

namespace detail {

/// A product: its elements of c, its elements of a and b, and the hook that multiplies them.
template <class C, class Operand, hook Hook>
struct matmul_types {
  template <class T>
  static constexpr bool has_result = std::same_as<T, C>;
  template <class In>
  static constexpr bool has_operand = std::same_as<In, Operand>;
  static constexpr hook by = Hook;

  /// Whether predicate<C, Operand>() holds.
  template <class Predicate>
  static consteval bool satisfies(Predicate predicate) {
    return predicate.template operator()<C, Operand>();
  }
};

/// A list of products.
template <class... Product>
struct matmul_list {
  /// Whether a product has results of type T.
  template <class T>
  static constexpr bool has_result = (Product::template has_result<T> || ...);

  /// Whether a product multiplies operands of type In into results of type T.
  template <class In, class T>
  static constexpr bool has =
      ((Product::template has_result<T> && Product::template has_operand<In>) || ...);

  /// The hook for operands of type In, which is the same for all results.
  template <class In>
  static consteval hook hook_for() {
    hook found = hook::matmul;
    ((Product::template has_operand<In> ? void(found = Product::by) : void()), ...);
    return found;
  }

  /// Whether predicate<C, Operand>() holds for all products of a hook.
  template <class Predicate>
  static consteval bool all_of(hook which, Predicate predicate) {
    return ((Product::by != which || Product::satisfies(predicate)) && ...);
  }
};

/// Every product that matmul() computes. A backend that has a hook multiplies all types that the
/// list has for it; docs/adding-an-element-type.md says what a new line needs.
using matmul_products = matmul_list<
    matmul_types<float, float, hook::matmul>, matmul_types<double, double, hook::matmul>,
    matmul_types<float, half, hook::matmul_16bit>, matmul_types<float, bf16, hook::matmul_16bit>,
    matmul_types<half, half, hook::matmul_16bit>, matmul_types<bf16, bf16, hook::matmul_16bit>,
    matmul_types<std::int32_t, std::int8_t, hook::matmul_int8>>;

}  // namespace detail
}  // namespace tandem
