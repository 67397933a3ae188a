// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/batched/work.cuh>
#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/common/run_plan.hpp>
#include <tandem/core/contract/strided.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace tandem::cuda_impl {

/// Blocks of a tile that fit into the maximum threads per multiprocessor of the architecture being
/// compiled for.
constexpr int batched_min_blocks_per_sm(const batched_tile& tile) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  constexpr int most = 1024;
#elif defined(__CUDA_ARCH__) && \
    (__CUDA_ARCH__ / 10 == 86 || __CUDA_ARCH__ / 10 == 89 || __CUDA_ARCH__ >= 1200)
  constexpr int most = 1536;
#else
  constexpr int most = 2048;
#endif
  return tile.min_blocks_per_sm * tile.threads <= most ? tile.min_blocks_per_sm
                                                       : most / tile.threads;
}

/// Computes c = alpha * a * b + beta * c for a batch of small products, in groups or panels.
///
/// Each element is one chain of fused multiply-adds in ascending k, which is the canonical shape
/// for k <= matmul_chunk.
template <class T, int Index>
__global__ void __launch_bounds__(batched_tile_of<T, Index>.threads,
                                  batched_min_blocks_per_sm(batched_tile_of<T, Index>))
    matmul_batched_kernel(const __grid_constant__ batched_arguments<T> p) {
  constexpr batched_tile tile = batched_tile_of<T, Index>;
  constexpr int stages = tile.stages;
  using work =
      std::conditional_t<(tile.panel > 0), product_panels<T, tile>, product_groups<T, tile>>;
  extern __shared__ __align__(16) unsigned char batched_shared[];
  T* const shared = reinterpret_cast<T*>(batched_shared);
  const int product = work::product();
  auto part = work::make_part();
  work::open(p, shared);
  ptx::grid_dependency_wait();
  typename work::position next{static_cast<index_t>(blockIdx.x)};
  auto at = next;
#pragma unroll 1
  for (int stage = 0; stage < stages - 1; ++stage) {
    work::copy(p, next, shared + stage * work::stage_elements(p), work::barrier(p, shared, stage));
    next.advance(p);
  }
  int stage = 0;
  std::uint32_t parity = 0;
#pragma unroll 1
  for (; at.exists(p); at.advance(p)) {
    const std::uint32_t barrier = work::barrier(p, shared, stage);
    if constexpr (stages == 1) work::copy(p, at, shared, barrier);
    work::template await<stages == 1 ? 0 : stages - 2>(p, barrier, parity);
    if constexpr (stages > 1) {
      const int free = stage == 0 ? stages - 1 : stage - 1;
      work::copy(p, next, shared + free * work::stage_elements(p), work::barrier(p, shared, free));
      next.advance(p);
    }
    work::use(p, at, product, shared + stage * work::stage_elements(p), part);
    if constexpr (stages == 1) __syncthreads();
    if (++stage < stages) continue;
    stage = 0;
    parity ^= 1;
  }
}

namespace {

/// An operand in global memory: `rows` x `columns` elements of a slice of k.
template <class T>
struct slice_view {
  const T* data;
  index_t batch_stride;
  index_t rows;
  index_t row_stride;
  index_t columns;
  index_t column_stride;
  bool rows_are_terms;  ///< b: k runs down the rows
  bool whole;           ///< the slice is all of k
  bool even;            ///< 16-byte accesses along a row never go past k

  /// Whether rows can be read 16 bytes at a time.
  bool is_vectorizable(index_t batch) const {
    return even && detail::has_vectorizable_rows(data, batch, batch_stride, rows, row_stride,
                                                 columns, column_stride);
  }
  /// Whether elements adjacent in memory are adjacent down the columns.
  bool goes_down() const {
    using tandem::detail::magnitude;
    return columns == 1 || (rows > 1 && magnitude(row_stride) < magnitude(column_stride));
  }
  /// Whether rows and matrices are stored without gaps.
  bool is_dense() const {
    return whole && (rows == 1 || row_stride == columns) &&
           (batch_stride == 0 || batch_stride == rows * columns);
  }
};

/// Describes the copy into rows `pitch` elements apart, 16 bytes at a time.
template <class T>
batched_copy<T> describe_vectorized(const slice_view<T>& v, index_t pitch, bool bulk_copies) {
  constexpr index_t width = vector_width<T>;
  return {.inner_stride = width,
          .outer_stride = v.row_stride,
          .inner = static_cast<int>(v.columns / width),
          .matrix = static_cast<int>(v.rows * v.columns / width),
          .inner_pitch = static_cast<int>(width),
          .outer_pitch = static_cast<int>(pitch),
          .inner_terms = v.rows_are_terms ? 0 : static_cast<int>(width),
          .outer_terms = v.rows_are_terms ? 1 : 0,
          .vectorized = true,
          .flat = v.is_dense(),
          .bulk = v.is_dense() && pitch == v.columns && bulk_copies};
}

/// Describes the copy element by element; lanes traverse what is contiguous.
template <class T>
batched_copy<T> describe_scalar(const slice_view<T>& v, index_t pitch) {
  const bool down = v.goes_down();
  return {.inner_stride = down ? v.row_stride : v.column_stride,
          .outer_stride = down ? v.column_stride : v.row_stride,
          .inner = static_cast<int>(down ? v.rows : v.columns),
          .matrix = static_cast<int>(v.rows * v.columns),
          .inner_pitch = static_cast<int>(down ? pitch : 1),
          .outer_pitch = static_cast<int>(down ? 1 : pitch),
          .inner_terms = down == v.rows_are_terms ? 1 : 0,
          .outer_terms = down == v.rows_are_terms ? 0 : 1};
}

template <class T>
batched_copy<T> describe(const slice_view<T>& v, index_t pitch, index_t batch, bool bulk_copies) {
  batched_copy<T> copy = v.is_vectorizable(batch) ? describe_vectorized(v, pitch, bulk_copies)
                                                  : describe_scalar(v, pitch);
  copy.data = v.data;
  copy.batch_stride = v.batch_stride;
  copy.slice_stride = v.rows_are_terms ? v.rows * v.row_stride : v.columns * v.column_stride;
  copy.product_pitch = static_cast<int>(v.batch_stride == 0 ? 0 : v.rows * pitch);
  copy.by_inner = tandem::detail::divide_by(static_cast<unsigned>(copy.inner));
  copy.by_matrix = tandem::detail::divide_by(static_cast<unsigned>(copy.matrix));
  return copy;
}

template <class T>
batched_arguments<T> bind_batched(const matmul_problem<T>& p, const batched_layout& layout,
                                  bool bulk_copies) {
  constexpr index_t width = vector_width<T>;
  const bool whole = layout.depth == p.k;
  return {
      .a = describe<T>(
          {p.a, p.a_batch, p.m, p.a_row, layout.depth, p.a_column, false, whole, p.k % width == 0},
          layout.a_pitch, p.batch, bulk_copies),
      .b = describe<T>({p.b, p.b_batch, layout.depth, p.b_row, p.n, p.b_column, true, whole, true},
                       layout.b_pitch, p.batch, bulk_copies),
      .layout = layout,
      .slices = static_cast<int>(ceil_div<index_t>(p.k, layout.depth)),
      .batch = p.batch,
      .problem = bind(p, 0)};
}

/// Returns the arguments for panels, whose rows are copied 16 bytes at a time.
template <class T>
batched_arguments<T> bind_panels(const matmul_problem<T>& p, int depth) {
  return {
      .a = {.data = p.a, .batch_stride = p.a_batch, .outer_stride = p.a_row, .slice_stride = depth},
      .b = {.data = p.b,
            .batch_stride = p.b_batch,
            .outer_stride = p.b_row,
            .slice_stride = depth * p.b_row},
      .slices = static_cast<int>(ceil_div<index_t>(p.k, depth)),
      .batch = p.batch,
      .problem = bind(p, 0)};
}

/// Enqueues a candidate's kernel with `bytes` of shared memory. It launches one block per unit of
/// work; if the tile has several stages, only as many blocks as can be resident.
template <class T, int Index>
void launch_units(const cuda& space, const batched_arguments<T>& arguments, index_t units,
                  std::size_t bytes) {
  constexpr batched_tile tile = batched_tile_of<T, Index>;
  const device_limits& device = limits(space);
  const index_t resident = blocks_per_sm(device.block_shared, bytes, tile.min_blocks_per_sm);
  const index_t blocks =
      tile.stages == 1 ? units : std::min(units, device.multiprocessors * resident);
  const launch_shape shape{.grid = dim3(static_cast<unsigned>(blocks)),
                           .block = dim3(static_cast<unsigned>(tile.threads)),
                           .shared_bytes = bytes,
                           .label = batched_candidates<T>()[Index].name,
                           .programmatic_launch = true};
  launch(space, shape, &matmul_batched_kernel<T, Index>, arguments);
}

template <class T, int Index>
void launch_batched(const cuda& space, const matmul_problem<T>& p) {
  constexpr batched_tile tile = batched_tile_of<T, Index>;
  if constexpr (tile.panel > 0) {
    launch_units<T, Index>(space, bind_panels(p, tile.depth), p.batch * tile.panels(),
                           panel_bytes<T>(tile));
  } else {
    const bool bulk = limits(space).compute_capability >= 90;
    const bool dense = bulk && p.a_column == 1 && p.a_row == p.k && p.k <= tile.depth;
    const batched_layout layout = lay_out(p, tile, dense);
    launch_units<T, Index>(space, bind_batched(p, layout, bulk),
                           ceil_div<index_t>(p.batch, tile.products()),
                           batched_bytes<T>(layout, tile));
  }
}

template <class T>
using batched_launcher = void (*)(const cuda&, const matmul_problem<T>&);

template <class T>
constexpr auto batched_launchers = []<int... Index>(std::integer_sequence<int, Index...>) {
  return std::array<batched_launcher<T>, sizeof...(Index)>{&launch_batched<T, Index>...};
}(std::make_integer_sequence<int, static_cast<int>(batched_candidates<T>().size())>{});

}  // namespace

template <class T>
void run_plan(const cuda& space, const batched_plan& plan, const matmul_problem<T>& p) {
  batched_launchers<T>[static_cast<std::size_t>(plan.candidate)](space, p);
}

template void run_plan(const cuda&, const batched_plan&, const matmul_problem<float>&);
template void run_plan(const cuda&, const batched_plan&, const matmul_problem<double>&);

}  // namespace tandem::cuda_impl
