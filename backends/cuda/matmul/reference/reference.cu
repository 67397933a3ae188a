// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/reference/naive.cuh>
#include <tandem/backends/cuda/matmul/reference/reference.hpp>
#include <tandem/backends/cuda/matmul/reference/tiled.cuh>

#include <cstdint>

namespace tandem::cuda_impl {
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
  // A full warp a row of the tile, unless c has no room for such tiles.
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
void run_reference(const cuda& space, const matmul_problem<T, In>& problem, matmul_kernel kernel) {
  if (problem.m == 0 || problem.n == 0) return;
  for (index_t first = 0; first < problem.batch; first += matmul_grid_limit) {
    const index_t batch = min(problem.batch - first, matmul_grid_limit);
    if (kernel == matmul_kernel::tiled) {
      run_tiled(space, bind(problem, first), batch);
    } else {
      run_naive(space, bind(problem, first), batch);
    }
  }
}

template void run_reference(const cuda&, const matmul_problem<float>&, matmul_kernel);
template void run_reference(const cuda&, const matmul_problem<double>&, matmul_kernel);
template void run_reference(const cuda&, const matmul_problem<half>&, matmul_kernel);
template void run_reference(const cuda&, const matmul_problem<float, half>&, matmul_kernel);
template void run_reference(const cuda&, const matmul_problem<bf16>&, matmul_kernel);
template void run_reference(const cuda&, const matmul_problem<float, bf16>&, matmul_kernel);
template void run_reference(const cuda&, const matmul_problem<std::int32_t, std::int8_t>&,
                            matmul_kernel);

}  // namespace tandem::cuda_impl
