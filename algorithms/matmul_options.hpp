// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/view/viewable.hpp>
#include <tandem/default_space.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace tandem {

/// What becomes of an element of alpha * a b + beta * c before it is stored: the bias is added,
/// then the activation applied. All of it happens in what matmul adds up in, so a c of half or bf16
/// is rounded once, behind it.
///
/// T       what matmul adds up in: the elements of c, and float for those of half and bf16
/// Memory  that of the space
///
/// Written as `.epilogue = tandem::bias(v)`, `tandem::bias(v, matmul_activation::relu)`, or
/// `{.activation = matmul_activation::gelu}`.
template <class T, class Memory>
struct matmul_epilogue {
  /// One element a column of c, added to each row of each product; any stride.
  std::optional<view<const T, 1, layout_stride, Memory>> bias = std::nullopt;
  matmul_activation activation = matmul_activation::none;

  /// Converts to the epilogue of a space that can access these elements: one in pinned memory
  /// serves a host and a device.
  template <class Sum, class Other>
  // NOLINTNEXTLINE(google-explicit-constructor): the same epilogue, for where the product runs.
  constexpr operator matmul_epilogue<Sum, Other>() const {
    constexpr bool reached = memory_convertible<Memory, Other>;
    constexpr bool added = std::is_same_v<T, Sum>;
    static_assert(reached, "tandem: matmul: the space cannot reach the memory of the bias");
    static_assert(added,
                  "tandem: matmul: a bias has elements of c's type, float for half and bf16");
    matmul_epilogue<Sum, Other> result{.activation = activation};
    if constexpr (reached && added) result.bias = bias;
    return result;
  }
};

/// An epilogue that adds v(j) to column j of c, and then applies `activation`.
///
/// @param v           as many elements as c has columns, of c's type or, for half and bf16, floats;
///                    any stride; in memory that the space reaches; it must not overlap c
/// @param activation  matmul_activation::none, relu or gelu, applied to the sum
/// Complexity         constant: matmul reads v
template <viewable V>
matmul_epilogue<element_of<V>, typename as_view_t<V>::memory_type> bias(
    V&& v, matmul_activation activation = matmul_activation::none) {
  static_assert(as_view_t<V>::rank() == 1, "tandem: matmul: a bias has one dimension");
  return {.bias = as_view(std::forward<V>(v)), .activation = activation};
}

/// How matmul combines its product with c: c = alpha * a b + beta * c, finished by the epilogue.
/// beta = 0 does not read c.
///
/// `precision` is for floats alone; elements of other types are multiplied in one way only.
template <class T, class Memory = default_space::memory_type>
struct matmul_options {
  T alpha = T{1};
  T beta = T{0};
  matmul_precision precision = matmul_precision::full;
  matmul_epilogue<T, Memory> epilogue = {};
  matmul_kernel kernel = matmul_kernel::automatic;
};

}  // namespace tandem
