// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/launch.cuh>
#include <perf/kernels/stencil/kernel.hpp>

namespace perf::stencil_cuda {

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

constexpr int volume_width = 32;
constexpr int volume_height = 4;

/// Planes per thread: the elements below and above come from registers.
constexpr int planes_per_thread = 16;

__global__ void __launch_bounds__(volume_width* volume_height)
    seven_points_kernel(const float* __restrict__ x, float* __restrict__ z, int planes, int rows,
                        int n, stencil_weights w) {
  const int i = static_cast<int>(blockIdx.x * volume_width + threadIdx.x) + 1;
  const int j = static_cast<int>(blockIdx.y * volume_height + threadIdx.y) + 1;
  if (i >= n - 1 || j >= rows - 1) return;
  const int first = static_cast<int>(blockIdx.z) * planes_per_thread + 1;
  const int last = min(first + planes_per_thread, planes - 1);
  const int plane = rows * n;
  int at = first * plane + j * n + i;
  float below = __ldg(x + at - plane);
  float centre = __ldg(x + at);
#pragma unroll 4
  for (int k = first; k < last; ++k, at += plane) {
    const float above = __ldg(x + at + plane);
    z[at] = w.centre * centre + w.face * (below + above + __ldg(x + at - n) + __ldg(x + at + n) +
                                          __ldg(x + at - 1) + __ldg(x + at + 1));
    below = centre;
    centre = above;
  }
}

__device__ plane_sums sums_of_plane(const float* __restrict__ p, int n, const stencil_weights& w) {
  const float centre = __ldg(p);
  const float faces = __ldg(p - n) + __ldg(p + n) + __ldg(p - 1) + __ldg(p + 1);
  const float edges = __ldg(p - n - 1) + __ldg(p - n + 1) + __ldg(p + n - 1) + __ldg(p + n + 1);
  return {w.centre * centre + w.face * faces + w.edge * edges,
          w.face * centre + w.edge * faces + w.corner * edges};
}

__global__ void __launch_bounds__(volume_width* volume_height)
    twenty_seven_points_kernel(const float* __restrict__ x, float* __restrict__ z, int planes,
                               int rows, int n, stencil_weights w) {
  const int i = static_cast<int>(blockIdx.x * volume_width + threadIdx.x) + 1;
  const int j = static_cast<int>(blockIdx.y * volume_height + threadIdx.y) + 1;
  if (i >= n - 1 || j >= rows - 1) return;
  const int first = static_cast<int>(blockIdx.z) * planes_per_thread + 1;
  const int last = min(first + planes_per_thread, planes - 1);
  const int plane = rows * n;
  int at = first * plane + j * n + i;
  plane_sums below = sums_of_plane(x + at - plane, n, w);
  plane_sums middle = sums_of_plane(x + at, n, w);
#pragma unroll 2
  for (int k = first; k < last; ++k, at += plane) {
    const plane_sums above = sums_of_plane(x + at + plane, n, w);
    z[at] = middle.own + below.other + above.other;
    below = middle;
    middle = above;
  }
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

template <class Kernel>
void five_points(Kernel& kernel, cudaStream_t stream) {
  on_plane(kernel, stream, five_points_kernel);
}

void nine_points(stencil9<cuda>& kernel, cudaStream_t stream) {
  on_plane(kernel, stream, nine_points_kernel);
}

template <class Kernel, class Launched>
void on_volume(Kernel& kernel, cudaStream_t stream, const Launched& launched) {
  const int planes = static_cast<int>(kernel.x.extent(0));
  const int rows = static_cast<int>(kernel.x.extent(1));
  const int n = static_cast<int>(kernel.x.extent(2));
  const dim3 blocks(blocks_for(n - 2, volume_width), blocks_for(rows - 2, volume_height),
                    blocks_for(planes - 2, planes_per_thread));
  launched<<<blocks, dim3(volume_width, volume_height), 0, stream>>>(
      kernel.x.data_handle(), kernel.z.data_handle(), planes, rows, n, kernel.weights);
  check_launch("hand-written stencil");
}

void seven_points(stencil7<cuda>& kernel, cudaStream_t stream) {
  on_volume(kernel, stream, seven_points_kernel);
}

void twenty_seven_points(stencil27<cuda>& kernel, cudaStream_t stream) {
  on_volume(kernel, stream, twenty_seven_points_kernel);
}

using plain = stencil5<cuda>;
using guarded = stencil5_guarded<cuda>;

const registration five(list_kernel<cuda, plain, five_points<plain>>);
const registration five_guarded(list_kernel<cuda, guarded, five_points<guarded>>);
const registration seven(list_kernel<cuda, stencil7<cuda>, seven_points>);
const registration nine(list_kernel<cuda, stencil9<cuda>, nine_points>);
const registration volume(list_kernel<cuda, stencil27<cuda>, twenty_seven_points>);

}  // namespace perf::stencil_cuda
