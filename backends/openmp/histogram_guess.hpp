// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Guesses of uniform bins in blocks, one version an instruction set. The files of those include
/// this header, the loops of histogram_guess_loop.hpp and no other of tandem's: an inline function
/// that one of them compiled could otherwise be the copy that the linker keeps for every CPU.
namespace tandem::openmp_impl {

/// uniform_bin_rule's estimate and number of bins.
template <class T>
struct guess_numbers {
  T inverse;
  T offset;
  T certain;
  std::uint32_t bins;
};

/// Writes a number for each of `count` values: its bin if that is certain, `bins` if it certainly
/// has none, `bins` + 1 if it takes a closer look. Returns whether any does.
template <class T>
using guess_bins_function = bool(const guess_numbers<T>& numbers, const T* x, int count,
                                 std::uint32_t* bins);

/// Numbers of uniform_bin_rule<float> that tell which edge is nearest to a value, and where it is.
struct edge_numbers {
  float lo;
  float hi;
  float inverse;
  float offset;
  double origin;
  double step;
  std::uint32_t bins;
};

/// Writes the bin of each of `count` values, or `bins` if it has none, by a comparison with the
/// nearest edge: twice a guess's work, but never in doubt.
using compare_edges_function = void(const edge_numbers& numbers, const float* x, int count,
                                    std::uint32_t* bins);

struct guess_kernels {
  guess_bins_function<float>* f32;
  guess_bins_function<double>* f64;
  compare_edges_function* compare_f32;
};

extern const guess_kernels guess_baseline;
#if defined(__x86_64__)
extern const guess_kernels guess_avx512;
extern const guess_kernels guess_avx2;
#endif

/// The fastest ones for this CPU.
const guess_kernels& usable_guess_kernels();

}  // namespace tandem::openmp_impl
