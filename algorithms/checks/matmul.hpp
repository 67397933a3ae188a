// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/detail/run.hpp>
#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/contract/matmul_types.hpp>

#include <concepts>
#include <type_traits>

/// Preconditions of matmul().
namespace tandem::detail {

/// Element types of c.
template <class T>
concept matmul_element_type = matmul_products::has_result<T>;

/// Element types of a and b that matmul multiplies into a c of elements T.
template <class In, class T>
concept multiplies_into = matmul_products::has<In, T>;

/// Operands whose element types match that of c.
template <class A, class B, class C>
concept elements_fit_c = std::same_as<typename A::value_type, typename B::value_type> &&
                         multiplies_into<typename A::value_type, typename C::value_type>;

/// A function object that matmul can call on its finished elements.
template <class Function, class T>
concept finishes_elements = std::is_invocable_v<const Function&, T> ||
                            std::is_invocable_v<const Function&, index_t, index_t, T>;

/// A matrix, or a batch of matrices if the result is one too.
template <class A, class C>
concept matrices_for = (A::rank() == 2 || A::rank() == 3) && A::rank() <= C::rank();

/// Throws unless the shapes match.
template <class A, class B, class C>
void require_matmul_shapes(const A& a, const B& b, const C& c) {
  // The last two dimensions are the matrix.
  constexpr int ra = A::rank() - 2;
  constexpr int rb = B::rank() - 2;
  constexpr int rc = C::rank() - 2;
  require_equal("matmul", "columns of a", a.extent(ra + 1), "rows of b", b.extent(rb));
  require_equal("matmul", "rows of c", c.extent(rc), "rows of a", a.extent(ra));
  require_equal("matmul", "columns of c", c.extent(rc + 1), "columns of b", b.extent(rb + 1));
  if constexpr (ra == 1)
    require_equal("matmul", "matrices of a", a.extent(0), "matrices of c", c.extent(0));
  if constexpr (rb == 1)
    require_equal("matmul", "matrices of b", b.extent(0), "matrices of c", c.extent(0));
}

/// Throws unless the epilogue matches c. The bias is read while c is written, so they must not
/// overlap.
template <class Space, class C, class Epilogue>
void require_epilogue(const Space& space, const C& c, const Epilogue& epilogue) {
  require(
      epilogue.activation != matmul_activation::gelu || !std::is_integral_v<typename C::value_type>,
      "matmul", "gelu of integers");
  if (!epilogue.bias) return;
  require_equal("matmul", "elements of bias", epilogue.bias->extent(0), "columns of c",
                c.extent(C::rank() - 1));
  require_operand(space, "matmul", "bias", *epilogue.bias);
  require(!overlaps(*epilogue.bias, c), "matmul", "c overlaps the bias");
}

}  // namespace tandem::detail
