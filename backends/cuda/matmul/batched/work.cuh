// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/matmul/batched/copy.cuh>
#include <tandem/backends/cuda/matmul/batched/engines.cuh>
#include <tandem/backends/cuda/matmul/batched/store.cuh>

#include <climits>
#include <type_traits>

/// The two ways in which a block of matmul_batched_kernel traverses a batch: product_groups handles
/// several whole products at a time, and product_panels one product after another. They differ in
/// how they lay out, copy, wait for and consume a stage; the kernel contains what they share.
namespace tandem::cuda_impl {

/// The arguments of matmul_batched_kernel.
template <class T>
struct batched_arguments {
  batched_copy<T> a;
  batched_copy<T> b;
  batched_layout layout = {};  ///< without panels
  int slices = 1;              ///< of k
  index_t batch = 0;
  matmul_arguments<T> problem = {};  ///< uses its extents, c and finish
};

/// A block's position in its work: all slices of one group, then the next group.
template <int Products, class T>
struct batched_position {
  index_t group;
  int slice = 0;

  __device__ __forceinline__ bool exists(const batched_arguments<T>& p) const {
    return group * Products < p.batch;
  }
  __device__ __forceinline__ batched_group products(const batched_arguments<T>& p) const {
    const index_t first = group * Products;
    return {first, p.batch - first < Products ? static_cast<int>(p.batch - first) : Products};
  }
  __device__ __forceinline__ int terms(const batched_arguments<T>& p) const {
    const int left = static_cast<int>(p.problem.k) - slice * p.layout.depth;
    return left < p.layout.depth ? left : p.layout.depth;
  }
  __device__ __forceinline__ void advance(const batched_arguments<T>& p) {
    if (++slice < p.slices) return;
    slice = 0;
    group += gridDim.x;
  }
};

/// Address of the barrier for stage `stage` in shared memory. It counts the bytes of bulk copies.
template <class T>
__device__ __forceinline__ std::uint32_t stage_barrier(const batched_arguments<T>& p, T* shared,
                                                       int stages, int stage) {
  return ptx::shared_address(shared + stages * p.layout.stage) + 8 * stage;
}

/// Issues the copies of a slice into a stage, if the slice exists.
template <int Threads, class Position, class T>
__device__ __forceinline__ void copy_stage(const batched_arguments<T>& p, const Position& at,
                                           T* stage, std::uint32_t barrier) {
  if (at.exists(p)) {
    const batched_group group = at.products(p);
    const int terms = at.terms(p);
    const std::uint32_t a = ptx::shared_address(stage);
    const std::uint32_t b = ptx::shared_address(stage + p.layout.b_first);
    if constexpr (has_bulk_copies()) {
      if (threadIdx.x == 0 && (p.a.bulk || p.b.bulk)) copy_bulk(p.a, a, p.b, b, group, barrier);
    }
    copy_slice<Threads>(p.a, group, at.slice, terms, a);
    copy_slice<Threads>(p.b, group, at.slice, terms, b);
  }
  ptx::copy_async_commit();
}

/// Waits for the copies of all threads, except those of the `Pending` most recent stages.
template <int Pending, class T>
__device__ __forceinline__ void await_stage(const batched_arguments<T>& p, std::uint32_t barrier,
                                            std::uint32_t parity) {
  ptx::copy_async_wait<Pending>();
  if constexpr (has_bulk_copies()) {
    if (p.a.bulk || p.b.bulk) ptx::barrier_wait(barrier, parity);
  }
  __syncthreads();
}

/// Initialises the barriers.
template <class T>
__device__ __forceinline__ void open_stages(const batched_arguments<T>& p, T* shared, int stages) {
  if constexpr (has_bulk_copies()) {
    if (!p.a.bulk && !p.b.bulk) return;
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < stages; ++stage)
        ptx::barrier_init(stage_barrier(p, shared, stages, stage), 1);
      ptx::fence_barrier_init();
    }
    __syncthreads();
  }
}

template <batched_tile Tile>
using batched_tensor_part =
    batched_tensor<Tile.rows, Tile.columns / 2, Tile.size / (4 * Tile.columns)>;

template <class T, batched_tile Tile>
using batched_part = std::conditional_t<Tile.tensor && has_fp64_tensor_cores(),
                                        batched_tensor_part<Tile>, batched_simt<T, Tile>>;

/// Several whole products per block, each by a team of threads.
template <class T, batched_tile Tile>
struct product_groups {
  using arguments = batched_arguments<T>;
  using position = batched_position<Tile.products(), T>;
  using part = batched_part<T, Tile>;

  __device__ __forceinline__ static part make_part() {
    return part(static_cast<int>(threadIdx.x) % Tile.team());
  }
  /// The product of its group that a thread computes.
  __device__ __forceinline__ static int product() {
    return static_cast<int>(threadIdx.x) / Tile.team();
  }
  __device__ __forceinline__ static void open(const arguments& p, T* shared) {
    open_stages(p, shared, Tile.stages);
  }
  /// The barrier that counts the bytes that bulk copies deliver to a stage.
  __device__ __forceinline__ static std::uint32_t barrier(const arguments& p, T* shared,
                                                          int stage) {
    return stage_barrier(p, shared, Tile.stages, stage);
  }
  __device__ __forceinline__ static int stage_elements(const arguments& p) {
    return p.layout.stage;
  }
  __device__ __forceinline__ static void copy(const arguments& p, const position& at, T* stage,
                                              std::uint32_t barrier) {
    copy_stage<Tile.threads>(p, at, stage, barrier);
  }
  template <int Pending>
  __device__ __forceinline__ static void await(const arguments& p, std::uint32_t barrier,
                                               std::uint32_t parity) {
    await_stage<Pending>(p, barrier, parity);
  }
  /// Adds a slice to a thread's part of its product. After the last slice, writes the part.
  __device__ __forceinline__ static void use(const arguments& p, const position& at, int product,
                                             const T* stage, part& sums) {
    const batched_group group = at.products(p);
    if (product >= group.count) return;
    sums.add_slice(p.layout, static_cast<int>(p.problem.m) - 1, at.terms(p),
                   stage + product * p.a.product_pitch,
                   stage + p.layout.b_first + product * p.b.product_pitch);
    if (at.slice < p.slices - 1) return;
    T* const c = p.problem.c + (group.first + product) * p.problem.c_batch;
    store_product(p.problem, sums, c);
    if (p.problem.finish.has_epilogue())
      finish_product<T, part>(p.problem, sums.row(0), sums.column(0), c);
    clear(sums);
  }
};

/// A block's position in its work: all slices of one panel, then the next panel. A product has
/// `Panels` panels.
template <int Panels, class T>
struct panel_position {
  index_t panel;  ///< counted over the whole batch
  int slice = 0;

  __device__ __forceinline__ bool exists(const batched_arguments<T>& p) const {
    return panel < p.batch * Panels;
  }
  __device__ __forceinline__ index_t product() const { return panel / Panels; }
  __device__ __forceinline__ int in_product() const { return static_cast<int>(panel % Panels); }
  __device__ __forceinline__ int terms(const batched_arguments<T>& p, int depth) const {
    return min(static_cast<int>(p.problem.k) - slice * depth, depth);
  }
  __device__ __forceinline__ void advance(const batched_arguments<T>& p) {
    if (++slice < p.slices) return;
    slice = 0;
    panel += gridDim.x;
  }
};

/// Issues the copies of a slice into a stage, if the slice exists.
template <batched_tile Tile, class Position, class T>
__device__ __forceinline__ void copy_panel_stage(const batched_arguments<T>& p, const Position& at,
                                                 T* stage) {
  constexpr panel_layout layout = lay_out_panel(Tile);
  constexpr int width = static_cast<int>(vector_width<T>);
  if (at.exists(p)) {
    const int terms = at.terms(p, Tile.depth);
    const int column = at.in_product() * Tile.panel;
    copy_panel_rows<Tile.size, Tile.depth / width, layout.a_pitch, Tile.threads>(
        p.a.data + at.product() * p.a.batch_stride + at.slice * p.a.slice_stride, p.a.outer_stride,
        static_cast<int>(p.problem.m), terms / width, ptx::shared_address(stage + layout.a_first));
    copy_panel_rows<Tile.depth, Tile.panel / width, layout.b_pitch, Tile.threads>(
        p.b.data + at.product() * p.b.batch_stride + at.slice * p.b.slice_stride + column,
        p.b.outer_stride, terms, (static_cast<int>(p.problem.n) - column) / width,
        ptx::shared_address(stage));
  }
  ptx::copy_async_commit();
}

template <class T, batched_tile Tile>
using panel_part =
    std::conditional_t<Tile.tensor && has_fp64_tensor_cores(),
                       batched_tensor<Tile.rows, Tile.columns / 2, Tile.panel_warps()>,
                       panel_simt<T, Tile>>;

/// One product per block, panel by panel. Rows and columns past the product's edge compute on
/// whatever their slots in shared memory hold; the results are never written.
template <class T, batched_tile Tile>
struct product_panels {
  using arguments = batched_arguments<T>;
  using position = panel_position<Tile.panels(), T>;
  using part = panel_part<T, Tile>;

  __device__ __forceinline__ static part make_part() { return part(static_cast<int>(threadIdx.x)); }
  __device__ __forceinline__ static constexpr int product() { return 0; }
  __device__ __forceinline__ static void open(const arguments&, T*) {}
  __device__ __forceinline__ static constexpr std::uint32_t barrier(const arguments&, T*, int) {
    return 0;  // no bulk copies
  }
  __device__ __forceinline__ static constexpr int stage_elements(const arguments&) {
    return lay_out_panel(Tile).stage;
  }
  __device__ __forceinline__ static void copy(const arguments& p, const position& at, T* stage,
                                              std::uint32_t) {
    copy_panel_stage<Tile>(p, at, stage);
  }
  template <int Pending>
  __device__ __forceinline__ static void await(const arguments&, std::uint32_t, std::uint32_t) {
    ptx::copy_async_wait<Pending>();
    __syncthreads();
  }
  __device__ __forceinline__ static void use(const arguments& p, const position& at, int,
                                             const T* stage, part& sums) {
    constexpr int every_row = INT_MAX;
    constexpr panel_layout layout = lay_out_panel(Tile);
    sums.add_slice(layout, every_row, at.terms(p, Tile.depth), stage + layout.a_first, stage);
    if (at.slice < p.slices - 1) return;
    finish_panel(p.problem, sums, p.problem.c + at.product() * p.problem.c_batch,
                 at.in_product() * Tile.panel);
    clear(sums);
  }
};

}  // namespace tandem::cuda_impl
