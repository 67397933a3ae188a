// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/batched/kernel.cuh>
#include <tandem/backends/cuda/matmul/batched/pipeline_engine.cuh>

#include <bit>
#include <climits>

namespace tandem::cuda_impl {

/// An operand whose rows are copied 16 bytes at a time. Strides in elements.
template <class T>
struct panel_operand {
  const T* data = nullptr;
  index_t batch_stride = 0;
  index_t row_stride = 0;
  index_t slice_stride = 0;  ///< from one slice of k to the next
};

/// What matmul_panels_kernel is given.
template <class T>
struct panel_arguments {
  panel_operand<T> a;
  panel_operand<T> b;
  int slices = 1;  ///< of k
  index_t batch = 0;
  matmul_arguments<T> problem = {};  ///< of which extents, c and finish are used
};

/// The tile as kernels take it: nvcc 13.0 cannot compile kernels with a template argument of class
/// type.
template <class T, int Index>
inline constexpr panel_tile panel_tile_of = panel_candidates<T>()[Index].tile;

/// The block of threads of a tile, as batched_min_blocks_per_sm takes it.
template <class T, int Index>
inline constexpr batched_tile panel_block_of = {
    .threads = panel_tile_of<T, Index>.threads(),
    .min_blocks_per_sm = panel_tile_of<T, Index>.min_blocks_per_sm};

/// Lanes that copy a row of `Units` x 16 bytes: a power of 2, so that they are found by shifts.
template <int Units>
inline constexpr int panel_lanes = static_cast<int>(std::bit_ceil(static_cast<unsigned>(Units)));

/// Starts the copies of `rows` rows of `units` x 16 bytes, of which a stage has room for Rows x
/// Units, to rows of Pitch elements.
template <int Rows, int Units, int Pitch, int Threads, class T>
__device__ __forceinline__ void copy_panel_rows(const T* source, index_t row_stride, int rows,
                                                int units, std::uint32_t target) {
  constexpr int width = static_cast<int>(vector_width<T>);
  constexpr int lanes = panel_lanes<Units>;
  constexpr int step = Threads / lanes;
  const int row = static_cast<int>(threadIdx.x) / lanes;
  const int unit = static_cast<int>(threadIdx.x) % lanes;
  const bool active = unit < min(units, Units) && (Threads % lanes == 0 || row < step);
  source += row * row_stride + unit * width;
  target += static_cast<unsigned>((row * Pitch + unit * width) * sizeof(T));
#pragma unroll
  for (int i = 0; i < Rows; i += step) {
    ptx::copy_async<16>(target + static_cast<unsigned>(i * Pitch * sizeof(T)), source,
                        active && row + i < rows);
    source += step * row_stride;
  }
}

/// Where a block is in its work: slice after slice of panel after panel, of which a product has
/// `Panels`.
template <int Panels, class T>
struct panel_position {
  index_t panel;  ///< counted through all of the batch
  int slice = 0;

  __device__ __forceinline__ bool exists(const panel_arguments<T>& p) const {
    return panel < p.batch * Panels;
  }
  __device__ __forceinline__ index_t product() const { return panel / Panels; }
  __device__ __forceinline__ int in_product() const { return static_cast<int>(panel % Panels); }
  __device__ __forceinline__ int terms(const panel_arguments<T>& p, int depth) const {
    return min(static_cast<int>(p.problem.k) - slice * depth, depth);
  }
  __device__ __forceinline__ void advance(const panel_arguments<T>& p) {
    if (++slice < p.slices) return;
    slice = 0;
    panel += gridDim.x;
  }
};

/// Starts the copies of a slice into a stage, if it exists.
template <int Index, class Position, class T>
__device__ __forceinline__ void copy_panel_stage(const panel_arguments<T>& p, const Position& at,
                                                 T* stage) {
  constexpr panel_tile tile = panel_tile_of<T, Index>;
  constexpr panel_layout layout = lay_out(tile);
  constexpr int width = static_cast<int>(vector_width<T>);
  if (at.exists(p)) {
    const int terms = at.terms(p, tile.depth);
    const int column = at.in_product() * tile.n;
    copy_panel_rows<tile.m, tile.depth / width, layout.a_pitch, tile.threads()>(
        p.a.data + at.product() * p.a.batch_stride + at.slice * p.a.slice_stride, p.a.row_stride,
        static_cast<int>(p.problem.m), terms / width, ptx::shared_address(stage + layout.a_first));
    copy_panel_rows<tile.depth, tile.n / width, layout.b_pitch, tile.threads()>(
        p.b.data + at.product() * p.b.batch_stride + at.slice * p.b.slice_stride + column,
        p.b.row_stride, terms, (static_cast<int>(p.problem.n) - column) / width,
        ptx::shared_address(stage));
  }
  ptx::copy_async_commit();
}

/// store_product where rows of c are written 16 bytes at a time and nothing is read: without a
/// branch an element.
template <class T, class Part>
__device__ __forceinline__ void store_vectorized_product(const matmul_arguments<T>& p,
                                                         const Part& part, T* c, int first) {
  struct alignas(16) run_type {
    T value[Part::width];
  };
#pragma unroll
  for (int i = 0; i < Part::rows; ++i) {
    T* const row = c + part.row(i) * p.c_row + first;
#pragma unroll
    for (int run = 0; run < Part::runs; ++run) {
      run_type finished;
#pragma unroll
      for (int e = 0; e < Part::width; ++e)
        finished.value[e] = p.finish.alpha * part.total[i][run][e];
      if (part.row(i) < static_cast<int>(p.m) && first + part.column(run) < static_cast<int>(p.n))
        *reinterpret_cast<run_type*>(row + part.column(run)) = finished;
    }
  }
}

/// Writes a thread's part of the product at `c`, in a panel that begins at column `first`.
template <class T, class Part>
__device__ __forceinline__ void finish_panel(const matmul_arguments<T>& problem, const Part& part,
                                             T* c, int first) {
  if (problem.vectorized_c && !problem.finish.reads_c()) {
    store_vectorized_product(problem, part, c, first);
  } else {
    store_product(problem, part, c, first);
  }
  if (problem.finish.has_epilogue())
    finish_product<T, Part>(problem, part.row(0), first + part.column(0), c);
}

template <class T, panel_tile Tile>
using panel_part = std::conditional_t<Tile.tensor && has_fp64_tensor_cores(),
                                      batched_tensor<Tile.rows, Tile.columns / 2, Tile.warps_n()>,
                                      panel_simt<T, Tile>>;

/// c = alpha * a * b + beta * c for a batch of products of up to the tile's size, panel after panel
/// a block.
///
/// Each element is one chain of fused multiply-adds in ascending k, which is the canonical shape of
/// k <= matmul_chunk. Rows and columns beyond the product's compute on whatever their places in
/// shared memory hold; nothing of it is written.
template <class T, int Index>
__global__ void __launch_bounds__(panel_tile_of<T, Index>.threads(),
                                  batched_min_blocks_per_sm(panel_block_of<T, Index>))
    matmul_panels_kernel(const __grid_constant__ panel_arguments<T> p) {
  constexpr panel_tile tile = panel_tile_of<T, Index>;
  constexpr panel_layout layout = lay_out(tile);
  constexpr int every_row = INT_MAX;
  extern __shared__ __align__(16) unsigned char panel_shared[];
  T* const shared = reinterpret_cast<T*>(panel_shared);
  panel_part<T, tile> part(static_cast<int>(threadIdx.x));
  ptx::wait_for_prior_work();
  panel_position<tile.panels(), T> next{static_cast<index_t>(blockIdx.x)};
  auto at = next;
#pragma unroll 1
  for (int stage = 0; stage < tile.stages - 1; ++stage) {
    copy_panel_stage<Index>(p, next, shared + stage * layout.stage);
    next.advance(p);
  }
  int stage = 0;
#pragma unroll 1
  for (; at.exists(p); at.advance(p)) {
    ptx::copy_async_wait<tile.stages - 2>();
    __syncthreads();
    const int free = stage == 0 ? tile.stages - 1 : stage - 1;
    copy_panel_stage<Index>(p, next, shared + free * layout.stage);
    next.advance(p);
    const T* const b = shared + stage * layout.stage;
    part.add_slice(layout, every_row, at.terms(p, tile.depth), b + layout.a_first, b);
    if (++stage == tile.stages) stage = 0;
    if (at.slice < p.slices - 1) continue;
    finish_panel(p.problem, part, p.problem.c + at.product() * p.problem.c_batch,
                 at.in_product() * tile.n);
    clear(part);
  }
}

}  // namespace tandem::cuda_impl
