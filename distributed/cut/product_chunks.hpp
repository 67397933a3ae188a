// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/contract/matmul_problem.hpp>
#include <tandem/core/math.hpp>
#include <tandem/core/range.hpp>

#include <algorithm>
#include <cstddef>

/// How a product is divided whose k is cut. Plain functions of integers.
namespace tandem::detail {

/// The terms that a member adds up: the chunks of k (docs/numerics.md) that begin in its rows.
struct product_chunks {
  range whole;  ///< chunks of matmul_chunk terms, all of them in the member's rows
  range split;  ///< its last chunk, if a cut splits it or k ends in it

  static product_chunks of(const range& rows, index_t k) {
    const index_t first = round_up(rows.begin, matmul_chunk);
    if (first >= rows.end) return {};
    const index_t behind = rows.end / matmul_chunk * matmul_chunk;
    return {{first, behind}, {behind, std::min(round_up(rows.end, matmul_chunk), k)}};
  }

  index_t whole_count() const { return whole.size() / matmul_chunk; }
  index_t count() const { return whole_count() + (split.size() > 0 ? 1 : 0); }
};

/// What members multiply at a time: chains of chunks for some rows of c.
struct chain_block {
  index_t rows;
  index_t chunks;

  /// Returns a block whose chains fit a number of bytes, with as many chunks as members have if
  /// there is room for them and for as many rows as kernels need.
  ///
  /// @param m             rows of c, not 0
  /// @param chunks        the most that a member has, not 0
  /// @param bytes_of_row  of a row of totals
  static chain_block fitting(index_t m, index_t chunks, std::size_t bytes_of_row,
                             std::size_t bytes) {
    constexpr index_t least = 256;
    const auto rows_of_chains = static_cast<index_t>(bytes / bytes_of_row);
    const index_t whole_tiles = rows_of_chains / chunks / least * least;
    const index_t rows = std::min(m, std::max(whole_tiles, least));
    return {rows, std::clamp<index_t>(rows_of_chains / rows, 1, chunks)};
  }
};

}  // namespace tandem::detail
