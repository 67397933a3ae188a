// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/cpu/nontemporal_stores.hpp>
#include <tandem/backends/openmp/scan/kernel_blocks.hpp>
#include <tandem/backends/openmp/scan/policy.hpp>
#include <tandem/backends/openmp/scan/tile.hpp>
#include <tandem/core/contract/scan_problem.hpp>
#include <tandem/core/math.hpp>

#include <type_traits>

namespace tandem::openmp_impl {

/// How a scan is divided among threads.
struct scan_plan {
  int batch;         ///< tiles that are published at once; divides 32
  bool by_kernels;   ///< by the library's kernels, block by block
  bool by_share;     ///< one contiguous partition per thread, else batches by ticket
  bool nontemporal;  ///< y is written by non-temporal stores
};

/// The tiles of a scan, or of a part of one, in batches that begin at multiples of their size. The
/// first batch has fewer tiles if the part begins elsewhere.
struct scan_batches {
  range tiles;
  index_t batch;

  index_t count() const { return ceil_div(tiles.end, batch) - tiles.begin / batch; }
  /// The first tile of batch `number`; the end of the tiles for a number past the last.
  index_t begin(index_t number) const {
    const index_t at = (tiles.begin / batch + number) * batch;
    return at < tiles.begin ? tiles.begin : at < tiles.end ? at : tiles.end;
  }
  /// The number of tiles of the batch that begins with `first`.
  int size(index_t first) const {
    const index_t end = round_up(first + 1, batch);
    return static_cast<int>((end < tiles.end ? end : tiles.end) - first);
  }
};

/// The tiles of a scan of a part.
template <class Load, class T, class R>
range scan_tiles_of(const scan_problem<Load, T, R>& problem, const scan_part<T>& part) {
  return {part.first_tile, ceil_div<index_t>(problem.size, canonical::scan_tile)};
}

/// Whether y is x itself.
template <class Load, class T, class R>
bool is_in_place(const scan_problem<Load, T, R>& problem) {
  if constexpr (std::is_same_v<Load, contiguous_load<T, R>>) {
    return problem.load.data == problem.y;
  } else {
    return false;
  }
}

/// Whether the library has kernels that scan such terms block by block.
template <class Load, class T, class R>
inline constexpr bool has_kernel_scan =
    scan_tiles<T, R>::has_kernels && std::is_same_v<Load, contiguous_load<T, R>>;

/// Plans a scan for `threads` threads. If it fits the threads' caches, each thread gets the same
/// contiguous partition as in every loop, whose data is in that core's caches. In a longer scan, a
/// thread would read its partition from memory twice, so threads take batches that stay in a cache.
template <class Load, class T, class R>
scan_plan plan_scan(const scan_problem<Load, T, R>& problem, const scan_part<T>& part,
                    int threads) {
  const index_t tiles = scan_tiles_of(problem, part).size();
  const index_t before = part.first_tile * canonical::scan_tile;
  const std::size_t bytes = static_cast<std::size_t>(problem.size - before) * sizeof(T);
  scan_plan plan{};
  plan.nontemporal = scan_tiles<T, R>::has_kernels && problem.y_stride == 1 &&
                     !is_in_place(problem) && prefers_nontemporal_stores(2 * bytes);
  plan.by_share = problem.y_stride == 1 && !plan.nontemporal &&
                  bytes <= scan_share_bytes * static_cast<std::size_t>(threads);
  if constexpr (has_kernel_scan<Load, T, R>)
    plan.by_kernels =
        threads > 1 && before == 0 && plan.by_share && kernel_scan<T, R>::suits(problem, threads);
  const index_t most =
      plan.by_share ? most_batch<T>
                    : static_cast<index_t>(scan_batch_bytes / sizeof(T)) / canonical::scan_tile;
  plan.batch = 1;
  while (plan.batch * 2 <= most && plan.batch * threads * scan_batches_per_thread < tiles)
    plan.batch *= 2;
  return plan;
}

}  // namespace tandem::openmp_impl
