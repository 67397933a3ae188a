// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/array.hpp>
#include <tandem/core/contract/matmul_epilogue.hpp>
#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/range.hpp>

#include <type_traits>

/// Matmul built on a backend's required operations. Backends without a dispatch_matmul run it, and
/// it is the simplest specification of the results of the others, bit for bit.
namespace tandem::detail {

/// Converts x to matmul's accumulator type.
template <class Sum, class In>
TANDEM_FUNCTION constexpr Sum widened(In x) {
  return static_cast<Sum>(x);
}

/// Computes c[p, i, j].
template <class T, class In>
struct matmul_element {
  using Sum = matmul_sum_t<T>;
  matmul_problem<T, In> problem;

  TANDEM_FUNCTION void operator()(index_t p, index_t i, index_t j) const {
    const In* a = problem.a + p * problem.a_batch + i * problem.a_row;
    const In* b = problem.b + p * problem.b_batch + j * problem.b_column;
    T& c = problem.c[p * problem.c_batch + i * problem.c_row + j * problem.c_column];
    const element_epilogue<Sum> finish = epilogue_of(problem);
    const Sum old = finish.reads_c() ? widened<Sum>(c) : Sum{0};
    c = static_cast<T>(finish(total(a, b), old, i, j));
  }

 private:
  /// Adds chunks of k in ascending order. The first one is not added to zero, which would turn -0
  /// into +0.
  TANDEM_FUNCTION Sum total(const In* a, const In* b) const {
    Sum sum = chain(a, b, 0);
    for (index_t begin = matmul_chunk; begin < problem.k; begin += matmul_chunk)
      sum = add_totals(sum, chain(a, b, begin));
    return sum;
  }

  /// Sums the terms of one chunk by fused multiply-adds in ascending order, from +0.
  TANDEM_FUNCTION Sum chain(const In* a, const In* b, index_t begin) const {
    const index_t end = problem.k - begin < matmul_chunk ? problem.k : begin + matmul_chunk;
    Sum x{0};
    for (index_t l = begin; l < end; ++l)
      x = multiply_add(widened<Sum>(a[l * problem.a_column]), widened<Sum>(b[l * problem.b_row]),
                       x);
    return x;
  }
};

/// Computes `problem` element by element and ignores its kernel option.
template <class Space, class T, class In>
void multiply_generically(const Space& space, const matmul_problem<T, In>& problem) {
  const grid<3> elements{problem.batch, problem.m, problem.n};
  if (elements.size() > 0) dispatch_for(space, "matmul", elements, matmul_element<T, In>{problem});
}

}  // namespace tandem::detail
