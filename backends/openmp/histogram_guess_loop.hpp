// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/histogram_guess.hpp>

namespace tandem::openmp_impl {

/// The loop that each instruction set's file compiles. `File` is a type that no other file knows,
/// which keeps this one's code apart from theirs. See uniform_bin_rule::guess for why it is right.
template <class File, class T>
bool guess_bins(const guess_numbers<T>& numbers, const T* x, int count, std::uint32_t* bins) {
  constexpr T magic = sizeof(T) == 4 ? T(0x1.8p23) : T(0x1.8p52);
  const T inverse = numbers.inverse;
  const T offset = numbers.offset;
  const T certain = numbers.certain;
  const auto none = static_cast<std::int32_t>(numbers.bins);
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

}  // namespace tandem::openmp_impl
