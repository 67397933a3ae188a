// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/policy.hpp>
#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/core/contract/histogram_bins.hpp>

#include <cstdint>

/// How histogram kernels read their input.
namespace tandem::cuda_impl {

/// The elements of a histogram's input, `stride` apart. If the stride is 1, `head` elements precede
/// the first 16-byte boundary.
template <class T>
struct histogram_input {
  const T* data;
  index_t size;
  index_t stride;
  index_t head;

  __device__ T operator[](index_t i) const { return device::load_constant(data + i * stride); }
};

template <class T>
histogram_input<T> make_histogram_input(const void* data, index_t size, index_t stride) {
  const auto past = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(data) % 16);
  const index_t head = past == 0 ? 0 : (16 - past) / static_cast<index_t>(sizeof(T));
  return {static_cast<const T*>(data), size, stride, head < size ? head : size};
}

/// This thread's index in its row of blocks, and the number of threads in a row.
__device__ inline index_t thread_of_row() { return index_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ inline index_t threads_of_row() { return index_t{gridDim.x} * blockDim.x; }

/// The part of x that a thread reads in 16-byte vectors, `Loads` of them in flight. The blocks of a
/// row alternate in tiles of `Loads` vectors per thread; the remainder is distributed over all of
/// them.
template <class T, int Loads = histogram_loads>
class vector_reader {
 public:
  static constexpr int width = aligned_vector<T>::width;

  __device__ explicit vector_reader(const histogram_input<T>& x)
      : data_(reinterpret_cast<const uint4*>(x.data + x.head)),
        left_(x.stride == 1 ? (x.size - x.head) / width : 0),
        first_(index_t{blockIdx.x} * blockDim.x * Loads + threadIdx.x),
        step_(blockDim.x) {
    spread_last();
#pragma unroll
    for (int k = 0; k < Loads; ++k) load(k);
  }

  /// Calls f(values) with the elements of each vector. The load of the next tile's vector is issued
  /// as soon as this tile's vector has been processed, so loads are always in flight.
  template <class Function>
  __device__ __forceinline__ void for_each(const Function& f) {
    const index_t tile = Loads * threads_of_row();
    while (left_ >= tile) {
      data_ += tile;
      left_ -= tile;
      spread_last();
#pragma unroll
      for (int k = 0; k < Loads; ++k) {
        f(__builtin_bit_cast(aligned_vector<T>, words_[k]).value);
        load(k);
      }
    }
#pragma unroll
    for (int k = 0; k < Loads; ++k) {
      if (first_ + k * step_ < left_) f(__builtin_bit_cast(aligned_vector<T>, words_[k]).value);
    }
  }

 private:
  /// Distributes a remainder of less than a tile over the whole row of blocks.
  __device__ void spread_last() {
    if (left_ >= Loads * threads_of_row()) return;
    first_ = thread_of_row();
    step_ = threads_of_row();
  }
  __device__ __forceinline__ void load(int k) {
    if (first_ + k * step_ < left_) words_[k] = __ldcs(data_ + first_ + k * step_);
  }

  const uint4* data_;
  index_t left_;
  index_t first_;
  index_t step_;
  uint4 words_[Loads];  // kept as loaded, because small elements would take a register each
};

/// Calls f(values) with arrays of the elements that vector_reader leaves, each once per row of
/// blocks. If x is not contiguous, these are all elements, and four loads are in flight.
template <class T, class Function>
__device__ __forceinline__ void for_each_scalar(const histogram_input<T>& x, const Function& f) {
  constexpr int width = aligned_vector<T>::width;
  const index_t gap = x.stride == 1 ? (x.size - x.head) / width * width : 0;
  const index_t scalars = x.size - gap;
  const index_t step = threads_of_row();
  index_t i = thread_of_row();
  if (gap == 0) {
    for (; i + 3 * step < scalars; i += 4 * step) {
      const T values[4] = {x[i], x[i + step], x[i + 2 * step], x[i + 3 * step]};
      f(values);
    }
  }
  for (; i < scalars; i += step) {
    const T values[1] = {x[i < x.head ? i : i + gap]};
    f(values);
  }
}

/// Calls f(values) with arrays of all elements, each once per row of blocks.
template <class T, class Function>
__device__ __forceinline__ void for_each_batch(const histogram_input<T>& x, const Function& f) {
  vector_reader<T>(x).for_each(f);
  for_each_scalar(x, f);
}

}  // namespace tandem::cuda_impl
