// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/algorithms/generic/matmul.hpp>
#include <tandem/algorithms/matmul_checks.hpp>

#include <type_traits>

namespace tandem {

/// How matmul combines its product with c: c = alpha * a b + beta * c. beta = 0 does not read c.
template <class T>
struct matmul_options {
  T alpha = T{1};
  T beta = T{0};
  matmul_kernel kernel = matmul_kernel::automatic;
};

namespace detail {

/// Distance between the matrices of a batch; 0 for one matrix that serves all of them.
template <class View>
index_t batch_stride(const View& v) {
  return View::rank() == 3 ? v.stride(0) : 0;
}

/// The checked product as backends get it.
template <class A, class B, class C, class Scalar>
auto describe_matmul(const A& a, const B& b, const C& c, const matmul_options<Scalar>& options) {
  constexpr int ra = A::rank() - 2;
  constexpr int rb = B::rank() - 2;
  constexpr int rc = C::rank() - 2;
  matmul_problem<typename C::value_type, typename A::value_type> problem;
  problem.batch = rc == 1 ? c.extent(0) : 1;
  problem.m = c.extent(rc);
  problem.n = c.extent(rc + 1);
  problem.k = a.extent(ra + 1);
  problem.alpha = options.alpha;
  problem.beta = options.beta;
  problem.kernel = options.kernel;
  problem.a = a.data_handle();
  problem.a_batch = batch_stride(a);
  problem.a_row = a.stride(ra);
  problem.a_column = a.stride(ra + 1);
  problem.b = b.data_handle();
  problem.b_batch = batch_stride(b);
  problem.b_row = b.stride(rb);
  problem.b_column = b.stride(rb + 1);
  problem.c = c.data_handle();
  problem.c_batch = batch_stride(c);
  problem.c_row = c.stride(rc);
  problem.c_column = c.stride(rc + 1);
  return problem;
}

template <class Space, class A, class B, class C, class Scalar>
void run_matmul(const Space& space, const A& a, const B& b, const C& c,
                const matmul_options<Scalar>& options) {
  require_matmul_shapes(a, b, c);
  require_operand(space, "matmul", "a", a);
  require_operand(space, "matmul", "b", b);
  require_operand(space, "matmul", "c", c);
  require_distinct_elements(c);
  require(!shares_elements(a, c), "matmul", "c overlaps a");
  require(!shares_elements(b, c), "matmul", "c overlaps b");
  const auto problem = describe_matmul(a, b, c, options);
  if (c.empty()) return;
  if constexpr (requires { dispatch_matmul(space, problem); }) {
    dispatch_matmul(space, problem);
  } else {
    multiply_generically(space, problem);
  }
}

}  // namespace detail

/// c = alpha * a b + beta * c for matrices of float or double, and on the host also of half and
/// bf16, into a c of the same type or of floats, and of std::int8_t into a c of std::int32_t.
///
/// @param a        m x k, any layout and strides, also of const elements
/// @param b        k x n, likewise
/// @param c        m x n; its elements overlap neither each other nor a or b
/// @param options  {.alpha, .beta, .kernel}; alpha and beta are floats for half and bf16
/// Batches         rank-3 views are as many products, along the first dimension; with a rank-3 c, a
///                 rank-2 a or b serves every product
/// Agreement       the same bits on every backend: chains of 1024 fused multiply-adds in ascending
///                 k, added in order. An element's bits depend on its row of a, its column of b and
///                 c alone, not on m, n or the batch. half and bf16 are added up as floats, and
///                 a c of theirs is rounded once; integers are exact, modulo 2^32
/// Errors          extent_error when shapes differ; argument_error for null data, a c that
///                 overlaps, memory that the space cannot touch; out_of_memory_error for scratch.
///                 Nothing is written then
/// Asynchronous on `space`. 2 m n k operations; k = 0 leaves beta * c.
template <execution_space Space, class TA, int RankA, class LayoutA, class MemoryA, class TB,
          int RankB, class LayoutB, class MemoryB, class T, int Rank, class Layout, class Memory>
void matmul(const Space& space, const view<TA, RankA, LayoutA, MemoryA>& a,
            const view<TB, RankB, LayoutB, MemoryB>& b, const view<T, Rank, Layout, Memory>& c,
            const std::type_identity_t<matmul_options<detail::matmul_sum_t<T>>>& options = {}) {
  using A = view<const std::remove_cv_t<TA>, RankA, LayoutA, MemoryA>;
  using B = view<const std::remove_cv_t<TB>, RankB, LayoutB, MemoryB>;
  using C = view<T, Rank, Layout, Memory>;
  constexpr bool elements = detail::matmul_element_type<T>;
  constexpr bool fitting_elements = detail::elements_fit_c<A, B, C>;
  constexpr bool known_elements = detail::multiplies_elements<Space, std::remove_cv_t<TA>>;
  constexpr bool ranks =
      detail::matrices_for<C, C> && detail::matrices_for<A, C> && detail::matrices_for<B, C>;
  static_assert(elements,
                "tandem: matmul: the elements of c are float, double, half, bf16 or std::int32_t, "
                "and not const");
  static_assert(fitting_elements,
                "tandem: matmul: the elements of a, b and c do not fit: all of one "
                "type, half or bf16 into float, or std::int8_t into std::int32_t");
  static_assert(known_elements, "tandem: matmul: this space multiplies float and double alone");
  static_assert(ranks, "tandem: matmul: c has rank 2 or 3, a and b have rank 2 or that of c");
  static_assert(reaches<Space, MemoryA> && reaches<Space, MemoryB> && reaches<Space, Memory>,
                "tandem: matmul: the space cannot reach the memory of a, b or c");
  // One readable line is enough: what is wrong is not instantiated any further.
  if constexpr (elements && fitting_elements && known_elements && ranks)
    detail::run_matmul(space, A(a), B(b), c, options);
}

/// The same on the default space.
template <class TA, int RankA, class LayoutA, class MemoryA, class TB, int RankB, class LayoutB,
          class MemoryB, class T, int Rank, class Layout, class Memory>
void matmul(const view<TA, RankA, LayoutA, MemoryA>& a, const view<TB, RankB, LayoutB, MemoryB>& b,
            const view<T, Rank, Layout, Memory>& c,
            const std::type_identity_t<matmul_options<detail::matmul_sum_t<T>>>& options = {}) {
  matmul(default_instance<default_space>(), a, b, c, options);
}

}  // namespace tandem
