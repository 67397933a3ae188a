// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/cache_level.hpp>
#include <tandem/backends/openmp/loop/parallel_for.hpp>
#include <tandem/backends/openmp/matmul/problem.hpp>
#include <tandem/backends/openmp/openmp.hpp>
#include <tandem/backends/openmp/reduce/dispatch.hpp>
#include <tandem/core/math.hpp>

/// The entry point through which other backends of the host use these kernels
/// (docs/adding-a-backend.md): every operation on the calling thread, and the parts into which
/// loops, reductions and matrix products are divided among threads. Nothing here starts a thread,
/// waits for one or enters a parallel region of the OpenMP runtime. Several threads may call it at
/// the same time. Which thread computes a part, and how many there are, never changes a bit.
namespace tandem::host_kernels {

/// A space whose operations run on the thread that calls them: dispatch_sort(calling_thread(),
/// problem), and likewise every operation and hook of openmp. Errors: agreement_error.
inline openmp calling_thread() { return openmp(1); }

/// Calls f for the positions begin <= p < end of a range, which count from 0.
template <class Function>
void run_loop_part(const range& indices, const Function& f, index_t begin, index_t end) {
  openmp_impl::line_loop<Function>{f, indices.begin}(begin, end);
}

/// Calls f for the flat positions begin <= p < end of a grid, row by row.
template <class Function>
void run_loop_part(const grid<2>& indices, const Function& f, index_t begin, index_t end) {
  openmp_impl::plane_loop<Function>{f, indices.sizes[1]}(begin, end);
}
template <class Function>
void run_loop_part(const grid<3>& indices, const Function& f, index_t begin, index_t end) {
  openmp_impl::volume_loop<Function>{f, indices.sizes[1], indices.sizes[2]}(begin, end);
}

/// A reduction of n >= 1 terms, divided for `threads` threads into subtrees of the canonical shape
/// (docs/numerics.md). Keeps references to the load and the reducer.
template <class Load, class R>
class divided_reduction {
 public:
  using accumulator = typename R::accumulator;

  divided_reduction(const Load& load, index_t n, const R& reducer, int threads)
      : load_(load),
        n_(n),
        reducer_(reducer),
        terms_(openmp_impl::subtree_terms<R>(n, threads, false, false)),
        from_(openmp_impl::location_of_terms<Load>(n, threads)) {}

  /// Returns the number of parts, at least 1 and at most about 64 per thread.
  index_t parts() const { return ceil_div(n_, terms_); }

  /// Returns the accumulator of part i, 0 <= i < parts(). Any thread may call it, in any order.
  accumulator reduce_part(index_t i) const {
    const index_t first = i * terms_;
    return openmp_impl::reduce_subtree(load_, first, tandem::min(first + terms_, n_), reducer_,
                                       from_);
  }

  /// Returns the accumulator of all terms from those of all parts in order, which it overwrites.
  accumulator combine(accumulator* parts_in_order) const {
    return openmp_impl::combine_all(parts_in_order, parts(), reducer_);
  }

 private:
  const Load& load_;
  index_t n_;
  const R& reducer_;
  index_t terms_;  // of a part
  openmp_impl::data_location from_;
};

/// Returns the product of `rows` rows of a and `columns` columns of b, starting at `row` and
/// `column` and clipped to what exists: dispatch_matmul(calling_thread(), block) computes that
/// block of c for every entry of the batch. Each thread keeps its own scratch, proportional to its
/// block.
template <class T, class In>
matmul_problem<T, In> block_of(const matmul_problem<T, In>& problem, index_t row, index_t rows,
                               index_t column, index_t columns) {
  return openmp_impl::subproblem(problem, row, column, {rows, columns});
}

}  // namespace tandem::host_kernels
