// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <perf/kernels/block_fft/kernel.hpp>

namespace perf::block_fft_openmp {

/// One stage over all pairs of a block.
void run_stage(const float* __restrict from_re, const float* __restrict from_im,
               const float* __restrict w_re, const float* __restrict w_im, float* __restrict to_re,
               float* __restrict to_im) {
#pragma omp simd
  for (int k = 0; k < fft_pairs; ++k) {
    const auto both = butterfly(from_re[k], from_im[k], from_re[k + fft_pairs],
                                from_im[k + fft_pairs], w_re[k], w_im[k]);
    to_re[2 * k] = both.sum_re;
    to_im[2 * k] = both.sum_im;
    to_re[2 * k + 1] = both.difference_re;
    to_im[2 * k + 1] = both.difference_im;
  }
}

/// The last stage, whose twiddle factors are all one, for one part of the numbers.
void run_last_stage(const float* __restrict from, float* __restrict to) {
#pragma omp simd
  for (int k = 0; k < fft_pairs; ++k) {
    to[2 * k] = from[k] + from[k + fft_pairs];
    to[2 * k + 1] = from[k] - from[k + fft_pairs];
  }
}

void transform_by_hand(block_fft<openmp>& kernel) {
  const float* const in_re = kernel.in_re.data_handle();
  const float* const in_im = kernel.in_im.data_handle();
  const float* const w_re = kernel.twiddle_re.data_handle();
  const float* const w_im = kernel.twiddle_im.data_handle();
  float* const out_re = kernel.out_re.data_handle();
  float* const out_im = kernel.out_im.data_handle();
  const index_t blocks = kernel.in_re.extent(0);
#pragma omp parallel for schedule(static)
  for (index_t block = 0; block < blocks; ++block) {
    float re[2][fft_points];
    float im[2][fft_points];
    const index_t first = block * fft_points;
    run_stage(in_re + first, in_im + first, w_re, w_im, re[0], im[0]);
    for (int stage = 1; stage < fft_stages - 1; ++stage) {
      const int to = stage % 2;
      const int w = stage * fft_pairs;
      run_stage(re[1 - to], im[1 - to], w_re + w, w_im + w, re[to], im[to]);
    }
    run_last_stage(re[fft_stages % 2], out_re + first);
    run_last_stage(im[fft_stages % 2], out_im + first);
  }
}

const registration all(list_kernel<openmp, block_fft<openmp>, transform_by_hand>);

}  // namespace perf::block_fft_openmp
