// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/kmeans/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::kmeans_cuda {

constexpr int threads = 256;
/// Points per thread, between which a centroid read from shared memory is shared.
constexpr int points_each = 2;

/// A point is at blockIdx.x * threads * points_each + p * threads + threadIdx.x.
__global__ void __launch_bounds__(threads)
    assign_kernel(const float* __restrict__ points, const float4* __restrict__ centroids,
                  int* __restrict__ label, int n) {
  __shared__ float4 centre[kmeans_centroids];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < kmeans_centroids) centre[thread] = __ldg(centroids + thread);
  __syncthreads();
  const int first = static_cast<int>(blockIdx.x) * (threads * points_each) + thread;
  float point[points_each][kmeans_dimensions];
  float nearest[points_each];
  int at[points_each];
#pragma unroll
  for (int p = 0; p < points_each; ++p) {
    const int i = first + p * threads < n ? first + p * threads : n - 1;
#pragma unroll
    for (int d = 0; d < kmeans_dimensions; ++d) point[p][d] = points[d * n + i];
    nearest[p] = farthest;
    at[p] = 0;
  }
#pragma unroll 4
  for (int c = 0; c < kmeans_centroids; ++c) {
    const float4 q = centre[c];
#pragma unroll
    for (int p = 0; p < points_each; ++p) {
      const float distance = squared_distance(point[p][0] - q.x, point[p][1] - q.y,
                                              point[p][2] - q.z, point[p][3] - q.w);
      at[p] = distance < nearest[p] ? c : at[p];
      nearest[p] = distance < nearest[p] ? distance : nearest[p];
    }
  }
#pragma unroll
  for (int p = 0; p < points_each; ++p) {
    if (first + p * threads < n) label[first + p * threads] = at[p];
  }
}

void assign_by_hand(kmeans<cuda>& kernel, cudaStream_t stream) {
  const auto n = static_cast<int>(kernel.label.size());
  assign_kernel<<<blocks_for(n, threads * points_each), threads, 0, stream>>>(
      kernel.points.data_handle(), reinterpret_cast<const float4*>(kernel.centroids.data_handle()),
      kernel.label.data_handle(), n);
  check_launch("kmeans");
}

const registration all(list_kernel<cuda, kmeans<cuda>, assign_by_hand>);

}  // namespace perf::kmeans_cuda
