// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/reducers/combined.hpp>

/// Reducer operations as single machine instructions, if those give all bits except the sign of a
/// zero. tandem's minimum keeps the first of -0 and +0 (docs/numerics.md), whereas the instruction
/// takes -0. A lane folds with the instruction and inspects its result. If that is the zero that
/// may be wrong, the lane folds again with the reducer itself.
namespace tandem::cuda_impl {

/// The smaller of two floats; NaN if either is NaN; -0 for zeros of different sign.
__device__ inline float fast_minimum(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  return tandem::min(a, b);
#endif
}
/// The larger of two floats; NaN if either is NaN; +0 for zeros of different sign.
__device__ inline float fast_maximum(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  return tandem::max(a, b);
#endif
}

/// A minimum of -0 may hide a +0 that came first; a minimum of +0 encountered no other zero.
__device__ inline bool minimum_needs_exact(float a) { return __float_as_uint(a) == 0x80000000u; }
/// A maximum of +0 may hide a -0 that came first.
__device__ inline bool maximum_needs_exact(float a) { return __float_as_uint(a) == 0; }

/// The fast operation of a reducer. By default this is the reducer's operation, which is always
/// exact.
template <class R>
struct fast_op {
  static constexpr bool exists = false;

  template <class T>
  __device__ static T combine(const R& reducer, const T& a, const T& b) {
    return reducer.combine(a, b);
  }
  template <class T>
  __device__ static bool needs_exact(const T&) {
    return false;
  }
};

template <>
struct fast_op<minimum<float>> {
  static constexpr bool exists = true;

  __device__ static float combine(const minimum<float>&, float a, float b) {
    return fast_minimum(a, b);
  }
  __device__ static bool needs_exact(float a) { return minimum_needs_exact(a); }
};

template <>
struct fast_op<maximum<float>> {
  static constexpr bool exists = true;

  __device__ static float combine(const maximum<float>&, float a, float b) {
    return fast_maximum(a, b);
  }
  __device__ static bool needs_exact(float a) { return maximum_needs_exact(a); }
};

template <>
struct fast_op<minmax<float>> {
  static constexpr bool exists = true;

  __device__ static min_max_values<float> combine(const minmax<float>&, min_max_values<float> a,
                                                  min_max_values<float> b) {
    return {fast_minimum(a.minimum, b.minimum), fast_maximum(a.maximum, b.maximum)};
  }
  __device__ static bool needs_exact(min_max_values<float> a) {
    return minimum_needs_exact(a.minimum) || maximum_needs_exact(a.maximum);
  }
};

template <class... R>
struct fast_op<combined_reducer<R...>> {
  static constexpr bool exists = (fast_op<R>::exists || ...);
  using accumulator = typename combined_reducer<R...>::accumulator;

  __device__ static accumulator combine(const combined_reducer<R...>& reducer, const accumulator& a,
                                        const accumulator& b) {
    return combine_each(reducer, a, b, std::index_sequence_for<R...>{});
  }
  __device__ static bool needs_exact(const accumulator& a) {
    return any_needs_exact(a, std::index_sequence_for<R...>{});
  }

 private:
  template <std::size_t... Position>
  __device__ static accumulator combine_each(const combined_reducer<R...>& reducer,
                                             const accumulator& a, const accumulator& b,
                                             std::index_sequence<Position...>) {
    return tandem::make_tuple(fast_op<R>::combine(get<Position>(reducer.reducers), get<Position>(a),
                                                  get<Position>(b))...);
  }
  template <std::size_t... Position>
  __device__ static bool any_needs_exact(const accumulator& a, std::index_sequence<Position...>) {
    return (int(fast_op<R>::needs_exact(get<Position>(a))) | ...) != 0;
  }
};

}  // namespace tandem::cuda_impl
