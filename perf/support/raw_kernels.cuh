// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <perf/support/gpu.cuh>

namespace perf {

/// Loads of 16 bytes in flight per thread of the raw kernels; fewer bytes in flight do not saturate
/// the memory.
inline constexpr int raw_loads = 4;
inline constexpr int raw_threads = 256;

/// z[i] = f(x[i], y[i]), written by hand for bandwidth: 16-byte accesses, several in flight, no
/// loop. `n` counts groups of four floats.
template <class Function>
__global__ void __launch_bounds__(raw_threads)
    raw_binary_kernel(const float4* __restrict__ x, const float4* __restrict__ y,
                      float4* __restrict__ z, index_t n, Function f) {
  const index_t first = static_cast<index_t>(blockIdx.x) * (raw_threads * raw_loads) +
                        static_cast<index_t>(threadIdx.x);
  float4 a[raw_loads];
  float4 b[raw_loads];
#pragma unroll
  for (int r = 0; r < raw_loads; ++r) {
    const index_t i = first + r * raw_threads;
    if (i < n) {
      a[r] = x[i];
      b[r] = y[i];
    }
  }
#pragma unroll
  for (int r = 0; r < raw_loads; ++r) {
    const index_t i = first + r * raw_threads;
    if (i < n)
      z[i] =
          make_float4(f(a[r].x, b[r].x), f(a[r].y, b[r].y), f(a[r].z, b[r].z), f(a[r].w, b[r].w));
  }
}

/// x[i] = f(x[i]) with the accesses of raw_binary_kernel.
template <class Function>
__global__ void __launch_bounds__(raw_threads) raw_update_kernel(float4* x, index_t n, Function f) {
  const index_t first = static_cast<index_t>(blockIdx.x) * (raw_threads * raw_loads) +
                        static_cast<index_t>(threadIdx.x);
  float4 a[raw_loads];
#pragma unroll
  for (int r = 0; r < raw_loads; ++r) {
    if (first + r * raw_threads < n) a[r] = x[first + r * raw_threads];
  }
#pragma unroll
  for (int r = 0; r < raw_loads; ++r) {
    if (first + r * raw_threads < n)
      x[first + r * raw_threads] = make_float4(f(a[r].x), f(a[r].y), f(a[r].z), f(a[r].w));
  }
}

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

/// Blocks that cover `n` groups of four floats.
inline unsigned raw_blocks(index_t n) {
  return static_cast<unsigned>(tandem::ceil_div(n, index_t{raw_threads * raw_loads}));
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
