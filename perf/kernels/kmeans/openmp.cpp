// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/kmeans/kernel.hpp>

namespace perf::kmeans_openmp {

/// Labels the points begin to end - 1 of n, a vector of them at a time: g++ vectorises the outer of
/// the two loops if each list has a separate pointer.
void assign_some(const float* __restrict points, int n, const float* __restrict centroids,
                 int* __restrict label, int begin, int end) {
  const float* const p1 = points + n;
  const float* const p2 = points + 2 * n;
  const float* const p3 = points + 3 * n;
#pragma omp simd
  for (int i = begin; i < end; ++i) {
    float nearest = farthest;
    int at = 0;
    for (int c = 0; c < kmeans_centroids; ++c) {
      const float* const q = centroids + kmeans_dimensions * c;
      const float distance =
          squared_distance(points[i] - q[0], p1[i] - q[1], p2[i] - q[2], p3[i] - q[3]);
      at = distance < nearest ? c : at;
      nearest = distance < nearest ? distance : nearest;
    }
    label[i] = at;
  }
}

void assign_by_hand(kmeans<openmp>& kernel) {
  const float* const points = kernel.points.data_handle();
  const float* const centroids = kernel.centroids.data_handle();
  int* const label = kernel.label.data_handle();
  const auto n = static_cast<int>(kernel.label.size());
  constexpr int share = 1024;
#pragma omp parallel for schedule(static)
  for (int first = 0; first < n; first += share)
    assign_some(points, n, centroids, label, first, std::min(first + share, n));
}

const registration all(list_kernel<openmp, kmeans<openmp>, assign_by_hand>);

}  // namespace perf::kmeans_openmp
