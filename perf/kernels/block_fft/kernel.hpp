// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/kernels/sizes.hpp>

#include <numbers>

namespace perf {

/// Points of a transform, the pairs of one of its stages, and its stages.
inline constexpr int fft_points = 256;
inline constexpr int fft_pairs = fft_points / 2;
inline constexpr int fft_stages = 8;
static_assert(1 << fft_stages == fft_points);

/// The sum of a pair of complex numbers, and their difference times the twiddle factor.
struct butterfly_results {
  float sum_re;
  float sum_im;
  float difference_re;
  float difference_im;
};

/// The butterfly of decimation in frequency on the pair a, b with the twiddle factor w.
TANDEM_FUNCTION inline butterfly_results butterfly(float a_re, float a_im, float b_re, float b_im,
                                                   float w_re, float w_im) {
  const float re = a_re - b_re;
  const float im = a_im - b_im;
  return {a_re + b_re, a_im + b_im, re * w_re - im * w_im, re * w_im + im * w_re};
}

/// The cosine of 2 pi (e / fft_points + turn) for pair k of stage s at s * fft_pairs + k; e
/// is k without its lowest s bits: with a turn of 0 and 1/4 the parts of the twiddle factors
/// exp(-2 pi i e / fft_points).
struct twiddle_factor {
  double turn;

  TANDEM_FUNCTION float operator()(index_t i) const {
    const index_t stage = i / fft_pairs;
    const index_t exponent = (i % fft_pairs) >> stage << stage;
    const double turns = static_cast<double>(exponent) / fft_points + turn;
    return static_cast<float>(tandem::cos(2 * std::numbers::pi * turns));
  }
};

/// Discrete Fourier transforms of blocks of fft_points complex numbers, in bit-reversed order: the
/// radix-2 algorithm of constant geometry, in which every stage reads elements k and k + fft_pairs
/// and writes 2 k and 2 k + 1. Source: Pease, "An Adaptation of the Fast Fourier Transform for
/// Parallel Processing", J. ACM 15 (1968).
template <class Space>
struct block_fft {
  static constexpr const char* name = "block_fft_by_teams";
  static constexpr const char* type = "f32";

  static inline const kernel_sizes sizes{
      {{1024, fft_points}, {8192, fft_points}, {32768, fft_points}}, {{131072, fft_points}}};
  /// Real and imaginary parts, read and written.
  static constexpr kernel_cost cost_each{.bytes = 4.0 * sizeof(float)};

  block_fft(const Space& space, const kernel_size& size)
      : in_re(extents<2>(size[0], size[1]), space),
        in_im(extents<2>(size[0], size[1]), space),
        out_re(extents<2>(size[0], size[1]), space),
        out_im(extents<2>(size[0], size[1]), space),
        twiddle_re(filled(space, fft_stages * fft_pairs, twiddle_factor{0.0})),
        twiddle_im(filled(space, fft_stages * fft_pairs, twiddle_factor{0.25})) {
    fill_with(space, line_of(in_re), uniform_values<float>{1});
    fill_with(space, line_of(in_im), uniform_values<float>{2});
  }

  void reset(const Space& space) {
    tandem::fill(space, out_re, 0.0f);
    tandem::fill(space, out_im, 0.0f);
  }
  outcome result(const Space& space) {
    const outcome re = summary(space, out_re.view());
    const outcome im = summary(space, out_im.view());
    return {re.bits ^ (im.bits << 1 | im.bits >> 63), re.value + im.value};
  }

  void run(const Space& space) {
    const auto of_re = in_re.const_view();
    const auto of_im = in_im.const_view();
    const auto to_re = out_re.view();
    const auto to_im = out_im.view();
    const auto w_re = twiddle_re.const_view();
    const auto w_im = twiddle_im.const_view();
    const tandem::team_shape shape{of_re.extent(0), fft_pairs, 4 * fft_points * sizeof(float)};
    tandem::parallel_teams(
        space, shape, TANDEM_LAMBDA(tandem::team & team) {
          constexpr int half = fft_pairs;
          const index_t j = team.index();
          float* from_re = team.scratch<float>(fft_points);
          float* from_im = team.scratch<float>(fft_points);
          float* next_re = team.scratch<float>(fft_points);
          float* next_im = team.scratch<float>(fft_points);
          team.for_each_lane([=](int k) {
            const auto both = butterfly(of_re(j, k), of_im(j, k), of_re(j, k + half),
                                        of_im(j, k + half), w_re(k), w_im(k));
            store(both, next_re, next_im, k);
          });
          for (int stage = 1; stage < fft_stages - 1; ++stage) {
            swap(from_re, next_re);
            swap(from_im, next_im);
            const int w = stage * half;
            team.for_each_lane([=](int k) {
              const auto both = butterfly(from_re[k], from_im[k], from_re[k + half],
                                          from_im[k + half], w_re(w + k), w_im(w + k));
              store(both, next_re, next_im, k);
            });
          }
          team.for_each_lane([=](int k) {  // the last stage, whose twiddle factors are all one
            to_re(j, 2 * k) = next_re[k] + next_re[k + half];
            to_im(j, 2 * k) = next_im[k] + next_im[k + half];
            to_re(j, 2 * k + 1) = next_re[k] - next_re[k + half];
            to_im(j, 2 * k + 1) = next_im[k] - next_im[k + half];
          });
        });
  }

  /// Writes the results of pair k to elements 2 k and 2 k + 1.
  TANDEM_FUNCTION static void store(const butterfly_results& both, float* re, float* im, int k) {
    re[2 * k] = both.sum_re;
    im[2 * k] = both.sum_im;
    re[2 * k + 1] = both.difference_re;
    im[2 * k + 1] = both.difference_im;
  }

  TANDEM_FUNCTION static void swap(float*& a, float*& b) {
    float* const was = a;
    a = b;
    b = was;
  }

  array<float, 2, Space> in_re;
  array<float, 2, Space> in_im;
  array<float, 2, Space> out_re;
  array<float, 2, Space> out_im;
  array<float, 1, Space> twiddle_re;
  array<float, 1, Space> twiddle_im;
};

}  // namespace perf
