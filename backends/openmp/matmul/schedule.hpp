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

/// Returns the schedule of a product in its canonical orientation for at most `threads` threads.
template <class T, class In>
matmul_schedule schedule_matmul(const matmul_problem<T, In>& problem,
                                const matmul_kernels_for<T, In>& kernels, int threads);

/// Prints a schedule to stderr if TANDEM_EXPLAIN=1 is in the environment.
void explain(const matmul_schedule& schedule, const char* instruction_set, index_t batch, index_t m,
             index_t n, index_t k);

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
