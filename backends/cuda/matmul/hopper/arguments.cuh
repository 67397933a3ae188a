// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/plan/tensor.hpp>
#include <tandem/backends/cuda/ptx/cluster.cuh>
#include <tandem/backends/cuda/ptx/mbarrier.cuh>
#include <tandem/backends/cuda/ptx/mma.cuh>
#include <tandem/backends/cuda/ptx/tma.cuh>
#include <tandem/core/contract/matmul_epilogue.hpp>

namespace tandem::cuda_impl {

/// Bytes of a row of a tile in shared memory: what the 128-byte swizzle permutes 16 bytes of.
inline constexpr int wgmma_row_bytes = 128;

/// Threads of a warpgroup, and rows of a tile that one multiplies.
inline constexpr int warpgroup_threads = 128;
inline constexpr int warpgroup_rows = 64;

/// Terms of k of one stage: a row of shared memory.
constexpr int wgmma_block(tensor_type type) { return type == tensor_type::tf32 ? 32 : 64; }

/// Offset of a byte of rows of 128 bytes, as swizzled tensor copies lay them out: 16-byte pieces
/// change places within a row, by the row.
__device__ __forceinline__ std::uint32_t swizzled(int row, int byte) {
  return static_cast<std::uint32_t>(row * wgmma_row_bytes + (byte ^ (row % 8 * 16)));
}

/// A tile of c of 64 * Warpgroups x N elements and the ring of stages that feeds it. Pingpong: a
/// warpgroup multiplies a whole tile and the next one the next, so that one's store runs beside the
/// other's products; else they share each tile, 64 rows each. AKMajor: a is contiguous along k,
/// else along its rows; so for b. Resident: blocks that share a multiprocessor.
template <tensor_type Type, int Warpgroups, int N, bool Pingpong, int Resident, bool AKMajor,
          bool BKMajor>
struct wgmma_tile {
  static constexpr tensor_type type = Type;
  static constexpr int warpgroups = Warpgroups;
  static constexpr bool pingpong = Pingpong;
  static constexpr int m = warpgroup_rows * Warpgroups;
  static constexpr int n = N;
  static constexpr int strips = Pingpong ? Warpgroups : 1;  ///< of 64 rows, of a warpgroup
  static constexpr int releasing_warps = Pingpong ? 4 : 4 * Warpgroups;
  static constexpr bool a_k_major = AKMajor;
  static constexpr bool b_k_major = BKMajor;
  static constexpr bool a_in_registers = Type == tensor_type::tf32 && !AKMajor;
  static constexpr int threads = warpgroup_threads * (Warpgroups + 1);
  static constexpr int block_k = wgmma_block(Type);
  static constexpr int a_bytes = m * wgmma_row_bytes;
  static constexpr int stage_bytes = a_bytes + n * wgmma_row_bytes;
  // Of the 227 KiB of shared memory that blocks may have together: 192 KiB for the ring of a block
  // alone on its multiprocessor, 96 KiB where there are two.
  static constexpr int resident = Resident;
  static constexpr int stages = 192 / resident * 1024 / stage_bytes;
  static constexpr int ring_bytes = stages * stage_bytes;
  static constexpr int store_bytes = warpgroup_rows * wgmma_row_bytes;  // of a buffer
  static constexpr int store_buffers = N <= 64 ? 1 : 2;
  static constexpr int barriers_offset = ring_bytes + store_buffers * Warpgroups * store_bytes;
  static constexpr int shared_bytes = barriers_offset + 2 * stages * 8;
  // Three warpgroups have 168 registers a thread, 80 where there are two blocks: those who multiply
  // get more if the first one gives them.
  static constexpr bool moves_registers = Warpgroups == 2;
  static constexpr int fewer_registers = resident == 1 ? 40 : 24;
  static constexpr int more_registers = resident == 1 ? 232 : 104;
  // Totals of earlier chunks beside the running one: registers for both up to 128 columns.
  static constexpr bool adds_chunks = strips * N <= 128;
};

/// What a kernel is given. Tiles of c are numbered along groups of `group` rows of clusters, so
/// that the tiles at work at a time share rows of a and columns of b in L2.
struct wgmma_arguments {
  CUtensorMap a;
  CUtensorMap b;
  CUtensorMap c;
  tandem::detail::element_epilogue<float> finish;
  void* c_data = nullptr;
  index_t c_row = 0;
  index_t c_column = 0;
  index_t c_batch = 0;
  index_t c_slice = 0;  ///< elements of c from one part's totals to the next one's
  int m = 0;
  int n = 0;
  int batch = 1;
  int blocks = 0;        ///< of k, all of them
  int part_blocks = 0;   ///< of k, of one part
  int chunk_blocks = 0;  ///< of k, of one chunk
  int parts = 1;
  int clusters_m = 0;  ///< rows of clusters of tiles
  int tiles_n = 0;     ///< columns of clusters of tiles
  int tiles = 0;       ///< clusters of tiles, with batch and parts
  int group = 1;
  int cluster = 1;        ///< 1, or 2 blocks that share tiles of b, one below the other
  bool shares_a = false;  ///< or of a, side by side
  bool a_batched = true;  ///< false: one a for the whole batch
  bool b_batched = true;
  bool c_float = false;    ///< c has floats, else elements of the operands' type
  bool c_columns = false;  ///< tensor copies write columns of c, not rows
  bool c_boxes = false;    ///< c is written by tensor copies; `finish` is a factor alone
};

/// Where a tile lies: its first row and column, its matrix of the batch, its blocks of k.
struct wgmma_position {
  int row;
  int column;
  int batch;
  int part;
  int first;
  int last;
};

template <class Tile>
__device__ __forceinline__ wgmma_position position_of(const wgmma_arguments& p, int tile,
                                                      int rank) {
  wgmma_position at;
  const int plane = p.clusters_m * p.tiles_n;
  const int copy = tile / plane;
  const int inside = tile - copy * plane;
  at.part = copy % p.parts;
  at.batch = copy / p.parts;
  const int group_tiles = p.group * p.tiles_n;
  const int group = inside / group_tiles;
  const int first_m = group * p.group;
  const int height = p.clusters_m - first_m < p.group ? p.clusters_m - first_m : p.group;
  const int rest = inside - group * group_tiles;
  const int cluster_row = first_m + rest % height;
  const int cluster_column = rest / height;
  at.row = (p.shares_a ? cluster_row : cluster_row * p.cluster + rank) * Tile::m;
  at.column = (p.shares_a ? cluster_column * p.cluster + rank : cluster_column) * Tile::n;
  at.first = at.part * p.part_blocks;
  at.last = at.first + p.part_blocks < p.blocks ? at.first + p.part_blocks : p.blocks;
  return at;
}

/// The ring in shared memory: stages of a tile of a and a tile of b, each with a barrier that
/// completes when it is full and one that completes when it may be filled again.
template <class Tile>
struct wgmma_ring {
  std::uint32_t base;
  int stage = 0;
  std::uint32_t parity = 0;

  __device__ __forceinline__ std::uint32_t a() const { return base + stage * Tile::stage_bytes; }
  __device__ __forceinline__ std::uint32_t b() const { return a() + Tile::a_bytes; }
  __device__ __forceinline__ std::uint32_t full() const { return full(stage); }
  __device__ __forceinline__ std::uint32_t empty() const { return empty(stage); }
  __device__ __forceinline__ std::uint32_t full(int which) const {
    return base + Tile::barriers_offset + 8 * which;
  }
  __device__ __forceinline__ std::uint32_t empty(int which) const {
    return full(which) + 8 * Tile::stages;
  }
  __device__ __forceinline__ void advance() {
    if (++stage < Tile::stages) return;
    stage = 0;
    parity ^= 1;
  }
  /// Leaves `count` stages to others.
  __device__ __forceinline__ void skip(int count) {
    stage += count;
    parity ^= stage / Tile::stages % 2;
    stage %= Tile::stages;
  }
};

}  // namespace tandem::cuda_impl
