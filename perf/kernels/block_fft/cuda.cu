// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/block_fft/kernel.hpp>
#include <perf/kernels/launch.cuh>

namespace perf::block_fft_cuda {

/// Transforms that a block of threads computes, one butterfly of each stage per thread.
constexpr int transforms = 2;
constexpr int threads = transforms * fft_pairs;

/// The two results of a pair, side by side, as words of 8 bytes.
struct stored_pair {
  float2 re;
  float2 im;
};

__device__ stored_pair side_by_side(const butterfly_results& both) {
  return {make_float2(both.sum_re, both.difference_re),
          make_float2(both.sum_im, both.difference_im)};
}

/// One butterfly of each stage per thread; stages alternate between two buffers in shared memory,
/// so that there is one barrier per stage.
__global__ void __launch_bounds__(threads)
    fft_kernel(const float* __restrict__ in_re, const float* __restrict__ in_im,
               const float* __restrict__ w_re, const float* __restrict__ w_im,
               float* __restrict__ out_re, float* __restrict__ out_im, int blocks) {
  __shared__ float2 re[2][transforms][fft_pairs];
  __shared__ float2 im[2][transforms][fft_pairs];
  const int k = static_cast<int>(threadIdx.x) % fft_pairs;
  const int own = static_cast<int>(threadIdx.x) / fft_pairs;
  const int block = static_cast<int>(blockIdx.x) * transforms + own;
  const bool exists = block < blocks;
  const long long first = static_cast<long long>(block) * fft_points;
  if (exists) {
    const float* const r = in_re + first;
    const float* const i = in_im + first;
    const stored_pair both =
        side_by_side(butterfly(r[k], i[k], r[k + fft_pairs], i[k + fft_pairs], w_re[k], w_im[k]));
    re[0][own][k] = both.re;
    im[0][own][k] = both.im;
  }
  __syncthreads();
#pragma unroll
  for (int stage = 1; stage < fft_stages - 1; ++stage) {
    const int to = stage % 2;
    const auto* const r = reinterpret_cast<const float*>(re[1 - to][own]);
    const auto* const i = reinterpret_cast<const float*>(im[1 - to][own]);
    const int w = stage * fft_pairs + k;
    const stored_pair both =
        side_by_side(butterfly(r[k], i[k], r[k + fft_pairs], i[k + fft_pairs], w_re[w], w_im[w]));
    re[to][own][k] = both.re;
    im[to][own][k] = both.im;
    __syncthreads();
  }
  if (!exists) return;
  const auto* const r = reinterpret_cast<const float*>(re[fft_stages % 2][own]);
  const auto* const i = reinterpret_cast<const float*>(im[fft_stages % 2][own]);
  reinterpret_cast<float2*>(out_re + first)[k] =
      make_float2(r[k] + r[k + fft_pairs], r[k] - r[k + fft_pairs]);
  reinterpret_cast<float2*>(out_im + first)[k] =
      make_float2(i[k] + i[k + fft_pairs], i[k] - i[k + fft_pairs]);
}

void transform_by_hand(block_fft<cuda>& kernel, cudaStream_t stream) {
  const auto blocks = static_cast<int>(kernel.in_re.extent(0));
  fft_kernel<<<blocks_for(blocks, transforms), threads, 0, stream>>>(
      kernel.in_re.data_handle(), kernel.in_im.data_handle(), kernel.twiddle_re.data_handle(),
      kernel.twiddle_im.data_handle(), kernel.out_re.data_handle(), kernel.out_im.data_handle(),
      blocks);
  check_launch("block_fft");
}

const registration all(list_kernel<cuda, block_fft<cuda>, transform_by_hand>);

}  // namespace perf::block_fft_cuda
