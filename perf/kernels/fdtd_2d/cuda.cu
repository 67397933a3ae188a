// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/fdtd_2d/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::fdtd_2d_cuda {

constexpr int threads = 128;

__global__ void __launch_bounds__(threads)
    source_kernel(double* __restrict__ ey, int n, double value) {
  const int i = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (i < n) ey[i] = value;
}

/// A part of a plane whose rows are n elements apart. Each thread takes a column of up to Rows rows
/// from `first` on.
template <int Rows, class F>
__device__ void for_column(int first, int end, int n, const F& f) {
  const int i = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  const int begin = first + static_cast<int>(blockIdx.y) * Rows;
  if (i >= n) return;
  if (begin + Rows <= end) {  // no tests, so that the compiler moves all rows' loads up
#pragma unroll
    for (int r = 0; r < Rows; ++r) f((begin + r) * n + i, i);
  } else {
    for (int j = begin; j < end; ++j) f(j * n + i, i);
  }
}

template <int Rows>
__global__ void __launch_bounds__(threads)
    ey_kernel(double* __restrict__ ey, const double* __restrict__ hz, int rows, int n) {
  for_column<Rows>(1, rows, n, [=](int at, int) {
    ey[at] -= electric_factor * (__ldg(hz + at) - __ldg(hz + at - n));
  });
}

template <int Rows>
__global__ void __launch_bounds__(threads)
    ex_kernel(double* __restrict__ ex, const double* __restrict__ hz, int rows, int n) {
  for_column<Rows>(0, rows, n, [=](int at, int i) {
    if (i > 0) ex[at] -= electric_factor * (__ldg(hz + at) - __ldg(hz + at - 1));
  });
}

template <int Rows>
__global__ void __launch_bounds__(threads)
    hz_kernel(const double* __restrict__ ex, const double* __restrict__ ey, double* __restrict__ hz,
              int rows, int n) {
  for_column<Rows>(0, rows - 1, n, [=](int at, int i) {
    if (i < n - 1) {
      hz[at] -= magnetic_factor *
                (__ldg(ex + at + 1) - __ldg(ex + at) + __ldg(ey + at + n) - __ldg(ey + at));
    }
  });
}

/// Rows per thread: 1 if plain; with more, the next row's field is loaded once for both rows.
template <int Rows>
void by_hand(fdtd_2d<cuda>& kernel, cudaStream_t stream) {
  double* const ex = kernel.ex.data_handle();
  double* const ey = kernel.ey.data_handle();
  double* const hz = kernel.hz.data_handle();
  const int rows = static_cast<int>(kernel.hz.extent(0));
  const int n = static_cast<int>(kernel.hz.extent(1));
  const dim3 blocks(blocks_for(n, threads), blocks_for(rows, Rows));
  for (int step = 0; step < fdtd_steps; ++step) {
    source_kernel<<<blocks.x, threads, 0, stream>>>(ey, n, source_at(step));
    ey_kernel<Rows><<<blocks, threads, 0, stream>>>(ey, hz, rows, n);
    ex_kernel<Rows><<<blocks, threads, 0, stream>>>(ex, hz, rows, n);
    hz_kernel<Rows><<<blocks, threads, 0, stream>>>(ex, ey, hz, rows, n);
  }
  check_launch("hand-written time steps of fields");
}

const registration gpu(list_kernel<cuda, fdtd_2d<cuda>, by_hand<1>, by_hand<4>>);

}  // namespace perf::fdtd_2d_cuda
