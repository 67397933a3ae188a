// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/halo_packing/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::halo_packing_cuda {

constexpr int threads = 256;

/// All lists, as an argument of the kernels.
struct table {
  const int* __restrict__ sent;
  const int* __restrict__ ghosts;
  double* __restrict__ buffer;
  double* x[halo_variables];
  int begin[halo_neighbours + 1];

  __device__ int elements() const { return begin[halo_neighbours]; }
  template <bool Packs>
  __device__ void move(int v, int i) const {
    double* const at = buffer + v * elements() + i;
    if constexpr (Packs) {
      *at = x[v][__ldg(sent + i)];
    } else {
      x[v][__ldg(ghosts + i)] = *at;
    }
  }
};

/// A row of blocks per list, and a layer of them per variable.
template <bool Packs>
__global__ void __launch_bounds__(threads) lists_kernel(const __grid_constant__ table lists) {
  const int end = lists.begin[blockIdx.y + 1];
  const int step = static_cast<int>(gridDim.x * threads);
  for (int i = lists.begin[blockIdx.y] + static_cast<int>(blockIdx.x * threads + threadIdx.x);
       i < end; i += step)
    lists.move<Packs>(static_cast<int>(blockIdx.z), i);
}

/// A thread per element of all lists, which are one behind the other: it loads the index once for
/// all variables, whose loads all come before the first store.
template <bool Packs>
__global__ void __launch_bounds__(threads) elements_kernel(const __grid_constant__ table lists) {
  const int i = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (i >= lists.elements()) return;
  const int place = __ldg((Packs ? lists.sent : lists.ghosts) + i);
  double* const at = lists.buffer + i;
  double values[halo_variables];
#pragma unroll
  for (int v = 0; v < halo_variables; ++v)
    values[v] = __ldg(Packs ? lists.x[v] + place : at + v * lists.elements());
#pragma unroll
  for (int v = 0; v < halo_variables; ++v)
    (Packs ? at[v * lists.elements()] : lists.x[v][place]) = values[v];
}

table table_of(halo_packing<cuda>& kernel) {
  table lists{
      kernel.sent.data_handle(), kernel.ghosts.data_handle(), kernel.buffer.data_handle(), {}, {}};
  for (std::size_t v = 0; v < halo_variables; ++v) lists.x[v] = kernel.variables[v].data_handle();
  for (std::size_t l = 0; l <= halo_neighbours; ++l)
    lists.begin[l] = static_cast<int>(kernel.begin[l]);
  return lists;
}

void by_hand(halo_packing<cuda>& kernel, cudaStream_t stream) {
  const table lists = table_of(kernel);
  const int face = lists.begin[halo_neighbours] / 6;
  const dim3 blocks(blocks_for(face, 4 * threads), halo_neighbours, halo_variables);
  lists_kernel<true><<<blocks, threads, 0, stream>>>(lists);
  lists_kernel<false><<<blocks, threads, 0, stream>>>(lists);
  check_launch("hand-written halo packing");
}

void tuned(halo_packing<cuda>& kernel, cudaStream_t stream) {
  const table lists = table_of(kernel);
  const unsigned blocks = blocks_for(lists.begin[halo_neighbours], threads);
  elements_kernel<true><<<blocks, threads, 0, stream>>>(lists);
  elements_kernel<false><<<blocks, threads, 0, stream>>>(lists);
  check_launch("tuned halo packing");
}

const registration all(list_kernel<cuda, halo_packing<cuda>, by_hand, tuned>);

}  // namespace perf::halo_packing_cuda
