// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of contiguous floats and doubles, compiled here rather than in every user's file, so that
// CUB's warp collective can combine the values of a block's warps and of the grid's blocks.

#include <cub/warp/warp_reduce.cuh>
#include <cuda/std/functional>

#include <tandem/backends/cuda/reduce/dispatch.cuh>

namespace tandem::cuda_impl {

/// CUB combines lane i with lane i + 1, then pairs with pairs: the aligned adjacent tree of
/// docs/numerics.md.
template <class T>
template <int Lanes>
__device__ T cub_sum<T>::warp_reduce(T value) const {
  using collective = cub::WarpReduce<T, Lanes>;
  __shared__ typename collective::TempStorage storage;  // empty: lanes use shuffles
  return collective(storage).Reduce(value, ::cuda::std::plus<>{});
}

template float reduce_through_result_slot(const cuda&, const char*, index_t,
                                          const cub_sum_load<float>&, const cub_sum<float>&);
template double reduce_through_result_slot(const cuda&, const char*, index_t,
                                           const cub_sum_load<double>&, const cub_sum<double>&);
template void reduce_on_device(const cuda&, const char*, index_t, const cub_sum_load<float>&,
                               const cub_sum<float>&, float*);
template void reduce_on_device(const cuda&, const char*, index_t, const cub_sum_load<double>&,
                               const cub_sum<double>&, double*);

}  // namespace tandem::cuda_impl
