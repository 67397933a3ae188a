// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/floyd_warshall/kernel.hpp>

#include <cstring>

namespace perf::floyd_warshall_openmp {

/// Step k for row i, which is not row k, so that the two do not overlap.
inline void update_row(int* __restrict row, const int* __restrict row_k, index_t k, index_t n) {
  const int to_k = row[k];
#pragma omp simd
  for (index_t j = 0; j < n; ++j) {
    const int through = to_k + row_k[j];
    row[j] = through < row[j] ? through : row[j];
  }
}

void by_hand(floyd_warshall<openmp>& kernel) {
  int* const d = kernel.distances.data_handle();
  const index_t n = kernel.nodes();
  std::memcpy(d, kernel.edges.data_handle(), static_cast<std::size_t>(n * n) * sizeof(int));
  for (index_t k = 0; k < n; ++k) {
#pragma omp parallel for schedule(static)
    for (index_t i = 0; i < n; ++i) {
      if (i != k) update_row(d + i * n, d + k * n, k, n);
    }
  }
}

/// Forks once.
void tuned(floyd_warshall<openmp>& kernel) {
  int* const d = kernel.distances.data_handle();
  const int* const edges = kernel.edges.data_handle();
  const index_t n = kernel.nodes();
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (index_t i = 0; i < n; ++i)
      std::memcpy(d + i * n, edges + i * n, static_cast<std::size_t>(n) * sizeof(int));
    for (index_t k = 0; k < n; ++k) {
#pragma omp for schedule(static)
      for (index_t i = 0; i < n; ++i) {
        if (i != k) update_row(d + i * n, d + k * n, k, n);
      }
    }
  }
}

const registration cpu(list_kernel<openmp, floyd_warshall<openmp>, by_hand, tuned>);

}  // namespace perf::floyd_warshall_openmp
