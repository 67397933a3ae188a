// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

namespace tandem::openmp_impl {

/// Tuning of the matrix product. It only changes speed.
struct matmul_policy {
  /// Fraction of a core's L2 that packed columns of b fill; rows of a and tiles of c pass through
  /// it, too.
  static constexpr double cached_share = 0.6;
  /// Fraction of a core's L2 up to which b is read in place: packing would not pay.
  static constexpr double direct_share = 0.5;
  /// Bytes of a column of c up to which b is read in place, whatever its size: one or two rows of
  /// tiles do not pay for a copy.
  static constexpr index_t direct_bytes = 64;
  /// Rows of c up to which a product is skinny: a thread reads a few whole rows of b at a time,
  /// which memory delivers faster than columns of panels.
  static constexpr index_t skinny_rows = 32;
  /// Terms of a skinny step: fewer rows of b than a cache has ways, since rows may be a power of
  /// two apart.
  static constexpr index_t skinny_terms = 16;
  /// Fraction of a core's L2 that the chains of a skinny product fill between two steps.
  static constexpr double chains_share = 0.5;
  /// If b's stride is a multiple of this many bytes, its rows share so few sets of the L1 that they
  /// evict each other; from this many terms on, b is packed for that reason.
  static constexpr index_t crowded_bytes = 2048;
  static constexpr index_t crowded_terms = 257;
  /// Bytes of packed columns that the threads share: they stay in the shared cache.
  static constexpr index_t shared_bytes = index_t{8} << 20;
  /// Bytes of c, over all entries of a batch, above which it is written with non-temporal stores.
  static constexpr index_t nontemporal_bytes = index_t{32} << 20;
  /// Elements of totals kept outside c, if k is long and beta is not 0.
  static constexpr index_t totals_elements = index_t{1} << 22;
  /// Elements of rows of a that are packed for all columns of a block.
  static constexpr index_t rows_elements = index_t{1} << 22;
  /// Multiply-adds that are worth waking a thread: about twice the cost of a parallel region with
  /// three barriers.
  static constexpr index_t thread_work = index_t{1} << 20;
  /// The overhead of an entry of a batch, some 80 ns, in multiply-adds.
  static constexpr index_t entry_overhead = index_t{1} << 13;
  /// Multiply-adds per thread above which the threads share each entry of a batch: the panels of
  /// many entries at once would no longer fit the caches.
  static constexpr index_t entry_work = index_t{1} << 22;
  /// Rows of c up to which each thread computes slices of columns alone, and the number of slices
  /// that each should find.
  static constexpr index_t slice_rows = 512;
  static constexpr index_t slices = 8;
  /// Slices per thread if b has 16 bits per element: these have half the bytes, so they are wider.
  static constexpr index_t wide_slices = 2;
  /// Multiply-adds per thread up to which each packs what its own tile of c needs; above, the
  /// threads share packed operands.
  static constexpr index_t tile_work = index_t{1} << 24;
  /// Rows of tiles that each thread should at least find, so that all finish together.
  static constexpr index_t units = 8;
  /// Rows of tiles that are computed before an epilogue or rounding passes over them.
  static constexpr index_t finished_units = 4;
  /// Terms of one work item of packing.
  static constexpr index_t pack_terms = 128;
};

}  // namespace tandem::openmp_impl
