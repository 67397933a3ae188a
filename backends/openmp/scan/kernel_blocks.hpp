// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/scan/policy.hpp>
#include <tandem/backends/openmp/scan/running_prefix.hpp>
#include <tandem/backends/openmp/scan/tile.hpp>
#include <tandem/backends/openmp/threads/parallel_region.hpp>
#include <tandem/backends/openmp/threads/scratch.hpp>
#include <tandem/core/contract/scan_problem.hpp>
#include <tandem/core/math.hpp>

namespace tandem::openmp_impl {

/// A scan by the library's kernels, of terms in memory, so nothing can throw. Each block finds its
/// totals, publishes them once, and is written when all earlier blocks have published theirs.
/// Blocks are as even as possible and need not be whole tiles: a block of a reassociable scan is a
/// range of terms with one total, a block in the canonical shape is a range of rows.
template <class T, class R>
class kernel_scan {
 public:
  using problem_type = scan_problem<contiguous_load<T, R>, T, R>;

  /// Whether a block has room to publish its totals.
  static bool suits(const problem_type& problem, int threads) {
    return operations::is_reassociable || count_rows(problem) <= most_rows * threads;
  }

  kernel_scan(const problem_type& problem, int threads)
      : problem_(problem),
        operations_(problem.reducer),
        rows_(count_rows(problem)),
        blocks_(rows_ < threads ? static_cast<int>(rows_) : threads),
        totals_(blocks_) {
    for (int b = 0; b < blocks_; ++b) totals_of(b).is_ready = 0;
  }

  /// Returns the number of blocks, none of them empty.
  int blocks() const { return blocks_; }

  /// Computes one of `parts` threads' part.
  void run(int part, int parts) {
    for (int b = part; b < blocks_; b += parts) {
      if constexpr (operations::is_reassociable) {
        scan_terms(b);
      } else {
        find_rows(b);
        write_rows(b);
      }
    }
  }

 private:
  using operations = scan_tiles<T, R>;
  static constexpr index_t row = canonical::row_segments * canonical::segment;
  /// Totals that fit two cache lines, which processors often fetch together.
  static constexpr index_t most_rows = (128 - 8) / index_t{sizeof(T)};

  /// What a block publishes: its totals, the last one beside the flag.
  struct alignas(64) totals {
    T total[static_cast<std::size_t>(most_rows)];
    int is_ready;
  };

  static index_t count_rows(const problem_type& problem) {
    return ceil_div<index_t>(problem.size, row);
  }

  totals& totals_of(int block) const { return totals_.data()[block]; }
  /// The terms of a block of a reassociable scan.
  share terms_of(int block) const { return line_share_of(0, problem_.size, block, blocks_); }
  /// The rows of a block in the canonical shape, and their totals.
  share rows_of(int block) const { return share_of(rows_, block, blocks_); }
  T* row_totals(int block) const {
    const share its = rows_of(block);
    return totals_of(block).total + most_rows - (its.end - its.begin);
  }
  /// The number of terms in some rows.
  int count(index_t first, index_t end) const {
    const index_t last = end * row < problem_.size ? end * row : problem_.size;
    return static_cast<int>(last - first * row);
  }

  void publish(int block) const {
    __atomic_store_n(&totals_of(block).is_ready, 1, __ATOMIC_RELEASE);
  }
  /// Waits until a block has published its totals. Blocks never wait for later ones.
  void wait(int block) const {
    for (int round = 0; __atomic_load_n(&totals_of(block).is_ready, __ATOMIC_ACQUIRE) == 0; ++round)
      relax(round);
  }

  /// Scans a reassociable block in pieces, which are written starting from the block's end: what
  /// was read last is still in the caches.
  void scan_terms(int block) const {
    const share mine = terms_of(block);
    const index_t pieces = ceil_div(mine.end - mine.begin, scan_piece);
    const small_scratch<maybe<T>> before(pieces);  // of the block
    maybe<T> total;
    for (index_t p = 0; p < pieces; ++p) {
      before.data()[p] = total;
      const share terms = piece_of(mine, p);
      total.append(operations_.total(problem_.load.data + terms.begin,
                                     static_cast<int>(terms.end - terms.begin)),
                   problem_.reducer);
    }
    totals_of(block).total[most_rows - 1] = total.value;
    publish(block);
    const maybe<T> prefix = find_prefix(block);
    for (index_t p = pieces - 1; p >= 0; --p) {
      maybe<T> first = before.data()[p];
      if (prefix.is_there) first.prepend(prefix.value, problem_.reducer);
      const share terms = piece_of(mine, p);
      write(terms.begin, static_cast<int>(terms.end - terms.begin), first, {});
    }
  }

  static share piece_of(const share& terms, index_t piece) {
    const index_t begin = terms.begin + piece * scan_piece;
    return {begin, terms.end - begin < scan_piece ? terms.end : begin + scan_piece};
  }

  maybe<T> find_prefix(int block) const {
    maybe<T> prefix;
    for (int b = 0; b < block; ++b) {
      wait(b);
      prefix.append(totals_of(b).total[most_rows - 1], problem_.reducer);
    }
    return prefix;
  }

  void find_rows(int block) const {
    const share mine = rows_of(block);
    T* const total = row_totals(block);
    for (index_t r = mine.begin; r < mine.end; ++r)
      total[r - mine.begin] = operations_.total(problem_.load.data + r * row, count(r, r + 1));
    publish(block);
  }

  void write_rows(int block) const {
    running_prefix<T, R> tiles(problem_.reducer, ceil_div<index_t>(rows_, canonical::tile_rows));
    maybe<T> before;  // rows of the current tile
    for (int b = 0; b < block; ++b) {
      wait(b);
      const share its = rows_of(b);
      push(its.begin, its.end, row_totals(b), tiles, before);
    }
    const share mine = rows_of(block);
    const T* const total = row_totals(block);
    for (index_t r = mine.begin; r < mine.end;) {
      const index_t tile_end = round_up(r + 1, index_t{canonical::tile_rows});
      const index_t end = tile_end < mine.end ? tile_end : mine.end;
      write(r * row, count(r, end), tiles.before_next(), before);
      push(r, end, total + (r - mine.begin), tiles, before);
      r = end;
    }
  }

  /// Adds rows to the prefix of the next row: to the tree if a tile is complete, otherwise to
  /// `before`.
  void push(index_t first, index_t end, const T* total, running_prefix<T, R>& tiles,
            maybe<T>& before) const {
    for (index_t r = first; r < end; ++r) {
      before.append(total[r - first], problem_.reducer);
      if ((r + 1) % canonical::tile_rows != 0) continue;
      tiles.push(before.value);
      before = {};
    }
  }

  /// Writes terms of one tile or, in a reassociable scan, of any number of tiles.
  void write(index_t first, int count, maybe<T> prefix, const maybe<T>& rows) const {
    if (problem_.exclusive) prefix.prepend(problem_.init, problem_.reducer);
    tile_output<T> out;
    out.x = problem_.load.data + first;
    out.y = problem_.y + first;
    out.count = count;
    out.prefix = prefix.value;
    out.has_prefix = prefix.is_there;
    out.rows = rows.value;
    out.has_rows = rows.is_there;
    out.exclusive = problem_.exclusive;
    operations_.write(out);
  }

  const problem_type problem_;
  const operations operations_;
  index_t rows_;
  int blocks_;
  small_scratch<totals> totals_;
};

}  // namespace tandem::openmp_impl
