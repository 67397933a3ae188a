// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/input.cuh>

#include <cstdint>
#include <type_traits>

/// How the kernels of a weighted histogram read values and weights.
namespace tandem::cuda_impl {

/// N adjacent elements that a thread loads at once, at most 16 bytes.
template <class T, int N>
struct alignas(N * sizeof(T)) group_of {
  T element[N];
};

template <class T, int N>
__device__ inline group_of<T, N> load_group(const T* p) {
  constexpr std::size_t bytes = N * sizeof(T);
  using Word = std::conditional_t<
      bytes == 16, uint4,
      std::conditional_t<bytes == 8, uint2,
                         std::conditional_t<bytes == 4, unsigned, unsigned short>>>;
  return __builtin_bit_cast(group_of<T, N>, __ldcs(reinterpret_cast<const Word*>(p)));
}

/// Values and their weights. If both are contiguous and equally aligned, `groups` groups for
/// vectorized loads start at element `head`.
template <class T, class W>
struct weighted_input {
  static constexpr int width = sizeof(T) == 8 || sizeof(W) == 8 ? 2 : 4;

  histogram_input<T> x;
  histogram_input<W> weights;
  index_t head;
  index_t groups;
};

template <class T, class W>
weighted_input<T, W> make_weighted_input(const histogram_input<T>& x,
                                         const histogram_input<W>& weights) {
  constexpr int width = weighted_input<T, W>::width;
  const auto aligned = [](const auto* p) {
    return reinterpret_cast<std::uintptr_t>(p) % (width * sizeof(*p)) == 0;
  };
  if (x.stride == 1 && weights.stride == 1) {
    for (index_t head = 0; head < width && head <= x.size; ++head) {
      if (aligned(x.data + head) && aligned(weights.data + head))
        return {x, weights, head, (x.size - head) / width};
    }
  }
  return {x, weights, 0, 0};
}

template <class T, class W>
struct pair_group {
  group_of<T, weighted_input<T, W>::width> values;
  group_of<W, weighted_input<T, W>::width> weights;
};

template <class T, class W>
__device__ inline pair_group<T, W> load_pairs(const weighted_input<T, W>& pairs, index_t group) {
  constexpr int width = weighted_input<T, W>::width;
  const index_t first = pairs.head + width * group;
  return {load_group<T, width>(pairs.x.data + first),
          load_group<W, width>(pairs.weights.data + first)};
}

/// Calls f(values, weights) for the pairs outside all groups. If there are no groups, `width` pairs
/// per thread are in flight.
template <class T, class W, class Function>
__device__ __forceinline__ void for_each_single_pair(const weighted_input<T, W>& pairs,
                                                     const Function& f) {
  constexpr int width = weighted_input<T, W>::width;
  const index_t step = threads_of_row();
  const index_t gap = width * pairs.groups;
  const index_t scalars = pairs.x.size - gap;
  index_t i = thread_of_row();
  for (; i + (width - 1) * step < scalars; i += width * step) {  // many if there are no groups
    T x_of[width];
    W weight_of[width];
#pragma unroll
    for (int k = 0; k < width; ++k) {
      const index_t at = i + k * step;
      x_of[k] = pairs.x[at < pairs.head ? at : at + gap];
      weight_of[k] = pairs.weights[at < pairs.head ? at : at + gap];
    }
    f(x_of, weight_of);
  }
  for (; i < scalars; i += step) {
    const index_t at = i < pairs.head ? i : i + gap;
    const T x_of[1] = {pairs.x[at]};
    const W weight_of[1] = {pairs.weights[at]};
    f(x_of, weight_of);
  }
}

/// Calls f(values, weights) for all groups, each once per row of blocks. Two groups per thread are
/// in flight.
template <class T, class W, class Function>
__device__ __forceinline__ void for_each_group(const weighted_input<T, W>& pairs,
                                               const Function& f) {
  const index_t step = threads_of_row();
  index_t i = thread_of_row();
  pair_group<T, W> group[2];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    if (i + k * step < pairs.groups) group[k] = load_pairs(pairs, i + k * step);
  }
  for (; i < pairs.groups; i += 2 * step) {
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      if (i + k * step < pairs.groups) f(group[k].values.element, group[k].weights.element);
      // The load of the next group is issued as soon as this group has been processed.
      const index_t next = i + (k + 2) * step;
      if (next < pairs.groups) group[k] = load_pairs(pairs, next);
    }
  }
}

/// Calls f(values, weights) with arrays of all pairs, each once per row of blocks.
template <class T, class W, class Function>
__device__ __forceinline__ void for_each_pairs(const weighted_input<T, W>& pairs,
                                               const Function& f) {
  for_each_group(pairs, f);
  for_each_single_pair(pairs, f);
}

}  // namespace tandem::cuda_impl
