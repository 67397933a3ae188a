// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/hopper/multiply.cuh>
#include <tandem/backends/cuda/matmul/hopper/store.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>

#include <algorithm>
#include <array>
#include <utility>

/// Matmul on Hopper's tensor cores. A block's first warpgroup loads tiles of a and b into the
/// pipeline, the others multiply them, and blocks process successive tiles of c.
namespace tandem::cuda_impl {

/// The source of one operand's part of a tile.
struct wgmma_source {
  const CUtensorMap* map;
  int outer;  ///< first row of a or column of b
  int plane;
  int rank;
  int multicast;  ///< 1: the two blocks of a cluster each load half of it for both; otherwise 0
};

/// Issues the copy of one operand's part of a stage, with all terms of the stage. It consists of
/// `Rows` runs along k, or of TMA tiles of `Width` runs along the other index.
template <bool KMajor, int Rows, int Width>
__device__ __forceinline__ void load_stage(const wgmma_source& from, std::uint32_t target,
                                           std::uint32_t barrier, int k) {
  constexpr std::uint16_t both = 3;
  constexpr int half = Rows / 2;
  if constexpr (KMajor) {
    if (from.multicast == 0)
      return ptx::tma_load(target, *from.map, barrier, k, from.outer, from.plane);
    ptx::tma_load_multicast(target + from.rank * half * tma_row_bytes, *from.map, barrier, k,
                            from.outer + from.rank * half, from.plane, both);
  } else {
#pragma unroll
    for (int row = 0; row < Rows; row += Width) {
      const std::uint32_t place = target + row * tma_row_bytes;
      if (from.multicast == 0) {
        ptx::tma_load(place, *from.map, barrier, from.outer + row, k, from.plane);
      } else if (row / half == from.rank) {
        ptx::tma_load_multicast(place, *from.map, barrier, from.outer + row, k, from.plane, both);
      }
    }
  }
}

/// Loads one operand's part of all stages of a tile.
template <class Tile, bool KMajor, int Rows>
__device__ __forceinline__ void load_tile(const wgmma_position& at, const wgmma_source& from,
                                          wgmma_pipeline<Tile>& pipeline, std::uint32_t target) {
  for (int block = at.first; block < at.last; ++block) {
    ptx::barrier_wait(pipeline.empty(), pipeline.parity);
    ptx::barrier_arrive_expect_tx(pipeline.full(), Rows * tma_row_bytes);
    load_stage<KMajor, Rows, Tile::block_k>(from, target + pipeline.stage * Tile::stage_bytes,
                                            pipeline.full(), block * Tile::block_k);
    pipeline.advance();
  }
}

/// The producer warpgroup: one thread loads tiles of a, and a thread of another warp loads tiles of
/// b.
template <class Tile, class Sum>
__device__ __forceinline__ void producer(const wgmma_arguments<Sum>& p, std::uint32_t shared,
                                         int rank, bool loads_a) {
  wgmma_pipeline<Tile> pipeline{{shared, 0, 1}};
  const int multicast_a = ptx::optimization_barrier(p.shares_a ? p.cluster - 1 : 0);
  const int multicast_b = ptx::optimization_barrier(p.shares_a ? 0 : p.cluster - 1);
  const int clusters = static_cast<int>(gridDim.x) / p.cluster;
  for (int tile = static_cast<int>(blockIdx.x) / p.cluster; tile < p.tiles; tile += clusters) {
    const wgmma_position at = position_of<Tile>(p, tile, rank);
    if (loads_a) {
      const wgmma_source a{&p.a, at.row, p.a_batched ? at.batch : 0, rank, multicast_a};
      load_tile<Tile, Tile::a_k_major, Tile::m>(at, a, pipeline, shared);
    } else {
      const wgmma_source b{&p.b, at.column, p.b_batched ? at.batch : 0, rank, multicast_b};
      load_tile<Tile, Tile::b_k_major, Tile::n>(at, b, pipeline, shared + Tile::a_bytes);
    }
  }
}

/// Loads a warpgroup's totals of earlier terms from c, in the places of the instruction's sums.
template <class Tile, class Sum>
__device__ __forceinline__ void load_totals(const wgmma_arguments<Sum>& p, const wgmma_position& at,
                                            int warpgroup, Sum (&totals)[Tile::sums]) {
  const int thread = static_cast<int>(threadIdx.x) % warpgroup_threads;
  const int first_row = at.row + warpgroup * warpgroup_rows + thread / 32 * 16 + thread % 32 / 4;
  const int first_column = at.column + thread % 4 * 2;
  const Sum* const c = static_cast<const Sum*>(p.c_data) + at.batch * p.c_batch;
#pragma unroll
  for (int i = 0; i < Tile::sums; ++i) {
    const int row = first_row + i / 2 % 2 * 8;
    const int column = first_column + i / 4 * 8 + i % 2;
    const bool exists = row < p.m && column < p.n;
    totals[i] = exists ? c[row * p.c_row + column * p.c_column] : Sum{0};
  }
}

/// Computes the totals of a tile, either from one chunk or from several added in ascending order,
/// to the totals of earlier terms if there are any.
template <class Tile, class Sum>
__device__ __forceinline__ void multiply_tile(const wgmma_arguments<Sum>& p,
                                              const wgmma_position& at,
                                              wgmma_pipeline<Tile>& pipeline, int warpgroup,
                                              Sum (&totals)[Tile::strips][Tile::sums]) {
  const int blocks = at.last - at.first;
  const auto multiply = [&](int some, Sum(&sums)[Tile::strips][Tile::sums]) {
    if constexpr (Tile::a_in_registers) {
      multiply_chunk_a_in_registers(pipeline, warpgroup, some, p.cluster, sums[0]);
    } else {
      multiply_chunk(pipeline, warpgroup, some, p.cluster, sums);
    }
  };
  if constexpr (!Tile::adds_chunks) {
    multiply(blocks, totals);
  } else {
    static_assert(Tile::strips == 1);
    if constexpr (Tile::continues) load_totals<Tile>(p, at, warpgroup, totals[0]);
    for (int done = 0; done < blocks; done += p.chunk_blocks) {
      Sum sums[1][Tile::sums];
      const int left = blocks - done;
      multiply(left < p.chunk_blocks ? left : p.chunk_blocks, sums);
#pragma unroll
      for (int i = 0; i < Tile::sums; ++i)
        totals[0][i] = !Tile::continues && done == 0 ? sums[0][i] : totals[0][i] + sums[0][i];
    }
  }
}

/// Returns x of the warp's first lane, so that the compiler knows it is uniform.
__device__ __forceinline__ int uniform(unsigned x) {
  return static_cast<int>(__shfl_sync(0xffffffff, x, 0));
}

/// A consumer warpgroup.
template <class Tile, class Sum>
__device__ __forceinline__ void consumer(const wgmma_arguments<Sum>& p, std::uint32_t shared,
                                         int rank) {
  wgmma_pipeline<Tile> pipeline{{shared}};
  const int warpgroup = uniform(threadIdx.x / warpgroup_threads) - 1;
  const std::uint32_t buffers =
      shared + Tile::stages_bytes + warpgroup * Tile::store_buffers * Tile::store_bytes;
  const int clusters = static_cast<int>(gridDim.x) / p.cluster;
  int turn = 0;
  if (Tile::pingpong && warpgroup == 1) pass_turn(warpgroup);  // warpgroup 0 goes first
  for (int tile = static_cast<int>(blockIdx.x) / p.cluster; tile < p.tiles; tile += clusters) {
    wgmma_position at = position_of<Tile>(p, tile, rank);
    if constexpr (Tile::pingpong) {
      const bool others = turn != warpgroup;
      turn = turn + 1 < Tile::warpgroups ? turn + 1 : 0;
      if (others) {
        pipeline.skip(at.last - at.first);
        continue;
      }
      await_turn(warpgroup);
    }
    Sum totals[Tile::strips][Tile::sums];
    multiply_tile<Tile>(p, at, pipeline, warpgroup, totals);
    if constexpr (std::is_integral_v<Sum>) {
      store_tile<Tile>(p, at, totals[0], buffers, warpgroup);
    } else {
      at.row += Tile::pingpong ? 0 : warpgroup * warpgroup_rows;
#pragma unroll
      for (int i = 0; i < Tile::strips; ++i, at.row += warpgroup_rows)
        store_tile<Tile>(p, at, totals[i], buffers, i);
    }
  }
  if (p.c_by_tma && threadIdx.x % warpgroup_threads == 0) ptx::tma_store_wait_read<0>();
}

/// Initialises the barriers, before any block of the cluster uses another block's.
template <class Tile, class Sum>
__device__ __forceinline__ void init_barriers(const wgmma_arguments<Sum>& p, std::uint32_t shared) {
  if (threadIdx.x == warpgroup_threads) {  // a thread of another warp, concurrently
    ptx::prefetch_tensor_map(p.a);
    ptx::prefetch_tensor_map(p.b);
    if (p.c_by_tma) ptx::prefetch_tensor_map(p.c);
  }
  if (threadIdx.x == 0) {
    const wgmma_pipeline<Tile> pipeline{{shared}};
    pipeline.init_barriers(2, Tile::releasing_warps * p.cluster);  // full: a and b
  }
  __syncthreads();
  if (p.cluster > 1) sync_cluster();
}

/// Computes c from a and b as the arguments specify. The grid consists of whole clusters, at most
/// p.tiles of them.
template <tensor_type Type, int Warpgroups, int N, bool Pingpong, int Resident, bool AKMajor,
          bool BKMajor, bool Continues>
__global__ void __launch_bounds__(warpgroup_threads*(Warpgroups + 1), Resident)
    matmul_wgmma_kernel(const __grid_constant__ wgmma_arguments<wgmma_sum_t<Type>> p) {
  using tile = wgmma_tile<Type, Warpgroups, N, Pingpong, Resident, AKMajor, BKMajor, Continues>;
  extern __shared__ __align__(1024) unsigned char wgmma_shared[];
  const std::uint32_t shared = ptx::optimization_barrier(ptx::shared_address(wgmma_shared));
  const int rank = p.cluster > 1 ? static_cast<int>(ptx::cluster_rank()) : 0;
  init_barriers<tile>(p, shared);
  ptx::grid_dependency_wait();
  if (threadIdx.x < warpgroup_threads) {
    if constexpr (tile::moves_registers) ptx::decrease_registers<tile::fewer_registers>();
    if constexpr (Type == tensor_type::int8) {  // otherwise ptxas spills consumers' common values
      if (threadIdx.x % 32 == 0 && threadIdx.x < 64)
        producer<tile>(p, shared, rank, threadIdx.x == 0);
    } else {
      const int warp = uniform(threadIdx.x / 32);
      if (warp < 2 && ptx::elect_one()) producer<tile>(p, shared, rank, warp == 0);
    }
  } else {
    if constexpr (tile::moves_registers) ptx::increase_registers<tile::more_registers>();
    consumer<tile>(p, shared, rank);
  }
  __syncwarp();
  if (p.cluster > 1) sync_cluster();  // no block exits while another may still signal it
}

// Dispatch among the wgmma kernels of a type, one for each of the plan's tiles and operand orders;
// instances/ instantiates them.

/// The tile that a plan's index refers to for a given element type.
template <tensor_type Type, int Tile>
inline constexpr tensor_tile wgmma_shape = hopper_tiles(Type)[static_cast<std::size_t>(Tile)];

template <tensor_type Type>
inline constexpr int wgmma_shapes = static_cast<int>(hopper_tiles(Type).size());

template <tensor_type Type, int Tile, bool AKMajor, bool BKMajor, bool Continues = false>
void launch_wgmma_kernel(const cuda& space, const wgmma_arguments<wgmma_sum_t<Type>>& p) {
  constexpr tensor_tile shape = wgmma_shape<Type, Tile>;
  constexpr int rows = shape.warpgroups;
  constexpr int resident = shape.min_blocks_per_sm;
  using tile = wgmma_tile<Type, rows, shape.n, shape.pingpong, resident, AKMajor, BKMajor>;
  const int blocks = resident * limits(space).multiprocessors;
  const int clusters = std::min(p.tiles, blocks / p.cluster);
  const launch_shape launched{.grid = dim3(static_cast<unsigned>(clusters * p.cluster)),
                              .block = dim3(tile::threads),
                              .shared_bytes = tile::shared_bytes,
                              .label = "matmul (wgmma)",
                              .programmatic_launch = true,
                              .cluster = static_cast<unsigned>(p.cluster)};
  launch(space, launched,
         &matmul_wgmma_kernel<Type, rows, shape.n, shape.pingpong, resident, AKMajor, BKMajor,
                              Continues>,
         p);
}

/// Launches the kernel of 16-bit elements for a tile and the plan's orders.
template <tensor_type Type, int Tile, bool Continues>
void launch_wgmma_orders(const cuda& space, const tensor_plan& plan,
                         const wgmma_arguments<float>& p) {
  if constexpr (wgmma_shape<Type, Tile>.n >= 64) {
    if (!plan.a.k_major && !plan.b.k_major)
      return launch_wgmma_kernel<Type, Tile, false, false, Continues>(space, p);
    if (!plan.b.k_major) return launch_wgmma_kernel<Type, Tile, true, false, Continues>(space, p);
  }
  if (!plan.a.k_major) return launch_wgmma_kernel<Type, Tile, false, true, Continues>(space, p);
  launch_wgmma_kernel<Type, Tile, true, true, Continues>(space, p);
}

/// Launches the kernel for a tile and the plan's orders. b is K-major for tf32 and 8-bit integers,
/// and in tiles narrower than a TMA tile.
template <tensor_type Type, int Tile>
void launch_wgmma_tile(const cuda& space, const tensor_plan& plan,
                       const wgmma_arguments<wgmma_sum_t<Type>>& p) {
  constexpr tensor_tile shape = wgmma_shape<Type, Tile>;
  constexpr int element_bytes = tma_row_bytes / wgmma_block(Type);
  if constexpr (shape.element_bytes != 0 && shape.element_bytes != element_bytes) {
    return;  // the plan never chooses it
  } else if constexpr (Type == tensor_type::tf32 || Type == tensor_type::int8) {
    if constexpr (Type == tensor_type::int8 || shape.takes_a_in_registers()) {
      if (!plan.a.k_major) return launch_wgmma_kernel<Type, Tile, false, true>(space, p);
    }
    launch_wgmma_kernel<Type, Tile, true, true>(space, p);
  } else {
    if constexpr (Tile == continuing_tensor_tile) {
      if (plan.continues) return launch_wgmma_orders<Type, Tile, true>(space, plan, p);
    }
    launch_wgmma_orders<Type, Tile, false>(space, plan, p);
  }
}

template <tensor_type Type>
void launch_wgmma(const cuda& space, const tensor_plan& plan,
                  const wgmma_arguments<wgmma_sum_t<Type>>& arguments) {
  constexpr auto tiles = []<int... Tile>(std::integer_sequence<int, Tile...>) {
    using launcher =
        void (*)(const cuda&, const tensor_plan&, const wgmma_arguments<wgmma_sum_t<Type>>&);
    return std::array<launcher, sizeof...(Tile)>{&launch_wgmma_tile<Type, Tile>...};
  }(std::make_integer_sequence<int, wgmma_shapes<Type>>{});
  tiles[static_cast<std::size_t>(plan.tile)](space, plan, arguments);
}

}  // namespace tandem::cuda_impl
