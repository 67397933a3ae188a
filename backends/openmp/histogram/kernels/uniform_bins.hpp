// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram/kernels/table.hpp>

/// Bins of floating-point values in uniform bins. Everything has internal linkage, so that the file
/// of each instruction set keeps its own copy.
namespace tandem::openmp_impl {
namespace {

/// Estimates bins; uniform_bin_rule::guess explains why that is right.
template <class T>
bool estimate_bins(const typename uniform_bin_rule<T>::estimate& numbers,
                   std::uint32_t number_of_bins, const T* x, int count, std::uint32_t* bins) {
  constexpr T magic = sizeof(T) == 4 ? T(0x1.8p23) : T(0x1.8p52);
  const T inverse = numbers.inverse;
  const T offset = numbers.offset;
  const T certain = numbers.certain;
  const auto none = static_cast<std::int32_t>(number_of_bins);
  const T end = static_cast<T>(none);
  std::int32_t doubts = 0;
#pragma omp simd reduction(| : doubts)
  for (int i = 0; i < count; ++i) {
    const T position = x[i] * inverse + offset;
    const T nearest = (position + magic) - magic;
    const auto distance = static_cast<T>(__builtin_fabs(position - nearest));
    const bool inside = nearest >= 0 && nearest < end;
    const auto bin = static_cast<std::int32_t>(inside ? nearest : T{0});
    const std::int32_t guess = inside ? bin : none;
    const bool doubtful = !(distance < certain);
    bins[i] = static_cast<std::uint32_t>(doubtful ? none : guess) + (doubtful ? 1u : 0u);
    doubts |= doubtful ? 1 : 0;
  }
  return doubts != 0;
}

/// Compares values with the nearest edges, those of uniform_bin_rule::edge: the product is rounded
/// before the sum, since the library is compiled without contraction.
template <class T>
void compare_edges(const uniform_edges<T>& numbers, const T* x, int count, std::uint32_t* bins) {
  constexpr T magic = sizeof(T) == 4 ? T(0x1.8p23) : T(0x1.8p52);
  const uniform_edges<T> of = numbers;
  const auto none = static_cast<std::int32_t>(of.bins);
  const T end = static_cast<T>(none);
#pragma omp simd
  for (int i = 0; i < count; ++i) {
    const bool inside = x[i] >= of.lo && x[i] <= of.hi;
    const T nearest = (x[i] * of.inverse + of.offset + magic) - magic;
    const T low = nearest > 0 ? nearest : 0;
    const T at = low < end ? low : end;
    const T computed = static_cast<T>(of.origin + static_cast<double>(at) * of.step);
    const T edge = at < end ? computed : of.hi;
    const std::int32_t bin = static_cast<std::int32_t>(at) - (x[i] < edge ? 1 : 0);
    const std::int32_t closed = bin < none ? bin : none - 1;
    bins[i] = static_cast<std::uint32_t>(inside ? closed : none);
  }
}

}  // namespace
}  // namespace tandem::openmp_impl
