// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/gpu.cuh>

#include <type_traits>

namespace perf {

/// The body of the kernels below: each thread issues `Loads` independent loads per array before its
/// first store. place(i) is the position of element i < n in the three arrays.
template <int Threads, int Loads, class Function, class Word, class Place>
__device__ void raw_elements(const Word* x, const Word* y, Word* z, index_t n, const Function& f,
                             const Place& place) {
  const index_t first =
      static_cast<index_t>(blockIdx.x) * (Threads * Loads) + static_cast<index_t>(threadIdx.x);
  Word a[Loads];
  Word b[Loads] = {};
#pragma unroll
  for (int r = 0; r < Loads; ++r) {
    const index_t i = first + r * Threads;
    if (i < n) {
      a[r] = x[place(i)];
      if constexpr (Function::inputs == 2) b[r] = y[place(i)];
    }
  }
#pragma unroll
  for (int r = 0; r < Loads; ++r) {
    const index_t i = first + r * Threads;
    if (i < n) z[place(i)] = f(a[r], b[r]);
  }
}

/// z[i] = f(x[i], y[i]), written by hand for bandwidth: the peer of a loop through a lambda.
template <int Threads, int Loads, class Function, class Word>
__global__ void __launch_bounds__(Threads)
    raw_loop_kernel(const Word* x, const Word* y, Word* z, index_t n, Function f) {
  raw_elements<Threads, Loads>(x, y, z, n, f, [](index_t i) { return i; });
}

/// z = f(x, y) over the rows of a pitched plane; n and pitch count words.
template <int Threads, int Loads, class Function, class Word>
__global__ void __launch_bounds__(Threads)
    raw_rows_kernel(const Word* x, const Word* y, Word* z, index_t n, index_t pitch, Function f) {
  const index_t row = static_cast<index_t>(blockIdx.y) * pitch;
  raw_elements<Threads, Loads>(x, y, z, n, f, [row](index_t i) { return row + i; });
}

/// z = f(x, y) over every `step`-th element of a line.
template <int Threads, int Loads, class Function, class T>
__global__ void __launch_bounds__(Threads)
    raw_strided_kernel(const T* x, const T* y, T* z, index_t n, int step, Function f) {
  raw_elements<Threads, Loads>(x, y, z, n, f, [step](index_t i) { return i * step; });
}

/// Sixteen bytes of T.
template <class T>
using raw_word = std::conditional_t<sizeof(T) == 4, float4, double2>;

}  // namespace perf
