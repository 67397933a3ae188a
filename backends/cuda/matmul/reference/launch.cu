// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/common/arguments.cuh>
#include <tandem/backends/cuda/matmul/common/run_plan.hpp>
#include <tandem/backends/cuda/matmul/reference/kernels.cuh>

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
