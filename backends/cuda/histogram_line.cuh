// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/histogram_bins.hpp>

#include <cstdint>

/// How the kernels of a histogram read their input.
namespace tandem::cuda_impl {

/// Elements `stride` apart, of which `head` come before the first 16-byte boundary (when the stride
/// is 1).
template <class T>
struct histogram_line {
  const T* data;
  index_t size;
  index_t stride;
  index_t head;

  __device__ T operator[](index_t i) const { return device::load_constant(data + i * stride); }
};

template <class T>
histogram_line<T> make_histogram_line(const void* data, index_t size, index_t stride) {
  const auto past = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(data) % 16);
  const index_t head = past == 0 ? 0 : (16 - past) / static_cast<index_t>(sizeof(T));
  return {static_cast<const T*>(data), size, stride, head < size ? head : size};
}

/// 16 bytes of elements.
template <class T>
struct alignas(16) vector_of {
  static constexpr int width = 16 / static_cast<int>(sizeof(T));
  T element[width];
};

template <class T>
__device__ inline vector_of<T> load_vector(const uint4* p) {
  return __builtin_bit_cast(vector_of<T>, __ldcs(p));
}

__device__ inline index_t thread_of_row() { return index_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ inline index_t threads_of_row() { return index_t{gridDim.x} * blockDim.x; }

/// Calls f(values) with arrays of elements until the threads of a row of blocks have seen all
/// elements once. Two 16-byte loads of each thread are in flight where x is contiguous, four of
/// single elements where it is not.
template <class T, class Function>
__device__ __forceinline__ void for_each_batch(const histogram_line<T>& x, const Function& f) {
  const index_t step = threads_of_row();
  index_t scalars = x.size;  // left to be read one by one
  index_t gap = 0;           // of them `head` lie before the vectors
  if (x.stride == 1) {
    constexpr int width = vector_of<T>::width;
    const index_t vectors = (x.size - x.head) / width;
    const auto* const p = reinterpret_cast<const uint4*>(x.data + x.head);
    index_t i = thread_of_row();
    for (; i + step < vectors; i += 2 * step) {
      const vector_of<T> first = load_vector<T>(p + i);
      const vector_of<T> second = load_vector<T>(p + i + step);
      f(first.element);
      f(second.element);
    }
    if (i < vectors) f(load_vector<T>(p + i).element);
    gap = vectors * width;
    scalars -= gap;
  }
  index_t i = thread_of_row();
  for (; i + 3 * step < scalars; i += 4 * step) {
    const T values[4] = {x[i], x[i + step], x[i + 2 * step],
                         x[i + 3 * step]};  // strided: there are no vectors
    f(values);
  }
  for (; i < scalars; i += step) {
    const T values[1] = {x[i < x.head ? i : i + gap]};
    f(values);
  }
}

/// Calls f(x[i], w[i]) for all i, four pairs of loads of each thread in flight.
template <class T, class W, class Function>
__device__ __forceinline__ void for_each_pair(const histogram_line<T>& x,
                                              const histogram_line<W>& w, const Function& f) {
  constexpr int round = 4;
  const index_t step = threads_of_row();
  for (index_t first = thread_of_row(); first < x.size; first += round * step) {
    T values[round];
    W weights[round];
#pragma unroll
    for (int k = 0; k < round; ++k) {
      const index_t i = first + k * step;
      if (i >= x.size) continue;
      values[k] = x[i];
      weights[k] = w[i];
    }
#pragma unroll
    for (int k = 0; k < round; ++k) {
      if (first + k * step < x.size) f(values[k], weights[k]);
    }
  }
}

}  // namespace tandem::cuda_impl
