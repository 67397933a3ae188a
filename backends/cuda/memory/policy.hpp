// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

/// Tuning of copies and fills on a GPU as data. Changes no result.
namespace tandem::cuda_impl {

/// Shape of the kernels that copy and fill strided memory. It is compiled into them, so all devices
/// share one. Each thread issues all its loads before its first store.
struct strided_policy {
  int block = 128;  ///< threads per block
  int words = 4;    ///< words per thread, one block apart
};
inline constexpr strided_policy strided_kernels{};

/// Words per block.
inline constexpr int strided_tile = strided_kernels.block * strided_kernels.words;

/// Shape of the kernels that copy through tiles in shared memory, compiled into them.
struct transpose_policy {
  int block_bits = 8;  ///< 2^8 threads per block
  /// Boxes with contiguous pieces of at least this many bytes on both sides need no tiles: two
  /// sectors of 32 bytes are used well even if the pieces are not aligned to them.
  index_t common_bytes = 64;
};
inline constexpr transpose_policy transposes{};

/// Returns the bits of a word's number in a tile of 16 KiB; fewer for words so small that a thread
/// would have more than 32 of them.
constexpr int transpose_tile_bits(std::size_t word_bytes) {
  int bits = 14;
  for (std::size_t bytes = 1; bytes < word_bytes; bytes *= 2) --bits;
  return bits > 13 ? 13 : bits;
}

/// How strided elements move between host and device.
struct copy_policy {
  /// Rows shorter than this are packed on one side rather than copied row by row.
  std::size_t pitched_row_bytes;
};

/// Estimates. The copy engine processes rows one at a time, so its row rate limits the bandwidth of
/// short rows. The faster the link, the longer a row must be to saturate it.
constexpr copy_policy select_copy(int compute_capability) {
  return compute_capability >= 90 ? copy_policy{.pitched_row_bytes = 512}
                                  : copy_policy{.pitched_row_bytes = 256};
}

/// The ring of page-locked buffers that stages large copies of pageable host memory.
struct staging_policy {
  std::size_t least_bytes;   ///< smaller copies are left to the driver
  std::size_t buffer_bytes;  ///< large enough that moving it outweighs a driver call
  std::size_t least_part;    ///< lower bound for the bytes per driver call, for small copies
  int buffers;  ///< several per thread, so that the host fills some while the engine copies others
  int threads;  ///< enough to read memory at the link's rate
};
inline constexpr staging_policy pageable_staging{.least_bytes = std::size_t{4} << 20,
                                                 .buffer_bytes = std::size_t{1} << 20,
                                                 .least_part = std::size_t{512} << 10,
                                                 .buffers = 32,
                                                 .threads = 8};

/// Bytes per part of a copy: one part per buffer, clamped to these bounds.
constexpr std::size_t staging_part(std::size_t bytes) {
  const std::size_t even = bytes / static_cast<std::size_t>(pageable_staging.buffers);
  if (even >= pageable_staging.buffer_bytes) return pageable_staging.buffer_bytes;
  if (even <= pageable_staging.least_part) return pageable_staging.least_part;
  return even / 4096 * 4096;
}

}  // namespace tandem::cuda_impl
