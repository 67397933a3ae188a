// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/common/run_plan.hpp>
#include <tandem/backends/cuda/matmul/fma/pipeline.cuh>

#include <cstdint>

/// The two plain kernels, in the canonical shape: the reference for the others, and the fallback if
/// no faster kernel applies.
namespace tandem::cuda_impl {

/// Columns and rows of c that a block of the naive kernel computes, one element per thread.
inline constexpr int naive_columns = 32;
inline constexpr int naive_rows = 8;

/// One element per thread, with every operand read from global memory. Any strides and extents.
template <class T, class In>
__global__ void matmul_naive_kernel(const __grid_constant__ matmul_arguments<T, In> problem) {
  using Sum = tandem::detail::matmul_sum_t<T>;
  const index_t tiles_n = (problem.n + naive_columns - 1) / naive_columns;
  const index_t row = blockIdx.x / tiles_n * naive_rows + threadIdx.y;
  const index_t column = blockIdx.x % tiles_n * naive_columns + threadIdx.x;
  if (row >= problem.m || column >= problem.n) return;

  const In* a = problem.slice_a() + row * problem.a.outer_stride;
  const In* b = problem.slice_b() + column * problem.b.outer_stride;
  Sum total = -Sum{0};  // -0 + x == x for every x; +0 would lose the sign of a chain ending as -0
  index_t k = 0;
  do {
    const index_t end = problem.k - k < matmul_chunk ? problem.k : k + matmul_chunk;
    Sum chain{0};
    for (; k < end; ++k) {
      chain = tandem::detail::multiply_add(static_cast<Sum>(*a), static_cast<Sum>(*b), chain);
      a += problem.a.k_stride;
      b += problem.b.k_stride;
    }
    total += chain;
  } while (k < problem.k);

  store_element(problem.finish, total, row, column,
                problem.slice_c() + row * problem.c_row + column * problem.c_column);
}

/// Square tiles of a and b in shared memory, each of whose elements is read blockDim.x times: the
/// textbook tiled kernel. Any strides and extents.
///
/// The tile's width is blockDim.x == blockDim.y, chosen at launch; it divides matmul_chunk. Dynamic
/// shared memory: two tiles. Terms past k are not multiplied, so no padding has to be neutral; rows
/// and columns past c's edge are clamped.
template <class T, class In>
__global__ void matmul_tiled_kernel(const __grid_constant__ matmul_arguments<T, In> problem) {
  using Sum = tandem::detail::matmul_sum_t<T>;
  const int width = static_cast<int>(blockDim.x);
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const index_t tiles_n = (problem.n + width - 1) / width;
  const index_t row = blockIdx.x / tiles_n * width + y;
  const index_t column = blockIdx.x % tiles_n * width + x;
  In* const tile_a = matmul_shared<In>();
  In* const tile_b = tile_a + width * width;
  const In* const a =
      problem.slice_a() + (row < problem.m ? row : problem.m - 1) * problem.a.outer_stride;
  const In* const b =
      problem.slice_b() + (column < problem.n ? column : problem.n - 1) * problem.b.outer_stride;

  Sum total = -Sum{0};  // -0 + x == x for every x
  Sum chain{0};
  for (index_t k = 0; k < problem.k; k += width) {
    if (k > 0 && k % matmul_chunk == 0) {
      total += chain;
      chain = Sum{0};
    }
    const int terms = problem.k - k < width ? static_cast<int>(problem.k - k) : width;
    if (x < terms) tile_a[y * width + x] = a[(k + x) * problem.a.k_stride];
    if (y < terms) tile_b[y * width + x] = b[(k + y) * problem.b.k_stride];
    __syncthreads();
    for (int term = 0; term < terms; ++term) {
      chain = tandem::detail::multiply_add(static_cast<Sum>(tile_a[y * width + term]),
                                           static_cast<Sum>(tile_b[term * width + x]), chain);
    }
    __syncthreads();
  }
  total += chain;

  if (row >= problem.m || column >= problem.n) return;
  store_element(problem.finish, total, row, column,
                problem.slice_c() + row * problem.c_row + column * problem.c_column);
}

namespace {

template <class T, class In>
void run_naive(const cuda& space, const matmul_arguments<T, In>& arguments, index_t batch) {
  const index_t tiles =
      ceil_div<index_t>(arguments.m, naive_rows) * ceil_div<index_t>(arguments.n, naive_columns);
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(tiles), 1, static_cast<unsigned>(batch)),
      .block = dim3(naive_columns, naive_rows),
      .label = "matmul (naive)"};
  launch(space, shape, &matmul_naive_kernel<T, In>, arguments);
}

template <class T, class In>
void run_tiled(const cuda& space, const matmul_arguments<T, In>& arguments, index_t batch) {
  // A full warp per row of the tile, unless c is too small for such tiles.
  const index_t width = arguments.m > 16 && arguments.n > 16 ? 32 : 16;
  const index_t tiles = ceil_div(arguments.m, width) * ceil_div(arguments.n, width);
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(tiles), 1, static_cast<unsigned>(batch)),
      .block = dim3(static_cast<unsigned>(width), static_cast<unsigned>(width)),
      .shared_bytes = 2 * static_cast<std::size_t>(width * width) * sizeof(In),
      .label = "matmul (tiled)"};
  launch(space, shape, &matmul_tiled_kernel<T, In>, arguments);
}

}  // namespace

template <class T, class In>
void run_plan(const cuda& space, const reference_plan& plan, const matmul_problem<T, In>& p) {
  for (index_t first = 0; first < p.batch; first += matmul_grid_limit) {
    const index_t batch = min(p.batch - first, matmul_grid_limit);
    if (plan.kernel == matmul_kernel::tiled) {
      run_tiled(space, bind(p, first), batch);
    } else {
      run_naive(space, bind(p, first), batch);
    }
  }
}

template void run_plan(const cuda&, const reference_plan&, const matmul_problem<float>&);
template void run_plan(const cuda&, const reference_plan&, const matmul_problem<double>&);
template void run_plan(const cuda&, const reference_plan&, const matmul_problem<half>&);
template void run_plan(const cuda&, const reference_plan&, const matmul_problem<float, half>&);
template void run_plan(const cuda&, const reference_plan&, const matmul_problem<bf16>&);
template void run_plan(const cuda&, const reference_plan&, const matmul_problem<float, bf16>&);
template void run_plan(const cuda&, const reference_plan&,
                       const matmul_problem<std::int32_t, std::int8_t>&);

}  // namespace tandem::cuda_impl
