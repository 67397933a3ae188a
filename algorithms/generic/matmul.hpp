// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/array.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/matmul_problem.hpp>
#include <tandem/core/range.hpp>

/// Matmul in terms of a backend's required operations: what backends without a dispatch_matmul run,
/// and the plainest statement of what the others compute, bit for bit.
namespace tandem::detail {

/// Computes c[p, i, j].
template <class T>
struct matmul_element {
  matmul_problem<T> problem;

  TANDEM_FUNCTION void operator()(index_t p, index_t i, index_t j) const {
    const T* a = problem.a + p * problem.a_batch + i * problem.a_row;
    const T* b = problem.b + p * problem.b_batch + j * problem.b_column;
    T& c = problem.c[p * problem.c_batch + i * problem.c_row + j * problem.c_column];
    const T scaled = problem.alpha * total(a, b);
    // beta == 0 does not read c, which may be uninitialised.
    c = problem.beta != T{0} ? tandem::fma(problem.beta, c, scaled) : scaled;
  }

 private:
  /// Chunks of k added in ascending order. The first one is not added to a zero, which would turn
  /// -0 into +0.
  TANDEM_FUNCTION T total(const T* a, const T* b) const {
    T sum = chain(a, b, 0);
    for (index_t begin = matmul_chunk; begin < problem.k; begin += matmul_chunk)
      sum = sum + chain(a, b, begin);
    return sum;
  }

  /// The terms of one chunk: fused multiply-adds in ascending order from +0.
  TANDEM_FUNCTION T chain(const T* a, const T* b, index_t begin) const {
    const index_t end = problem.k - begin < matmul_chunk ? problem.k : begin + matmul_chunk;
    T x{0};
    for (index_t l = begin; l < end; ++l)
      x = tandem::fma(a[l * problem.a_column], b[l * problem.b_row], x);
    return x;
  }
};

/// Computes `problem` element by element, whatever its kernel option says.
template <class Space, class T>
void multiply_generically(const Space& space, const matmul_problem<T>& problem) {
  const grid<3> elements{problem.batch, problem.m, problem.n};
  if (elements.size() > 0) dispatch_for(space, "matmul", elements, matmul_element<T>{problem});
}

}  // namespace tandem::detail
