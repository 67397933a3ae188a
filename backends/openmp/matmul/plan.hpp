// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/table.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

namespace tandem::openmp_impl {

/// How one product is computed. All methods give the same bits.
enum class matmul_method : unsigned char {
  direct,   ///< one thread reads a and b in place, in one chunk
  skinny,   ///< one thread reads b in place, a few terms of all columns at a time
  blocked,  ///< chunk after chunk; the threads share the tiles of c
  split_k   ///< threads share the chunks of a long k as well
};

/// Tuning of the matrix product. It changes speed alone.
struct matmul_policy {
  /// Share of a core's L2 that packed columns of b fill; rows of a and tiles of c pass through it
  /// as well.
  static constexpr double cached_share = 0.6;
  /// Share of a core's L2 up to which b is read in place: packing would not pay.
  static constexpr double direct_share = 0.5;
  /// Bytes of a column of c up to which b is read in place whatever its size: one or two rows of
  /// tiles do not pay for a copy.
  static constexpr index_t direct_bytes = 64;
  /// Rows of c up to which a product is skinny: a thread reads a few whole rows of b at a time,
  /// which come from memory faster than columns of panels do.
  static constexpr index_t skinny_rows = 32;
  /// Terms of a skinny step: fewer rows of b than a cache has ways, since rows may lie a power of
  /// two apart.
  static constexpr index_t skinny_terms = 16;
  /// Share of a core's L2 that the chains of a skinny product fill between two steps.
  static constexpr double chains_share = 0.5;
  /// Strides of b at multiples of which its rows share so few sets of the L1 that they evict each
  /// other, and the number of terms from which b is packed for that reason.
  static constexpr index_t crowded_bytes = 2048;
  static constexpr index_t crowded_terms = 257;
  /// Bytes of packed columns that the threads share: they stay in the shared cache.
  static constexpr index_t shared_bytes = index_t{8} << 20;
  /// Bytes of c, over all entries of a batch, from which it is written with non-temporal stores.
  static constexpr index_t nontemporal_bytes = index_t{32} << 20;
  /// Elements of totals kept outside c, where a long k meets beta.
  static constexpr index_t totals_elements = index_t{1} << 22;
  /// Elements of rows of a that are packed for all columns of a block.
  static constexpr index_t rows_elements = index_t{1} << 22;
  /// Multiply-adds that are worth waking a thread for: about twice the cost of a parallel region
  /// with three barriers.
  static constexpr index_t thread_work = index_t{1} << 20;
  /// Multiply-adds per thread from which the threads share each entry of a batch: the panels of
  /// many entries at once would no longer fit the caches.
  static constexpr index_t entry_work = index_t{1} << 22;
  /// Rows of c up to which threads take slices of columns for themselves, and the number of slices
  /// that each should find.
  static constexpr index_t slice_rows = 512;
  static constexpr index_t slices = 8;
  /// Slices per thread where b has 16 bits per element: they have half the bytes, so they are
  /// wider.
  static constexpr index_t wide_slices = 2;
  /// Multiply-adds per thread up to which each packs what its own tile of c needs rather than share
  /// packed operands.
  static constexpr index_t tile_work = index_t{1} << 24;
  /// Rows of tiles that each thread should at least find, so that all finish together.
  static constexpr index_t units = 8;
  /// Rows of tiles that are computed before an epilogue or rounding passes over them.
  static constexpr index_t finished_units = 4;
  /// Terms of one work item of packing.
  static constexpr index_t pack_terms = 128;
};

/// The method for one entry of a batch, and the scratch that it needs, in elements.
struct matmul_plan {
  matmul_method method = matmul_method::blocked;
  index_t group = 0;        ///< columns of c whose part of b, or whose chains, stay in a core's L2
  index_t groups = 1;       ///< groups that are packed at once
  index_t block_rows = 0;   ///< rows of c that are computed before the next columns are packed
  index_t packed_rows = 0;  ///< rows of a that a thread copies at a time; 0 if none are copied
  index_t line = 0;         ///< stride of these rows
  bool packs_b = false;
  bool shares_rows = false;     ///< the team packs the rows of a before it multiplies
  bool rows_outermost = false;  ///< the loop over rows of tiles encloses the loop over columns
  bool exceeds_l2 = false;      ///< the operands exceed a core's L2: kernels prefetch
  bool nontemporal = false;     ///< c is written with non-temporal stores
  index_t chunks = 1;           ///< chunks of k in flight together
  index_t a_elements = 0;       ///< per thread
  index_t c_elements = 0;       ///< per thread: results before they are rounded to c's type
  index_t b_elements = 0;       ///< per team: panels or chains; per thread with split-K
  index_t totals_elements = 0;  ///< per team
  index_t rows_elements = 0;    ///< per team: its rows of a

  /// Elements that each thread needs for itself.
  index_t own_elements() const {
    return a_elements + c_elements + (method == matmul_method::split_k ? b_elements : 0);
  }

  /// Elements that a team of `threads` needs.
  index_t elements(int threads) const {
    const index_t panels = method == matmul_method::split_k ? 0 : b_elements;
    return threads * own_elements() + panels + totals_elements + rows_elements;
  }
};

/// Returns the plan for one entry of `problem` and a team of `threads`, which keeps at most about
/// `totals_elements` elements of totals outside c.
template <class T, class In>
matmul_plan plan_matmul(const matmul_problem<T, In>& problem,
                        const matmul_kernels_for<T, In>& kernels, int threads,
                        index_t totals_elements = matmul_policy::totals_elements);

}  // namespace tandem::openmp_impl
