// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/gpu.cuh>

#include <type_traits>

namespace perf {

/// Loads of 16 bytes in flight per thread of the raw kernels; fewer bytes in flight do not saturate
/// the memory.
inline constexpr int raw_loads = 4;
inline constexpr int raw_threads = 256;

/// The body of the kernels below: each thread issues `Loads` independent loads per array before its
/// first store. place(i) is the position of element i < n in the three arrays.
template <int Loads, class Function, class Word, class Place>
__device__ void raw_elements(const Word* x, const Word* y, Word* z, index_t n, const Function& f,
                             const Place& place) {
  const index_t first =
      static_cast<index_t>(blockIdx.x) * (raw_threads * Loads) + static_cast<index_t>(threadIdx.x);
  Word a[Loads];
  Word b[Loads] = {};
#pragma unroll
  for (int r = 0; r < Loads; ++r) {
    const index_t i = first + r * raw_threads;
    if (i < n) {
      a[r] = x[place(i)];
      if constexpr (Function::inputs == 2) b[r] = y[place(i)];
    }
  }
#pragma unroll
  for (int r = 0; r < Loads; ++r) {
    const index_t i = first + r * raw_threads;
    if (i < n) z[place(i)] = f(a[r], b[r]);
  }
}

/// z[i] = f(x[i], y[i]), written by hand for bandwidth: the peer of a loop through a lambda.
template <int Loads, class Function, class Word>
__global__ void __launch_bounds__(raw_threads)
    raw_loop_kernel(const Word* x, const Word* y, Word* z, index_t n, Function f) {
  raw_elements<Loads>(x, y, z, n, f, [](index_t i) { return i; });
}

/// z = f(x, y) over the rows of a pitched plane; n and pitch count words.
template <int Loads, class Function, class Word>
__global__ void __launch_bounds__(raw_threads)
    raw_rows_kernel(const Word* x, const Word* y, Word* z, index_t n, index_t pitch, Function f) {
  const index_t row = static_cast<index_t>(blockIdx.y) * pitch;
  raw_elements<Loads>(x, y, z, n, f, [row](index_t i) { return row + i; });
}

/// z = f(x, y) over every `step`-th element of a line.
template <int Loads, class Function, class T>
__global__ void __launch_bounds__(raw_threads)
    raw_strided_kernel(const T* x, const T* y, T* z, index_t n, int step, Function f) {
  raw_elements<Loads>(x, y, z, n, f, [step](index_t i) { return i * step; });
}

/// Sixteen bytes of T.
template <class T>
using raw_word = std::conditional_t<sizeof(T) == 4, float4, double2>;

/// Reads x and writes nothing: the data never meets the condition, which the compiler cannot know.
/// `n` counts words of 16 bytes (uint4).
template <class Word>
__global__ void __launch_bounds__(raw_threads)
    raw_read_kernel(const Word* __restrict__ x, index_t n, unsigned* out) {
  const index_t first = static_cast<index_t>(blockIdx.x) * (raw_threads * raw_loads) +
                        static_cast<index_t>(threadIdx.x);
  unsigned all = 0;
#pragma unroll
  for (int r = 0; r < raw_loads; ++r) {
    const index_t i = first + r * raw_threads;
    const Word word = i < n ? x[i] : Word{};
    all |= word.x | word.y | word.z | word.w;
  }
  if (all == 0xdeadbeef) *out = all;
}

/// Blocks of kernels whose threads take `loads` of n elements or words each.
inline unsigned raw_blocks(index_t n, int loads = raw_loads) {
  return static_cast<unsigned>(tandem::ceil_div(n, index_t{raw_threads * loads}));
}

/// Groups of four in n floats; the raw kernels handle multiples of four only.
inline index_t groups_of_four(index_t n) {
  if (n % 4 != 0) throw std::invalid_argument("raw kernel: the size is not a multiple of 4");
  return n / 4;
}

/// Reads `bytes` bytes and does nothing else, with 16-byte loads, several in flight: the least time
/// of any kernel that reads its input from memory. Rotates through its data as all candidates do.
inline candidate raw_read(double bytes) {
  const auto words = static_cast<index_t>(bytes) / static_cast<index_t>(sizeof(uint4));
  auto space = std::make_shared<cuda>();
  auto x = std::make_shared<rotating_array<float, cuda>>(*space, words * 4);
  auto out = std::make_shared<device_array<unsigned>>(extents<1>(1), *space);
  x->fill(*space, uniform_values<float>{11});
  candidate made = resident(
      space,
      [=](std::int64_t round) {
        raw_read_kernel<<<raw_blocks(words), raw_threads, 0, space->native_stream()>>>(
            reinterpret_cast<const uint4*>(x->set(round).data_handle()), words, out->data_handle());
        check_cuda(cudaGetLastError(), "read kernel");
      },
      [] { return outcome{}; });
  made.check = nullptr;
  return made;
}

/// The benchmark "read", a kernel that reads as many bytes as any solution of the problem must.
inline benchmark read_limit(const problem& solved, double bytes) {
  return limit(solved, "read", [=] { return raw_read(bytes); });
}

}  // namespace perf
