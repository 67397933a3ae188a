// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/kernels/pairs.hpp>
#include <tandem/backends/openmp/histogram/kernels/runs.hpp>
#include <tandem/backends/openmp/histogram/kernels/uniform_bins.hpp>
#include <tandem/backends/openmp/histogram/kernels/weights.hpp>

namespace tandem::openmp_impl {
namespace {

template <class T>
constexpr floating_point_kernels<T> make_floating_point_kernels() {
  return {.estimate = estimate_bins<T>,
          .compare = compare_edges<T>,
          .pairs = count_fixed_point_pairs<T>,
          .split = split_weights<T>};
}

constexpr histogram_kernels make_histogram_kernels() {
  return {.words = count_runs<word_counters>,
          .bytes = count_runs<byte_counters>,
          .pairs = count_pairs,
          .fold_pairs = fold_pairs,
          .f32 = make_floating_point_kernels<float>(),
          .f64 = make_floating_point_kernels<double>()};
}

}  // namespace
}  // namespace tandem::openmp_impl
