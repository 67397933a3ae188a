// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/launch.cuh>
#include <perf/kernels/sweep/kernel.hpp>

namespace perf::sweep_cuda {

constexpr int threads = 128;
constexpr int rows_per_thread = 4;

/// Each thread computes rows_per_thread elements of a column.
__global__ void __launch_bounds__(threads)
    jacobi_kernel(const double* __restrict__ u, const double* __restrict__ f,
                  double* __restrict__ v, int rows, int n) {
  const int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x) + 1;
  const int first = static_cast<int>(blockIdx.y) * rows_per_thread + 1;
  if (i >= n - 1) return;
  const auto update = [&](int at) {
    v[at] = 0.25 * (__ldg(u + at - n) + __ldg(u + at + n) + __ldg(u + at - 1) + __ldg(u + at + 1) +
                    __ldg(f + at));
  };
  const int at = first * n + i;
  if (first + rows_per_thread < rows) {  // no tests, so that the compiler shares the rows' loads
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) update(at + r * n);
  } else {
    for (int r = 0; first + r < rows - 1; ++r) update(at + r * n);
  }
}

/// Each thread updates an element of rows_per_thread rows; loads of u may not pass stores to it, so
/// all rows are loaded first.
__global__ void __launch_bounds__(threads)
    coloured_kernel(float* u, const float* __restrict__ f, int rows, int n, int colour) {
  const int m = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.y) * rows_per_thread + 1;
  if (m >= n / 2 - 1) return;
  float updated[rows_per_thread];
#pragma unroll
  for (int r = 0; r < rows_per_thread; ++r) {
    const int j = first + r;
    const int at = j * n + 1 + 2 * m + ((j + colour) & 1);
    if (j < rows - 1) {
      updated[r] = 0.25f * (u[at - n] + u[at + n] + u[at - 1] + u[at + 1] + __ldg(f + at));
    }
  }
#pragma unroll
  for (int r = 0; r < rows_per_thread; ++r) {
    const int j = first + r;
    if (j < rows - 1) u[j * n + 1 + 2 * m + ((j + colour) & 1)] = updated[r];
  }
}

void jacobi_by_hand(jacobi<cuda>& kernel, cudaStream_t stream) {
  const int rows = static_cast<int>(kernel.u.extent(0));
  const int n = static_cast<int>(kernel.u.extent(1));
  const dim3 blocks(blocks_for(n - 2, threads), blocks_for(rows - 2, rows_per_thread));
  double* const u = kernel.u.data_handle();
  double* const v = kernel.v.data_handle();
  const double* const f = kernel.f.data_handle();
  jacobi_kernel<<<blocks, threads, 0, stream>>>(u, f, v, rows, n);
  jacobi_kernel<<<blocks, threads, 0, stream>>>(v, f, u, rows, n);
  check_launch("hand-written Jacobi sweep");
}

void red_black_by_hand(red_black<cuda>& kernel, cudaStream_t stream) {
  const int rows = static_cast<int>(kernel.u.extent(0));
  const int n = static_cast<int>(kernel.u.extent(1));
  const dim3 blocks(blocks_for(n / 2 - 1, threads), blocks_for(rows - 2, rows_per_thread));
  for (const int colour : {0, 1}) {
    coloured_kernel<<<blocks, threads, 0, stream>>>(kernel.u.data_handle(), kernel.f.data_handle(),
                                                    rows, n, colour);
  }
  check_launch("hand-written coloured sweep");
}

const registration plain(list_kernel<cuda, jacobi<cuda>, jacobi_by_hand>);
const registration coloured(list_kernel<cuda, red_black<cuda>, red_black_by_hand>);

}  // namespace perf::sweep_cuda
