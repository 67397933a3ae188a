// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/matmul/mma/kernel.cuh>
#include <tandem/backends/cuda/runtime/launch.cuh>

#include <cstdint>

namespace tandem::cuda_impl {
namespace {

/// The arguments as the kernels take them.
template <class T, class In>
mma_arguments<In> mma_arguments_of(const mma_plan& plan, const matmul_arguments<T, In>& p,
                                   index_t batch) {
  using Sum = mma_sum_t<In>;
  const bool rows_vectorizable = (p.m == 1 || p.c_row % 4 == 0) &&
                                 (batch == 1 || p.c_batch % 4 == 0) &&
                                 (plan.split_k_slices == 1 || p.c_slice % 4 == 0);
  const bool aligned = reinterpret_cast<std::uintptr_t>(p.c) % (4 * sizeof(T)) == 0;
  return {.problem = {.a = p.a,
                      .b = p.b,
                      .c = reinterpret_cast<Sum*>(p.c),
                      .c_row = p.c_row,
                      .c_column = p.c_column,
                      .c_batch = p.c_batch,
                      .m = p.m,
                      .n = p.n,
                      .k = p.k,
                      .slice_k = p.slice_k,
                      .c_slice = p.c_slice,
                      .vectorized_c = p.c_column == 1 && rows_vectorizable && aligned,
                      .finish = p.finish},
          .a_access = plan.a,
          .b_access = plan.b,
          .c_is_input_type = std::is_same_v<T, In>,
          .chunk = plan.chunk < p.slice_k ? plan.chunk : p.slice_k};
}

}  // namespace

template <class T, class In>
void launch_mma(const cuda& space, const mma_plan& plan, const matmul_arguments<T, In>& arguments,
                index_t batch) {
  const mma_tile& tile = mma_tiles[plan.tile];
  mma_arguments<In> bound = mma_arguments_of(plan, arguments, batch);
  const index_t tiles =
      ceil_div<index_t>(arguments.m, tile.m) * ceil_div<index_t>(arguments.n, tile.n);
  if (arguments.slice_k > bound.chunk) {
    const index_t sums = tiles * plan.split_k_slices * batch * tile.m * tile.n;
    bound.totals = static_cast<mma_sum_t<In>*>(
        scratch(space, static_cast<std::size_t>(sums) * sizeof(mma_sum_t<In>)));
  }
  const launch_shape shape{
      .grid = dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(plan.split_k_slices),
                   static_cast<unsigned>(batch)),
      .block = dim3(static_cast<unsigned>(tile.threads())),
      .shared_bytes = tile.shared_bytes(),
      .label = "matmul (mma)"};
  if (plan.tile == 0) return launch(space, shape, &matmul_mma_kernel<In, 0>, bound);
  launch(space, shape, &matmul_mma_kernel<In, 1>, bound);
}

template void launch_mma(const cuda&, const mma_plan&, const matmul_arguments<float, bf16>&,
                         index_t);
template void launch_mma(const cuda&, const mma_plan&, const matmul_arguments<bf16, bf16>&,
                         index_t);
template void launch_mma(const cuda&, const mma_plan&, const matmul_arguments<float, half>&,
                         index_t);
template void launch_mma(const cuda&, const mma_plan&, const matmul_arguments<half, half>&,
                         index_t);
template void launch_mma(const cuda&, const mma_plan&, const matmul_arguments<float, float>&,
                         index_t);
template void launch_mma(const cuda&, const mma_plan&,
                         const matmul_arguments<std::int32_t, std::int8_t>&, index_t);

}  // namespace tandem::cuda_impl
