// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/combined_reducer.hpp>

/// A reducer's operation as one instruction of the machine, where that has all its bits but the
/// sign of a zero. tandem's minimum keeps the first of -0 and +0 (docs/numerics.md), the
/// instruction takes -0. A lane folds with it and looks at its result: is that the zero which may
/// be wrong, it folds again with the reducer itself.
namespace tandem::cuda_impl {

/// The smaller or the larger of two floats, NaN if either is; of two zeros -0 or +0.
__device__ inline float quick_minimum(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  return tandem::min(a, b);
#endif
}
__device__ inline float quick_maximum(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  return tandem::max(a, b);
#endif
}

/// -0 may stand for a +0 that came first; a minimum of +0 saw no other zero.
__device__ inline bool doubtful_minimum(float a) { return __float_as_uint(a) == 0x80000000u; }
__device__ inline bool doubtful_maximum(float a) { return __float_as_uint(a) == 0; }

/// The quick operation of a reducer: here the reducer's own, which leaves no doubt.
template <class R>
struct quick {
  static constexpr bool exists = false;

  template <class T>
  __device__ static T combine(const R& reducer, const T& a, const T& b) {
    return reducer.combine(a, b);
  }
  template <class T>
  __device__ static bool doubtful(const T&) {
    return false;
  }
};

template <>
struct quick<minimum<float>> {
  static constexpr bool exists = true;

  __device__ static float combine(const minimum<float>&, float a, float b) {
    return quick_minimum(a, b);
  }
  __device__ static bool doubtful(float a) { return doubtful_minimum(a); }
};

template <>
struct quick<maximum<float>> {
  static constexpr bool exists = true;

  __device__ static float combine(const maximum<float>&, float a, float b) {
    return quick_maximum(a, b);
  }
  __device__ static bool doubtful(float a) { return doubtful_maximum(a); }
};

template <>
struct quick<minmax<float>> {
  static constexpr bool exists = true;

  __device__ static min_max_values<float> combine(const minmax<float>&, min_max_values<float> a,
                                                  min_max_values<float> b) {
    return {quick_minimum(a.minimum, b.minimum), quick_maximum(a.maximum, b.maximum)};
  }
  __device__ static bool doubtful(min_max_values<float> a) {
    return doubtful_minimum(a.minimum) || doubtful_maximum(a.maximum);
  }
};

template <class... R>
struct quick<combined_reducer<R...>> {
  static constexpr bool exists = (quick<R>::exists || ...);
  using accumulator = typename combined_reducer<R...>::accumulator;

  __device__ static accumulator combine(const combined_reducer<R...>& reducer, const accumulator& a,
                                        const accumulator& b) {
    return combine_each(reducer, a, b, std::index_sequence_for<R...>{});
  }
  __device__ static bool doubtful(const accumulator& a) {
    return doubtful_any(a, std::index_sequence_for<R...>{});
  }

 private:
  template <std::size_t... I>
  __device__ static accumulator combine_each(const combined_reducer<R...>& reducer,
                                             const accumulator& a, const accumulator& b,
                                             std::index_sequence<I...>) {
    return tandem::make_tuple(quick<R>::combine(get<I>(reducer.reducers), get<I>(a), get<I>(b))...);
  }
  template <std::size_t... I>
  __device__ static bool doubtful_any(const accumulator& a, std::index_sequence<I...>) {
    return (int(quick<R>::doubtful(get<I>(a))) | ...) != 0;
  }
};

}  // namespace tandem::cuda_impl
