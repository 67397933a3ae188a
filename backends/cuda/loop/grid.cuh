// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/loop/narrow_grid.cuh>

namespace tandem {

namespace cuda_impl {

/// The function behind an adapter to a grid from zero, and where its indices begin.
///
/// If the adapter added them, the compiler would not see that the row below a thread's first row is
/// its second row, and would load what both need twice.
template <class F>
struct unshifted {
  static constexpr bool is_shifted = false;
  using function = F;

  __device__ static const function& of(const F& f) { return f; }
  __device__ static int first(const F&, int) { return 0; }
};
template <int Rank, class Index, class F>
struct unshifted<tandem::detail::shifted<Rank, Index, F>> {
  static constexpr bool is_shifted = true;
  using function = F;
  using shifted = tandem::detail::shifted<Rank, Index, F>;

  __device__ static const function& of(const shifted& f) { return f.function; }
  /// Dimension d: 0 for columns, 1 for rows, 2 for planes.
  __device__ static Index first(const shifted& f, int d) {
    return d < Rank ? f.first[Rank - 1 - d] : Index{0};
  }
};

/// Type in which a launch of a loop counts indices. 32 bits save registers, so that more warps of a
/// stencil are resident; only loops over ranges were faster with them.
template <class F, class Index>
using grid_count =
    std::conditional_t<unshifted<F>::is_shifted, unsigned, std::make_unsigned_t<Index>>;

/// The indices of one launch along x (contiguous), y and z. A plane has extent 1 along z.
template <class Index, class Count>
struct grid_chunk {
  Index begin[3];
  Count count[3];
};

/// Indices per thread of a row, and rows per thread, in a large grid.
template <class F>
inline constexpr int grid_items = loop_items<F> < grids.items ? loop_items<F> : grids.items;
template <class F>
inline constexpr int grid_rows = loop_items<F> < loops.items ? 1 : grids.rows;

/// First index of this block's tile along one dimension, and the number of indices from there to
/// the end of the chunk.
template <class Index, class Count>
struct tile_edge {
  Index at;
  Count left;

  __device__ tile_edge(const grid_chunk<Index, Count>& chunk, int d, unsigned block,
                       unsigned tile) {
    const auto first = static_cast<Count>(block) * tile;
    at = static_cast<Index>(static_cast<std::make_unsigned_t<Index>>(chunk.begin[d]) + first);
    left = chunk.count[d] - first;
  }
};

/// Calls f(j, i), or f(k, j, i) with the thread's k if the chunk has three dimensions.
template <int Rank, class Index, class F>
struct plane_call {
  const F& f;
  Index k;

  __device__ void operator()(Index j, Index i) const {
    using Result = loop_index<F>;
    if constexpr (Rank == 2) {
      f(static_cast<Result>(j), static_cast<Result>(i));
    } else {
      f(static_cast<Result>(k), static_cast<Result>(j), static_cast<Result>(i));
    }
  }
};

/// Calls call(j, i) for a row's remaining `left` columns, starting at a warp's first one; at most
/// `Items` per thread. The barrier keeps a thread's indices in the form of one value plus constants
/// (see range_kernel).
template <int Items, class Index, class Unsigned, class Call>
__device__ inline void run_columns(const Call& call, Index j, Index first, Unsigned left) {
  const unsigned lane = threadIdx.x % warp_threads;
  const Index i = ptx::optimization_barrier(first + static_cast<Index>(lane));
  const auto in_row = [&](Index column) { call(j, column); };
  if (left >= warp_threads * Items) {
    call_strided<Items, warp_threads>(in_row, i);
  } else {
#pragma unroll 1
    for (unsigned column = lane; column < left; column += warp_threads)
      in_row(i + static_cast<Index>(column - lane));
  }
}

/// Runs a large loop in blocks of the shape given in policy.hpp. A thread processes grid_items
/// indices, one warp apart, in each of `rows` rows; `rows` is grid_rows or one.
///
/// The compiler knows the distance between a thread's indices in a row, so it may issue all their
/// loads before the first store. It cannot know that two rows of a view that f reads and writes do
/// not overlap. Adjacent rows nevertheless share loads from const views if f is a stencil.
template <int Rank, class Index, class F>
__global__ void __launch_bounds__(loops.block)
    grid_tile_kernel(const __grid_constant__ F f, grid_chunk<Index, grid_count<F, Index>> chunk,
                     int rows) {
  ptx::grid_dependency_wait();
  constexpr int items = grid_items<F>;
  constexpr unsigned warp_tile = warp_threads * items;
  const tile_edge x(chunk, 0, blockIdx.x, blockDim.x * items);
  const tile_edge y(chunk, 1, blockIdx.y, blockDim.y * static_cast<unsigned>(rows));
  const tile_edge z(chunk, 2, blockIdx.z, blockDim.z);
  const unsigned column = threadIdx.x / warp_threads * warp_tile;
  const unsigned row = threadIdx.y * static_cast<unsigned>(rows);
  if (column >= x.left || row >= y.left || threadIdx.z >= z.left) return;
  const plane_call<Rank, Index, F> call{f, z.at + static_cast<Index>(threadIdx.z)};
  const Index first = x.at + static_cast<Index>(column);
  const Index top = y.at + static_cast<Index>(row);
  using inner = unshifted<F>;
  const plane_call<Rank, Index, typename inner::function> call_inner{
      inner::of(f), static_cast<Index>(call.k + inner::first(f, 2))};
  const Index inner_top = static_cast<Index>(top + inner::first(f, 1));
  const Index j = inner::is_shifted ? ptx::optimization_barrier(inner_top) : inner_top;
  if (rows == grid_rows<F> && y.left - row >= grid_rows<F> && x.left - column >= warp_tile) {
    const Index i = ptx::optimization_barrier(static_cast<Index>(
        first + inner::first(f, 0) + static_cast<Index>(threadIdx.x % warp_threads)));
#pragma unroll
    for (int r = 0; r < grid_rows<F>; ++r)
      call_strided<items, warp_threads>([&](Index column) { call_inner(j + r, column); }, i);
  } else {
#pragma unroll 1
    for (unsigned r = 0; r < static_cast<unsigned>(rows) && r < y.left - row; ++r)
      run_columns<items>(call, top + static_cast<Index>(r), first, x.left - column);
  }
}

/// Runs the loop with one index per thread, in blocks of at most `Threads` threads.
template <int Threads, int Rank, class Index, class F>
__global__ void __launch_bounds__(Threads)
    grid_kernel(const __grid_constant__ F f, grid_chunk<Index, grid_count<F, Index>> chunk) {
  ptx::grid_dependency_wait();
  const tile_edge x(chunk, 0, blockIdx.x, blockDim.x);
  const tile_edge y(chunk, 1, blockIdx.y, blockDim.y);
  const tile_edge z(chunk, 2, blockIdx.z, blockDim.z);
  if (threadIdx.x >= x.left || threadIdx.y >= y.left || threadIdx.z >= z.left) return;
  const plane_call<Rank, Index, F> call{f, z.at + static_cast<Index>(threadIdx.z)};
  call(y.at + static_cast<Index>(threadIdx.y), x.at + static_cast<Index>(threadIdx.x));
}

/// How a loop over a grid runs: its block shape and the indices per thread.
struct grid_plan {
  block_shape block;
  int items = 1;        ///< indices per thread in a row
  int rows = 1;         ///< adjacent rows per thread
  bool exact = false;   ///< the caller chose the block
  bool narrow = false;  ///< flattened (narrow_grid.cuh) rather than tiled
};

/// Plans a loop over a grid. In a large grid, each thread processes `items` indices in each of
/// `rows` rows.
///
/// Errors  argument_error if the device cannot run the block that the caller chose
inline grid_plan plan_grid(const cuda& space, const char* label, const index_t (&size)[3],
                           const index_t (&block)[3], int items, int rows) {
  if (block[0] != 0 || block[1] != 0 || block[2] != 0) {
    require_block(space, label, block[0], block[1], block[2]);
    return {.block = {static_cast<int>(block[0]), static_cast<int>(block[1]),
                      static_cast<int>(block[2])},
            .exact = true};
  }
  const auto has_threads = [&](index_t indices) {
    const device_limits& device = limits(space);
    return unrolls(indices, device.compute_capability, device.multiprocessors);
  };
  const index_t indices = size[0] * size[1] * size[2];
  grid_plan plan{.block = grid_block(size[0], size[1], size[2])};
  if (!has_threads(indices)) return plan;
  plan.narrow = is_narrow(size[0], indices);
  if (size[0] >= warp_threads * items) plan.items = items;
  if (plan.items > 1 && has_threads(indices / grids.row_threads)) plan.rows = rows;
  return plan;
}

/// Launches the chunk of `count` indices that starts at `begin`; both are along x, y and z.
template <int Rank, int Threads, class F>
void launch_chunk(const cuda& space, const char* label, const grid_plan& plan,
                  const index_t (&begin)[3], const index_t (&count)[3], const F& f) {
  using Index = work_index<F>;
  const auto blocks = [&](int d, int tile) {
    return static_cast<unsigned>(ceil_div(count[d], index_t{tile}));
  };
  const auto threads = [](int n) { return static_cast<unsigned>(n); };
  const auto& [x, y, z] = plan.block;
  const launch_shape shape{
      .grid = dim3(blocks(0, x * plan.items), blocks(1, y * plan.rows), blocks(2, z)),
      .block = dim3(threads(x), threads(y), threads(z)),
      .label = label,
      .programmatic_launch = true};
  using Count = grid_count<F, Index>;
  grid_chunk<Index, Count> chunk;
  for (int d = 0; d < 3; ++d) {
    chunk.begin[d] = static_cast<Index>(begin[d]);
    chunk.count[d] = static_cast<Count>(count[d]);
  }
  if (plan.exact) {
    launch(space, shape, grid_kernel<Threads, Rank, Index, F>, f, chunk);
    return;
  }
  if constexpr (grid_items<F> > 1) {
    if (plan.items > 1)
      return launch(space, shape, grid_tile_kernel<Rank, Index, F>, f, chunk, plan.rows);
  }
  launch(space, shape, grid_kernel<loops.block, Rank, Index, F>, f, chunk);
}

/// Launches the whole grid. It is split into chunks if it exceeds the limits of one launch, which
/// is rare.
template <int Rank, int Threads, class F>
void launch_grid(const cuda& space, const char* label, const index_t (&size)[3],
                 const index_t (&block)[3], const F& f) {
  const grid_plan plan = plan_grid(space, label, size, block, grid_items<F>, grid_rows<F>);
  if (plan.narrow) return launch_narrow_grid<Rank>(space, label, size, f);
  const index_t step[3] = {columns_of_launch(plan.block.x * plan.items),
                           max_grid_yz * plan.block.y * plan.rows, max_grid_yz * plan.block.z};
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

/// Launches a grid in blocks of at most `Threads` threads if the caller chose the block shape.
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

/// Runs parallel_for over a grid: calls f(j, i) or f(k, j, i) for each index. Adjacent indices
/// along i run on adjacent threads. A block shape that the caller chose is launched exactly, with
/// one index per thread.
template <int Rank, class F>
void dispatch_for(const cuda& space, const char* label, const grid<Rank>& g, const F& f) {
  cuda_impl::launch_loop<cuda_impl::max_block_threads>(space, label, g, f);
}

/// Runs parallel_for over a grid in blocks whose size is a compile-time constant.
template <int Rank, index_t Threads, class F>
void dispatch_for(const cuda& space, const char* label, const block_grid<Rank, Threads>& g,
                  const F& f) {
  cuda_impl::launch_loop<static_cast<int>(Threads), Rank>(space, label, g, f);
}

}  // namespace tandem
