// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/plan.hpp>

namespace tandem::openmp_impl {

/// How the threads share a product.
enum class matmul_sharing : unsigned char {
  team,     ///< all threads compute each entry of the batch together
  entries,  ///< each thread computes whole entries of the batch
  blocks    ///< each thread computes blocks of c for itself, with its own panels
};

/// Size of the blocks of c that threads compute independently; zero where they share panels.
struct matmul_partition {
  index_t rows = 0;
  index_t columns = 0;
};

/// Everything that is decided before a product runs. It never changes a bit.
struct matmul_schedule {
  int threads = 1;
  matmul_sharing sharing = matmul_sharing::team;
  matmul_partition partition;  ///< where blocks are shared
  matmul_plan plan;            ///< for an entry, or a block of one

  /// Elements of scratch for all threads.
  index_t elements() const {
    return sharing == matmul_sharing::team ? plan.elements(threads) : threads * plan.elements(1);
  }
};

/// Returns how many of `threads` threads have enough work to be worth waking.
template <class T, class In>
int useful_threads(int threads, const matmul_problem<T, In>& problem);

/// Returns the schedule of a product in its canonical orientation for at most `threads` threads,
/// with at most about `totals_elements` elements of totals outside c.
template <class T, class In>
matmul_schedule schedule_matmul(const matmul_problem<T, In>& problem,
                                const matmul_kernels_for<T, In>& kernels, int threads,
                                index_t totals_elements = matmul_policy::totals_elements);

/// Prints a schedule to stderr if TANDEM_EXPLAIN=1 is in the environment.
void explain(const matmul_schedule& schedule, const char* instruction_set, index_t batch, index_t m,
             index_t n, index_t k);

/// Returns c = a b of one entry of contiguous row-major matrices.
template <class T, class In>
matmul_problem<T, In> contiguous_problem(index_t m, index_t n, index_t k, const In* a, const In* b,
                                         T* c) {
  matmul_problem<T, In> p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a = a;
  p.a_row = k;
  p.a_column = 1;
  p.b = b;
  p.b_row = n;
  p.b_column = 1;
  p.c = c;
  p.c_row = n;
  p.c_column = 1;
  return p;
}

/// Turns a batch whose entries share b, and whose rows continue from entry to entry in a and c,
/// into one product of more rows.
template <class T, class In>
void fold_batch_into_rows(matmul_problem<T, In>& p) {
  if (p.m == 1) {
    p.a_row = p.a_batch;
    p.c_row = p.c_batch;
  }
  if (p.b_batch != 0 || p.a_batch != p.m * p.a_row || p.c_batch != p.m * p.c_row) return;
  if (p.bias != nullptr && p.bias_row != 0) return;  // it starts again with each entry
  p.m *= p.batch;
  p.batch = 1;
}

/// Returns the problem in the orientation that suits the kernels: one entry rather than many, and
/// long contiguous rows of c.
template <class T, class In>
matmul_problem<T, In> canonical_orientation(matmul_problem<T, In> p, int lanes) {
  if (p.batch > 1) fold_batch_into_rows(p);
  if (p.batch > 1) {
    p = detail::transposed(p);
    fold_batch_into_rows(p);
    p = detail::transposed(p);
  }
  const bool columns_contiguous = p.c_row == 1 && p.c_column != 1 && p.n > 1;
  const bool rows_short = p.n < lanes && p.n < p.m;
  const bool columns_short = p.m < lanes && p.m < p.n;
  if (rows_short || (columns_contiguous && !columns_short)) return detail::transposed(p);
  return p;
}

/// Returns the product of some rows of a and some columns of b.
template <class T, class In>
matmul_problem<T, In> subproblem(matmul_problem<T, In> p, index_t row, index_t column,
                                 const matmul_partition& partition) {
  p.m = partition.rows < p.m - row ? partition.rows : p.m - row;
  p.n = partition.columns < p.n - column ? partition.columns : p.n - column;
  p.a += row * p.a_row;
  p.b += column * p.b_column;
  p.c += row * p.c_row + column * p.c_column;
  if (p.bias != nullptr) p.bias += row * p.bias_row + column * p.bias_column;
  return p;
}

}  // namespace tandem::openmp_impl
