// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/csr/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::csr_cuda {

constexpr int threads = 256;

/// `Lanes` neighbouring threads per row, a power of two up to 32: the vector kernel of Bell and
/// Garland, "Implementing Sparse Matrix-Vector Multiplication on Throughput-Oriented Processors",
/// SC 2009.
template <int Lanes>
__global__ void __launch_bounds__(threads)
    csr_kernel(const int* __restrict__ begin, const int* __restrict__ column,
               const float* __restrict__ value, const float* __restrict__ x, float* __restrict__ y,
               int rows) {
  const int thread = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  const int row = thread / Lanes;
  const int lane = thread % Lanes;
  float sum = 0;
  if (row < rows) {
    const int end = begin[row + 1];
    for (int k = begin[row] + lane; k < end; k += Lanes)
      sum = tandem::fma(__ldcs(value + k), __ldg(x + __ldcs(column + k)), sum);
  }
#pragma unroll
  for (int distance = Lanes / 2; distance > 0; distance /= 2)
    sum += __shfl_down_sync(~0u, sum, static_cast<unsigned>(distance), Lanes);
  if (row < rows && lane == 0) y[row] = sum;
}

/// Threads per row that suit its length: about a quarter of its elements, at most a warp.
constexpr int lanes_for(row_lengths lengths) {
  return lengths == row_lengths::five ? 2 : lengths == row_lengths::thirty ? 8 : 32;
}

template <row_lengths Lengths>
void multiply_by_hand(csr_times_vector<cuda, Lengths>& kernel, cudaStream_t stream) {
  constexpr int lanes = lanes_for(Lengths);
  const auto rows = static_cast<int>(kernel.y.size());
  csr_kernel<lanes><<<blocks_for(rows, threads / lanes), threads, 0, stream>>>(
      kernel.row_begin.data_handle(), kernel.column.data_handle(), kernel.value.data_handle(),
      kernel.x.data_handle(), kernel.y.data_handle(), rows);
  check_launch("csr");
}

const registration five(list_kernel<cuda, csr_of_5<cuda>, multiply_by_hand<row_lengths::five>>);
const registration thirty(
    list_kernel<cuda, csr_of_30<cuda>, multiply_by_hand<row_lengths::thirty>>);
const registration skewed(
    list_kernel<cuda, csr_skewed<cuda>, multiply_by_hand<row_lengths::skewed>>);

}  // namespace perf::csr_cuda
