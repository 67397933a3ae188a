// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/loop/narrow_grid.cuh>

namespace tandem {

namespace cuda_impl {

/// The indices of one launch along x (contiguous), y and z. A plane has one element along z.
template <class Index>
struct grid_chunk {
  Index begin[3];
  std::make_unsigned_t<Index> count[3];
};

/// Where this block's tile begins along one dimension, and how many indices are left from there to
/// the end of the chunk.
template <class Index>
struct tile_edge {
  Index at;
  std::make_unsigned_t<Index> left;

  __device__ tile_edge(const grid_chunk<Index>& chunk, int d, unsigned block, unsigned tile) {
    const auto first = static_cast<std::make_unsigned_t<Index>>(block) * tile;
    at = static_cast<Index>(static_cast<std::make_unsigned_t<Index>>(chunk.begin[d]) + first);
    left = chunk.count[d] - first;
  }
};

/// Calls call(i) for the `whole` whole warps of a row's tail, which is shorter than a warp's tile:
/// one index per thread for each of them.
template <int Items, class Index, class Call>
__device__ inline void call_row_tail(const Call& call, Index first, unsigned whole) {
  if constexpr (Items > 0) {
    if (whole == Items) {
      call_strided<Items, warp_threads>(call, first);
    } else {
      call_row_tail<Items - 1>(call, first, whole);
    }
  }
}

/// Calls call(i) for the columns of one warp: `Items` per thread, a warp apart. The row has `left`
/// columns from the warp's first one on. The barrier keeps a thread's indices one value plus
/// constants (see range_kernel).
template <int Items, class Index, class Unsigned, class Call>
__device__ inline void run_columns(const Call& call, Index first, Unsigned left) {
  constexpr unsigned tile = warp_threads * Items;
  const unsigned lane = threadIdx.x % warp_threads;
  const Index i = ptx::optimization_barrier(first + static_cast<Index>(lane));
  if (left >= tile) {
    call_strided<Items, warp_threads>(call, i);
  } else {
    const auto rest = static_cast<unsigned>(left);
    call_row_tail<Items - 1>(call, i, rest / warp_threads);
    if (lane < rest % warp_threads)
      call(i + static_cast<Index>(rest / warp_threads * warp_threads));
  }
}

/// Calls f for the indices of one thread: `Items` of a row where `unrolled`, otherwise one.
///
/// The indices of a thread run along x, where the compiler knows their distance. It cannot know
/// that two rows of a view that f reads and writes do not overlap.
template <int Rank, int Items, class Index, class F>
__device__ inline void run_tile(const F& f, const grid_chunk<Index>& chunk, bool unrolled) {
  using Result = loop_index<F>;
  const tile_edge<Index> x(chunk, 0, blockIdx.x, blockDim.x * (unrolled ? Items : 1));
  const tile_edge<Index> y(chunk, 1, blockIdx.y, blockDim.y);
  const tile_edge<Index> z(chunk, 2, blockIdx.z, blockDim.z);
  if (threadIdx.y >= y.left || threadIdx.z >= z.left) return;
  const auto j = static_cast<Result>(y.at + static_cast<Index>(threadIdx.y));
  const auto k = static_cast<Result>(z.at + static_cast<Index>(threadIdx.z));
  const auto call = [&](Index i) {
    if constexpr (Rank == 2) {
      f(j, static_cast<Result>(i));
    } else {
      f(k, j, static_cast<Result>(i));
    }
  };
  if (unrolled) {
    const unsigned column = threadIdx.x / warp_threads * (warp_threads * Items);
    if (column >= x.left) return;
    run_columns<Items>(call, x.at + static_cast<Index>(column), x.left - column);
  } else if (threadIdx.x < x.left) {
    call(x.at + static_cast<Index>(threadIdx.x));
  }
}

/// Runs the loop in blocks of policy.hpp's shape.
template <int Rank, class Index, class F>
__global__ void __launch_bounds__(loops.block)
    grid_kernel(const __grid_constant__ F f, grid_chunk<Index> chunk, bool unrolled) {
  ptx::grid_dependency_wait();
  run_tile<Rank, loop_items<F>>(f, chunk, unrolled);
}

/// Runs the loop in blocks of the caller's shape, of at most `Threads` threads, with one index per
/// thread.
template <int Threads, int Rank, class Index, class F>
__global__ void __launch_bounds__(Threads)
    grid_block_kernel(const __grid_constant__ F f, grid_chunk<Index> chunk) {
  ptx::grid_dependency_wait();
  run_tile<Rank, 1>(f, chunk, false);
}

/// How a loop over a grid runs: its blocks, and the indices of a row per thread.
struct grid_plan {
  block_shape block;
  int items = 1;
  bool exact = false;   ///< the caller chose the block
  bool narrow = false;  ///< numbered through (narrow_grid.cuh) rather than tiled
};

/// Decides how a loop over a grid runs.
///
/// @param items  indices per thread where the grid is large enough
/// Errors        argument_error when the device cannot run the block that the caller chose
inline grid_plan plan_grid(const cuda& space, const char* label, const index_t (&size)[3],
                           const index_t (&block)[3], int items) {
  if (block[0] != 0 || block[1] != 0 || block[2] != 0) {
    require_block(space, label, block[0], block[1], block[2]);
    return {{static_cast<int>(block[0]), static_cast<int>(block[1]), static_cast<int>(block[2])},
            1,
            true};
  }
  const device_limits& device = limits(space);
  const index_t indices = size[0] * size[1] * size[2];
  const bool large = unrolls(indices, device.compute_capability, device.multiprocessors);
  const bool unrolled = large && size[0] >= warp_threads * items;
  return {grid_block(size[0], size[1], size[2]), unrolled ? items : 1, false,
          large && is_narrow(size[0], indices)};
}

/// Launches the chunk of `count` indices from `begin` on, both along x, y and z.
template <int Rank, int Threads, class F>
void launch_chunk(const cuda& space, const char* label, const grid_plan& plan,
                  const index_t (&begin)[3], const index_t (&count)[3], const F& f) {
  using Index = work_index<F>;
  const auto blocks = [&](int d, int tile) {
    return static_cast<unsigned>(ceil_div(count[d], index_t{tile}));
  };
  const auto threads = [](int n) { return static_cast<unsigned>(n); };
  const auto& [x, y, z] = plan.block;
  const launch_shape shape{.grid = dim3(blocks(0, x * plan.items), blocks(1, y), blocks(2, z)),
                           .block = dim3(threads(x), threads(y), threads(z)),
                           .label = label,
                           .programmatic_launch = true};
  grid_chunk<Index> chunk;
  for (int d = 0; d < 3; ++d) {
    chunk.begin[d] = static_cast<Index>(begin[d]);
    chunk.count[d] = static_cast<std::make_unsigned_t<Index>>(count[d]);
  }
  if (plan.exact) {
    launch(space, shape, grid_block_kernel<Threads, Rank, Index, F>, f, chunk);
  } else {
    launch(space, shape, grid_kernel<Rank, Index, F>, f, chunk, plan.items > 1);
  }
}

/// Launches the whole grid in as many chunks as the limits of one launch require, nearly always
/// one.
template <int Rank, int Threads, class F>
void launch_grid(const cuda& space, const char* label, const index_t (&size)[3],
                 const index_t (&block)[3], const F& f) {
  const grid_plan plan = plan_grid(space, label, size, block, loop_items<F>);
  if (plan.narrow) return launch_narrow_grid<Rank>(space, label, size, f);
  const index_t step[3] = {max_grid_x * plan.block.x * plan.items, max_grid_yz * plan.block.y,
                           max_grid_yz * plan.block.z};
  index_t begin[3] = {};
  for (begin[2] = 0; begin[2] < size[2]; begin[2] += step[2]) {
    for (begin[1] = 0; begin[1] < size[1]; begin[1] += step[1]) {
      for (begin[0] = 0; begin[0] < size[0]; begin[0] += step[0]) {
        const index_t count[3] = {tandem::min(step[0], size[0] - begin[0]),
                                  tandem::min(step[1], size[1] - begin[1]),
                                  tandem::min(step[2], size[2] - begin[2])};
        launch_chunk<Rank, Threads>(space, label, plan, begin, count, f);
      }
    }
  }
}

}  // namespace cuda_impl

namespace cuda_impl {

/// Launches a grid in blocks of at most `Threads` threads, where the caller chose them.
template <int Threads, int Rank, class F>
void launch_loop(const cuda& space, const char* label, const grid<Rank>& g, const F& f) {
  require_argument_size<F>();
  if constexpr (Rank == 2) {
    const index_t block_z = g.block[0] != 0 || g.block[1] != 0 ? 1 : 0;
    launch_grid<2, Threads>(space, label, {g.sizes[1], g.sizes[0], 1},
                            {g.block[1], g.block[0], block_z}, f);
  } else {
    launch_grid<3, Threads>(space, label, {g.sizes[2], g.sizes[1], g.sizes[0]},
                            {g.block[2], g.block[1], g.block[0]}, f);
  }
}

}  // namespace cuda_impl

/// Runs parallel_for over a grid: f(j, i) or f(k, j, i) for each index, neighbours along i in
/// neighbouring threads. A block shape that the caller chose is launched exactly, with one index
/// per thread.
template <int Rank, class F>
void dispatch_for(const cuda& space, const char* label, const grid<Rank>& g, const F& f) {
  cuda_impl::launch_loop<cuda_impl::max_block_threads>(space, label, g, f);
}

/// Runs parallel_for over a grid in blocks of a size that is known to the compiler.
template <int Rank, index_t Threads, class F>
void dispatch_for(const cuda& space, const char* label, const block_grid<Rank, Threads>& g,
                  const F& f) {
  cuda_impl::launch_loop<static_cast<int>(Threads), Rank>(space, label, g, f);
}

}  // namespace tandem
