// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of contiguous floats and doubles, compiled here rather than in every user's file, so that
// CUB's warp collective can combine the values of a block's warps and of the grid's blocks.

#include <cub/warp/warp_reduce.cuh>
#include <cuda/std/functional>

#include <tandem/backends/cuda/reduce/dispatch.cuh>

namespace tandem::cuda_impl {

/// A sum whose tree over lanes is CUB's. It combines lane i with lane i + 1, then pairs with pairs,
/// which is the aligned adjacent tree of docs/numerics.md.
template <class T>
struct cub_sum : sum<T> {
  template <int Lanes>
  __device__ T warp_reduce(T value) const {
    using collective = cub::WarpReduce<T, Lanes>;
    __shared__ typename collective::TempStorage storage;  // empty: lanes use shuffles
    return collective(storage).Reduce(value, ::cuda::std::plus<>{});
  }
};

template <class T>
T sum_of_contiguous(const cuda& space, const char* label, index_t n, const T* data) {
  const cub_sum<T> reducer{};
  return reduce_through_mailbox(space, label, n, contiguous_load<T, cub_sum<T>>{data, reducer},
                                reducer);
}
template <class T>
void sum_of_contiguous_into(const cuda& space, const char* label, index_t n, const T* data,
                            T* out) {
  const cub_sum<T> reducer{};
  reduce_on_device(space, label, n, contiguous_load<T, cub_sum<T>>{data, reducer}, reducer, out);
}

template float sum_of_contiguous(const cuda&, const char*, index_t, const float*);
template double sum_of_contiguous(const cuda&, const char*, index_t, const double*);
template void sum_of_contiguous_into(const cuda&, const char*, index_t, const float*, float*);
template void sum_of_contiguous_into(const cuda&, const char*, index_t, const double*, double*);

}  // namespace tandem::cuda_impl
