// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/launch.cuh>
#include <perf/kernels/mandelbrot/kernel.hpp>

namespace perf::mandelbrot_cuda {

/// A warp computes 8 x 4 neighbours, whose orbits are about as long.
constexpr int width = 8;
constexpr int height = 16;

__global__ void __launch_bounds__(width* height)
    mandelbrot_kernel(int* __restrict__ picture, int rows, int n, float step) {
  const int i = static_cast<int>(blockIdx.x * width + threadIdx.x);
  const int j = static_cast<int>(blockIdx.y * height + threadIdx.y);
  if (i < n && j < rows) picture[j * n + i] = mandelbrot_steps(j, i, step);
}

void mandelbrot_by_hand(mandelbrot<cuda>& kernel, cudaStream_t stream) {
  const int rows = static_cast<int>(kernel.picture.extent(0));
  const int n = static_cast<int>(kernel.picture.extent(1));
  const dim3 blocks(blocks_for(n, width), blocks_for(rows, height));
  mandelbrot_kernel<<<blocks, dim3(width, height), 0, stream>>>(kernel.picture.data_handle(), rows,
                                                                n, kernel.step());
  check_launch("hand-written Mandelbrot set");
}

const registration gpu(list_kernel<cuda, mandelbrot<cuda>, mandelbrot_by_hand>);

}  // namespace perf::mandelbrot_cuda
