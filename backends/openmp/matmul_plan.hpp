// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul_kernels.hpp>
#include <tandem/core/matmul_problem.hpp>

namespace tandem::openmp_impl {

/// How one product is computed. All give the same bits.
enum class matmul_method : unsigned char {
  direct,   ///< one thread reads a and b where they lie, one chunk
  blocked,  ///< packed panels, chunk after chunk, threads share the tiles of c
  split     ///< packed panels, threads share the chunks of a long k as well
};

/// Numbers that fit the blocked methods to the machine. They change speed alone.
struct matmul_policy {
  /// Largest side of a block of c, for one thread and for 16 or more. With a chunk of k its panels
  /// take 2 to 8 MiB of floats each, which must stay in the cache that the threads share. On one
  /// core of a Zen 5, fp64 at n = 1000 reached 86 GFLOP/s with 512 and 74 with 2048.
  static constexpr index_t smallest_block = 512;
  static constexpr index_t largest_block = 2048;
  /// Multiply-adds up to which packing costs more than it gains: 64 x 64 x 64.
  static constexpr index_t direct_work = index_t{1} << 18;
  /// Multiply-adds that are worth a thread: about 8 us, twice what a fork and three barriers of 16
  /// threads cost.
  static constexpr index_t thread_work = index_t{1} << 20;
  /// Multiply-adds a thread from which a batch's entries are computed one after the other by all
  /// threads: the panels of many entries at once would no longer fit the caches.
  static constexpr index_t entry_work = index_t{1} << 22;
  /// Tasks a thread gets of a block, so that a slow one can get fewer and the last ones are short.
  static constexpr index_t tasks = 16;
  /// An item of packing: panels and terms, up to 200 KiB.
  static constexpr index_t pack_panels = 8;
  static constexpr index_t pack_terms = 128;
};

/// The method for one entry of a batch and the scratch that it needs, in elements.
struct matmul_plan {
  matmul_method method = matmul_method::blocked;
  index_t block_rows = 0;
  index_t block_columns = 0;
  index_t chunks = 1;  ///< that are in flight together
  index_t a_elements = 0;
  index_t b_elements = 0;
  index_t totals_elements = 0;

  index_t elements() const { return a_elements + b_elements + totals_elements; }
};

/// The plan for one entry of `problem` and a team of `threads`.
template <class T>
matmul_plan plan_matmul(const matmul_problem<T>& problem, const matmul_kernels<T>& kernels,
                        int threads);

extern template matmul_plan plan_matmul(const matmul_problem<float>&, const matmul_kernels<float>&,
                                        int);
extern template matmul_plan plan_matmul(const matmul_problem<double>&,
                                        const matmul_kernels<double>&, int);

}  // namespace tandem::openmp_impl
