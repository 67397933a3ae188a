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
  /// Largest tile, as bits of a byte's number. Loads and stores in flight grow with the tile. Six
  /// tiles of 32 KiB fit a multiprocessor, and each thread holds 32 words of 4 bytes.
  int tile_byte_bits = 15;
  /// Bits by which tiles of small copies may be smaller, so that more multiprocessors have one.
  int fewer_bits = 2;
  /// Tiles are halved while two multiprocessors have fewer of them than this. Halving further would
  /// cost more, because contiguous pieces become shorter, than it gains.
  int tiles_per_pair = 3;
  /// Boxes with contiguous pieces of at least this many bytes on both sides need no tiles: two
  /// sectors of 32 bytes are used well even if the pieces are not aligned to them.
  index_t common_bytes = 64;
};
inline constexpr transpose_policy transposes{};

/// Returns the bits of a word's number in the largest tile. A thread holds at most 32 words, so
/// tiles of words of 1 or 2 bytes are smaller. Such words are rare: elements of 1 or 2 bytes move
/// as words of 4 or, if rows begin anywhere, by the kernel of narrow_transposes.
constexpr int transpose_tile_bits(std::size_t word_bytes) {
  int bits = transposes.tile_byte_bits;
  for (std::size_t bytes = 1; bytes < word_bytes; bytes *= 2) --bits;
  const int most = transposes.block_bits + 5;
  return bits > most ? most : bits;
}

/// Whether `tiles` tiles are enough for a device.
constexpr bool are_enough_tiles(index_t tiles, int multiprocessors) {
  return 2 * tiles >= index_t{transposes.tiles_per_pair} * multiprocessors;
}

/// Shape of the kernel that transposes elements of 1 or 2 bytes, compiled into it.
struct narrow_transpose_policy {
  int block = 288;        ///< threads per block: the ninth warp loads the words of the next tile
  int blocks_per_sm = 4;  ///< for __launch_bounds__: 56 registers, for 20 words in flight
  int piece = 128;        ///< bytes of a row that a tile spans
  index_t least = 64;     ///< shorter rows or columns leave most of a tile empty
};
inline constexpr narrow_transpose_policy narrow_transposes{};

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
