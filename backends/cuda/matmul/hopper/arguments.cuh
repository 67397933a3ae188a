// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/pipeline.cuh>
#include <tandem/backends/cuda/matmul/plan/engines.hpp>
#include <tandem/backends/cuda/runtime/space.hpp>
#include <tandem/core/contract/matmul_epilogue.hpp>

#include <type_traits>

/// Tiles and arguments of the wgmma kernels. Elements are bf16, half or tf32, which accumulate in
/// float, or 8-bit integers, which accumulate modulo 2^32.
namespace tandem::cuda_impl {

/// The accumulator type of the tensor cores.
template <tensor_type Type>
using wgmma_sum_t = std::conditional_t<Type == tensor_type::int8, std::int32_t, float>;

/// Terms of k per stage, which fill one row of shared memory.
constexpr int wgmma_block(tensor_type type) {
  if (type == tensor_type::int8) return 128;
  return type == tensor_type::tf32 ? 32 : 64;
}

/// Offset of a byte in 128-byte rows, as swizzled tensor copies arrange them: the row number
/// permutes the 16-byte pieces within a row.
__device__ __forceinline__ std::uint32_t swizzled(int row, int byte) {
  return static_cast<std::uint32_t>(row * tma_row_bytes + (byte ^ (row % 8 * 16)));
}

/// A 64 * Warpgroups x N tile of c and the pipeline that feeds it. With Pingpong, each warpgroup
/// multiplies a whole tile and they alternate, so that one's store overlaps the other's products.
/// Otherwise the warpgroups share each tile, 64 rows each. AKMajor: a is contiguous along k,
/// otherwise along its rows; BKMajor likewise. Resident: blocks per multiprocessor. Continues: adds
/// chunks to the totals in c.
template <tensor_type Type, int Warpgroups, int N, bool Pingpong, int Resident, bool AKMajor,
          bool BKMajor, bool Continues = false>
struct wgmma_tile {
  using sum_type = wgmma_sum_t<Type>;
  static constexpr tensor_type type = Type;
  static constexpr int warpgroups = Warpgroups;
  static constexpr bool pingpong = Pingpong;
  static constexpr int m = warpgroup_rows * Warpgroups;
  static constexpr int n = N;
  static constexpr int sums = N / 2;                        ///< per thread, for 64 rows
  static constexpr int strips = Pingpong ? Warpgroups : 1;  ///< 64-row strips per warpgroup
  static constexpr int releasing_warps = Pingpong ? 4 : 4 * Warpgroups;
  static constexpr bool a_k_major = AKMajor;
  static constexpr bool b_k_major = BKMajor;
  static constexpr bool has_16_bits = Type == tensor_type::bf16 || Type == tensor_type::half;
  static constexpr bool a_in_registers = !has_16_bits && !AKMajor;
  static constexpr int threads = warpgroup_threads * (Warpgroups + 1);
  static constexpr int block_k = wgmma_block(Type);
  static constexpr int a_bytes = m * tma_row_bytes;
  static constexpr int stage_bytes = a_bytes + n * tma_row_bytes;
  // Out of the 227 KiB of shared memory per multiprocessor, the stages take 192 KiB if one block is
  // resident, or 96 KiB per block if two are.
  static constexpr int resident = Resident;
  static constexpr int stages = 192 / resident * 1024 / stage_bytes;
  static constexpr int stages_bytes = stages * stage_bytes;
  static constexpr int store_bytes = warpgroup_rows * tma_row_bytes;  // per buffer
  static constexpr int store_buffers = N <= 64 ? 1 : 2;
  static constexpr int barriers_offset = stages_bytes + store_buffers * Warpgroups * store_bytes;
  static constexpr int shared_bytes = barriers_offset + 2 * stages * 8;
  // With three warpgroups, a thread has 168 registers, or 80 if two blocks are resident. The
  // multiplying warpgroups can have more if the first one releases some.
  static constexpr bool moves_registers = Warpgroups == 2;
  static constexpr int fewer_registers = resident == 1 ? 40 : 24;
  static constexpr int more_registers = resident == 1 ? 232 : 104;
  // Keeps totals of earlier chunks besides the running one; up to 128 columns, registers suffice
  // for both. Integer sums need no chunks.
  static constexpr bool adds_chunks = Type != tensor_type::int8 && strips * N <= 128;
  static constexpr bool continues = Continues;
  static_assert(adds_chunks || !Continues);
};

/// The pipeline of a tile. A stage holds a tile of a followed by one of b.
template <class Tile>
struct wgmma_pipeline : tma_pipeline<Tile::stages, Tile::stage_bytes, Tile::barriers_offset> {
  __device__ __forceinline__ std::uint32_t a() const { return this->address(); }
  __device__ __forceinline__ std::uint32_t b() const { return a() + Tile::a_bytes; }
};

/// The arguments of a wgmma kernel.
template <class Sum>
struct wgmma_arguments {
  CUtensorMap a;
  CUtensorMap b;
  CUtensorMap c;
  tandem::detail::element_epilogue<Sum> finish;
  void* c_data = nullptr;
  index_t c_row = 0;
  index_t c_column = 0;
  index_t c_batch = 0;
  index_t c_slice = 0;  ///< stride in elements of c between the totals of consecutive slices
  int m = 0;
  int n = 0;
  int batch = 1;
  int blocks = 0;        ///< of k, in total
  int slice_blocks = 0;  ///< of k, per slice
  int chunk_blocks = 0;  ///< of k, per chunk
  int split_k_slices = 1;
  int clusters_m = 0;     ///< rows of clusters of tiles
  int tiles_n = 0;        ///< columns of clusters of tiles
  int tiles = 0;          ///< clusters of tiles, including batch and slices
  int group = 1;          ///< of place_in_group, in rows of clusters
  int cluster = 1;        ///< 1, or 2 blocks stacked in m that share tiles of b
  bool shares_a = false;  ///< the 2 blocks share a instead, side by side
  bool a_batched = true;  ///< false: one a for the whole batch
  bool b_batched = true;
  bool c_has_sums = false;  ///< c has elements of Sum, otherwise of the operands' type
  bool c_columns = false;   ///< c is written along its columns rather than its rows
  bool c_by_tma = false;    ///< tensor copies write c; `finish` is only a factor
};

/// A block's tile: first row, first column, index in the batch, blocks of k.
struct wgmma_position {
  int row;
  int column;
  int batch;
  int slice;
  int first;
  int last;
};

template <class Tile, class Sum>
__device__ __forceinline__ wgmma_position position_of(const wgmma_arguments<Sum>& p, int tile,
                                                      int rank) {
  wgmma_position at;
  const int plane = p.clusters_m * p.tiles_n;
  const int copy = tile / plane;
  const int inside = tile - copy * plane;
  at.slice = copy % p.split_k_slices;
  at.batch = copy / p.split_k_slices;
  const tile_place place = place_in_group(inside, p.clusters_m, p.tiles_n, p.group);
  at.row = (p.shares_a ? place.row : place.row * p.cluster + rank) * Tile::m;
  at.column = (p.shares_a ? place.column * p.cluster + rank : place.column) * Tile::n;
  at.first = at.slice * p.slice_blocks;
  at.last = at.first + p.slice_blocks < p.blocks ? at.first + p.slice_blocks : p.blocks;
  return at;
}

/// Enqueues the wgmma kernel for a plan's tile and operand orders. All of `arguments` must be set.
/// Defined in kernel.cuh and instantiated in instances/, which are compiled only for sm_90a.
template <tensor_type Type>
void launch_wgmma(const cuda& space, const tensor_plan& plan,
                  const wgmma_arguments<wgmma_sum_t<Type>>& arguments);

}  // namespace tandem::cuda_impl
