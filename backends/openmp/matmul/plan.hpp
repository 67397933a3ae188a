// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/kernel_types.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

namespace tandem::openmp_impl {

/// How one product is computed. All give the same bits.
enum class matmul_method : unsigned char {
  direct,   ///< one thread reads a and b where they lie, one chunk
  pieces,   ///< one thread reads b where it lies, some terms of all columns at a time
  blocked,  ///< chunk after chunk, threads share the tiles of c
  split     ///< threads share the chunks of a long k as well
};

/// Numbers that fit the blocked methods to the machine. They change speed alone. Measured on a core
/// of a Zen 5 (1 MiB of L2) with AVX-512.
struct matmul_policy {
  /// Share of a core's own cache that packed columns of b fill: rows of a and tiles of c pass
  /// through it, too.
  static constexpr double cached_share = 0.6;
  /// Share of it up to which b is read where it lies. Packing costs 12 % at n = 288, 16 % at 128.
  static constexpr double direct_share = 0.5;
  /// Bytes of a column of c up to which b is read where it lies whatever its size: one or two rows
  /// of tiles do not pay for a copy.
  static constexpr index_t direct_bytes = 64;
  /// Rows of c up to which a thread reads b in pieces of a chunk: a few rows of it, as long as they
  /// are, which come from memory twice as fast as columns of panels do. Terms of a piece: fewer
  /// rows of b than a cache has ways, since they may lie at a power of two from each other. Share
  /// of a core's cache that the chains fill between two pieces.
  static constexpr index_t piece_rows = 32;
  static constexpr index_t piece_terms = 16;
  static constexpr double chains_share = 0.5;
  /// Bytes between rows of b at multiples of which they fall into so few sets of the nearest cache
  /// that they push each other out, and terms from which b is packed for that. Doubles, 256 x 512 x
  /// 256 on a core of a Xeon: 1.36 ms in place and 1.22 packed.
  static constexpr index_t crowded_bytes = 2048;
  static constexpr index_t crowded_terms = 257;
  /// Bytes of packed columns that the threads share; in the cache that they share.
  static constexpr index_t shared_bytes = index_t{8} << 20;
  /// Bytes of c, of all entries of a batch, from which it is written past the caches.
  static constexpr index_t stream_bytes = index_t{32} << 20;
  /// Elements of totals that are kept beside c, where a long k meets beta.
  static constexpr index_t totals_elements = index_t{1} << 22;
  /// Elements of rows of a that are packed for all columns of a block.
  static constexpr index_t rows_elements = index_t{1} << 22;
  /// Multiply-adds that are worth a thread: about 8 us, twice what a fork and three barriers of 16
  /// threads cost.
  static constexpr index_t thread_work = index_t{1} << 20;
  /// Multiply-adds a thread from which a batch's entries are computed one after the other by all
  /// threads: the panels of many entries at once would no longer fit the caches.
  static constexpr index_t entry_work = index_t{1} << 22;
  /// Rows of c up to which threads take slices of b for themselves, and slices that each should
  /// find. 16 x 4096 x 4096 doubles on 14 cores of a Xeon: 1.8 ms, and 4.9 with shared panels.
  static constexpr index_t slice_rows = 512;
  static constexpr index_t slices = 8;
  /// The same where b has 16 bits an element and is read in rows: slices of half the bytes, which
  /// are wider instead. 16 x 4096 x 4096 halves on 16 cores of a Xeon: 8 slices 1.06 to 1.13 ms, 2
  /// 0.79 to 1.02.
  static constexpr index_t wide_slices = 2;
  /// Multiply-adds a thread up to which each packs what its own tile of c needs rather than share
  /// packed operands. 16 cores of a Xeon, bf16, 128^3 24 us for 40, 256^3 40 for 57, 512^3 205 for
  /// 270; 1024^3 no longer.
  static constexpr index_t tile_work = index_t{1} << 24;
  /// Rows of tiles that a thread should at least find, so that all end together.
  static constexpr index_t units = 8;
  /// Rows of tiles that are computed before an epilogue passes over them or they are rounded.
  static constexpr index_t finished_units = 4;
  /// Terms of an item of packing.
  static constexpr index_t pack_terms = 128;
};

/// The method for one entry of a batch and the scratch that it needs, in elements.
struct matmul_plan {
  matmul_method method = matmul_method::blocked;
  index_t group = 0;   ///< columns of c whose part of b, or whose chains, stay in a core's cache
  index_t groups = 1;  ///< that are packed at once
  index_t block_rows = 0;   ///< rows of c that are computed before the next columns are packed
  index_t packed_rows = 0;  ///< rows of a that a thread copies at a time; 0: none
  index_t line = 0;         ///< from one of these rows to the next
  bool packs_b = false;
  bool shares_rows = false;  ///< of a, packed by the team before the columns are multiplied
  bool rows_outside = false;
  bool far = false;
  bool streams = false;
  index_t chunks = 1;           ///< that are in flight together
  index_t a_elements = 0;       ///< of each thread
  index_t c_elements = 0;       ///< of each thread: results before they are rounded to c's type
  index_t b_elements = 0;       ///< of the team, or chains; of each thread where chunks are split
  index_t totals_elements = 0;  ///< of the team
  index_t rows_elements = 0;    ///< of the team: its rows of a

  /// Elements that each thread needs for itself.
  index_t own_elements() const {
    return a_elements + c_elements + (method == matmul_method::split ? b_elements : 0);
  }

  /// Elements that a team of `threads` needs.
  index_t elements(int threads) const {
    const index_t panels = method == matmul_method::split ? 0 : b_elements;
    return threads * own_elements() + panels + totals_elements + rows_elements;
  }
};

/// The plan for one entry of `problem` and a team of `threads`.
template <class T, class In>
matmul_plan plan_matmul(const matmul_problem<T, In>& problem,
                        const matmul_kernels_for<T, In>& kernels, int threads);

}  // namespace tandem::openmp_impl
