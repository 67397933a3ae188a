// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/launch.cuh>
#include <perf/kernels/stencil/kernel.hpp>

namespace perf {

namespace {

using tandem::cuda;

constexpr int threads = 128;
/// Rows per thread: the rows above and below come from registers, so that each element is loaded
/// 1 + 2 / rows_per_thread times.
constexpr int rows_per_thread = 8;

/// Stores f(element, pitch) over the inside of a plane, up to rows_per_thread rows per thread.
template <class F>
__device__ void walk_down(const float* __restrict__ x, float* __restrict__ z, int rows, int n,
                          const F& f) {
  const int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x) + 1;
  const int first = static_cast<int>(blockIdx.y) * rows_per_thread + 1;
  if (i >= n - 1) return;
  const int at = first * n + i;
  if (first + rows_per_thread < rows) {  // no tests, so that the compiler shares the rows' loads
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) z[at + r * n] = f(x + (at + r * n), n);
  } else {
    for (int r = 0; first + r < rows - 1; ++r) z[at + r * n] = f(x + (at + r * n), n);
  }
}

__global__ void __launch_bounds__(threads)
    five_points_kernel(const float* __restrict__ x, float* __restrict__ z, int rows, int n,
                       stencil_weights w) {
  walk_down(x, z, rows, n, [w](const float* p, int pitch) {
    return w.centre * __ldg(p) +
           w.face * (__ldg(p - pitch) + __ldg(p + pitch) + __ldg(p - 1) + __ldg(p + 1));
  });
}

__global__ void __launch_bounds__(threads)
    nine_points_kernel(const float* __restrict__ x, float* __restrict__ z, int rows, int n,
                       stencil_weights w) {
  walk_down(x, z, rows, n, [w](const float* p, int pitch) {
    return w.centre * __ldg(p) +
           w.face * (__ldg(p - pitch) + __ldg(p + pitch) + __ldg(p - 1) + __ldg(p + 1)) +
           w.edge * (__ldg(p - pitch - 1) + __ldg(p - pitch + 1) + __ldg(p + pitch - 1) +
                     __ldg(p + pitch + 1));
  });
}

__device__ float nine_of_plane(const float* __restrict__ p, int n, float a, float b, float c) {
  return a * __ldg(p) + b * (__ldg(p - n) + __ldg(p + n) + __ldg(p - 1) + __ldg(p + 1)) +
         c * (__ldg(p - n - 1) + __ldg(p - n + 1) + __ldg(p + n - 1) + __ldg(p + n + 1));
}

constexpr int volume_width = 32;
constexpr int volume_height = 4;

__global__ void __launch_bounds__(volume_width* volume_height)
    twenty_seven_points_kernel(const float* __restrict__ x, float* __restrict__ z, int planes,
                               int rows, int n, stencil_weights w) {
  const int i = static_cast<int>(blockIdx.x * volume_width + threadIdx.x) + 1;
  const int j = static_cast<int>(blockIdx.y * volume_height + threadIdx.y) + 1;
  const int k = static_cast<int>(blockIdx.z) + 1;
  if (i >= n - 1 || j >= rows - 1 || k >= planes - 1) return;
  const int plane = rows * n;
  const float* const p = x + (k * plane + j * n + i);
  z[k * plane + j * n + i] = nine_of_plane(p, n, w.centre, w.face, w.edge) +
                             nine_of_plane(p - plane, n, w.face, w.edge, w.corner) +
                             nine_of_plane(p + plane, n, w.face, w.edge, w.corner);
}

template <class Kernel, class Launched>
void on_plane(Kernel& kernel, cudaStream_t stream, const Launched& launched) {
  const int rows = static_cast<int>(kernel.x.extent(0));
  const int n = static_cast<int>(kernel.x.extent(1));
  const dim3 blocks(blocks_for(n - 2, threads), blocks_for(rows - 2, rows_per_thread));
  launched<<<blocks, threads, 0, stream>>>(kernel.x.data_handle(), kernel.z.data_handle(), rows, n,
                                           kernel.weights);
  check_launch("hand-written stencil");
}

void five_points(stencil5<cuda>& kernel, cudaStream_t stream) {
  on_plane(kernel, stream, five_points_kernel);
}

void nine_points(stencil9<cuda>& kernel, cudaStream_t stream) {
  on_plane(kernel, stream, nine_points_kernel);
}

void twenty_seven_points(stencil27<cuda>& kernel, cudaStream_t stream) {
  const int planes = static_cast<int>(kernel.x.extent(0));
  const int rows = static_cast<int>(kernel.x.extent(1));
  const int n = static_cast<int>(kernel.x.extent(2));
  const dim3 blocks(blocks_for(n - 2, volume_width), blocks_for(rows - 2, volume_height),
                    blocks_for(planes - 2, 1));
  twenty_seven_points_kernel<<<blocks, dim3(volume_width, volume_height), 0, stream>>>(
      kernel.x.data_handle(), kernel.z.data_handle(), planes, rows, n, kernel.weights);
  check_launch("hand-written stencil");
}

const registration five(list_kernel<cuda, stencil5<cuda>, five_points>);
const registration nine(list_kernel<cuda, stencil9<cuda>, nine_points>);
const registration volume(list_kernel<cuda, stencil27<cuda>, twenty_seven_points>);

}  // namespace

}  // namespace perf
