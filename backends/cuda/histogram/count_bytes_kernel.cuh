// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/histogram/input.cuh>
#include <tandem/backends/cuda/histogram/output.cuh>
#include <tandem/backends/cuda/histogram/policy.hpp>
#include <tandem/backends/cuda/ptx/common.cuh>

#include <cstdint>

/// Counts one-byte integers. A block counts each of the 256 values regardless of the bins; the bins
/// then add up the values that they cover. An element has a quarter of the time of a float, enough
/// for three instructions.
namespace tandem::cuda_impl {

/// Number of values of a byte.
inline constexpr unsigned byte_values = 256;

/// Most bins that one warp clears while the others count.
inline constexpr index_t max_bins_cleared_by_warp = 4096;

/// Copies of the values' counts in a block's shared memory, one per lane: 32 KiB.
inline constexpr unsigned byte_copies = 32;

template <class T>
struct byte_arguments {
  static_assert(sizeof(T) == 1);
  histogram_input<T> x;
  index_t first;  ///< the value of bin 0
  index_t bins;
  histogram_counts counts;
  arrival_counters* arrivals;  ///< null if the counts are already cleared
};

/// Counts the byte at `Place` of a word in the lane's copy.
template <int Place>
__device__ __forceinline__ void count_byte(unsigned copy, std::uint32_t word) {
  constexpr unsigned pitch = byte_copies * sizeof(unsigned);
  const unsigned value = Place == 3 ? word >> 24 : __byte_perm(word, 0, 0x4440 + Place);
  // Because of the constant 1, the instruction is ATOMS.POPC.INC, which counts all equal addresses
  // of a warp at once.
  asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(value * pitch + copy) : "memory");
}

__device__ __forceinline__ void count_bytes(unsigned copy, const std::uint32_t (&words)[4]) {
#pragma unroll
  for (const std::uint32_t word : words) {
    count_byte<0>(copy, word);
    count_byte<1>(copy, word);
    count_byte<2>(copy, word);
    count_byte<3>(copy, word);
  }
}

/// Returns the block's count of the value with these bits.
__device__ inline unsigned count_of_byte(const unsigned* words, unsigned bits) {
  unsigned total = 0;
#pragma unroll 8
  for (unsigned step = 0; step < byte_copies; ++step)  // adjacent values read different banks
    total += words[bits * byte_copies + ((step + bits) & (byte_copies - 1))];
  return total;
}

/// Adds a block's counts to the bins that hold values of T.
template <class T>
__device__ void merge_bytes(const byte_arguments<T>& a, const unsigned* words) {
  constexpr index_t lowest = T(-1) < T(0) ? -128 : 0;
  for (unsigned v = threadIdx.x; v < byte_values; v += blockDim.x) {
    const index_t value = lowest + v;
    // Modulo 2^64: no value outside wraps around to a number below `bins`.
    const auto bin = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(a.first);
    if (bin >= static_cast<std::uint64_t>(a.bins)) continue;
    const unsigned total = count_of_byte(words, static_cast<unsigned>(value) & (byte_values - 1));
    if (total != 0) a.counts.add(static_cast<index_t>(bin), total);
  }
}

/// Counts in one launch, with the protocol of count_kernel.
template <class T>
__global__ void __launch_bounds__(histogram_block, 1)
    count_bytes_kernel(const __grid_constant__ byte_arguments<T> a) {
  ptx::grid_dependency_wait();
  __shared__ unsigned words[byte_values * byte_copies];
  unsigned before = 1;
  if (a.arrivals != nullptr && threadIdx.x == 0) before = arrive(*a.arrivals);
  vector_reader<T> reader(a.x);
  for (unsigned w = threadIdx.x; w < byte_values * byte_copies; w += blockDim.x) words[w] = 0;
  __syncthreads();
  if (threadIdx.x < 32 && __shfl_sync(~0u, before, 0) == 0) {
    a.counts.clear(static_cast<unsigned>(a.bins));
    announce_cleared(*a.arrivals);
  }
  const auto copy =
      static_cast<unsigned>(__cvta_generic_to_shared(words + (threadIdx.x & (byte_copies - 1))));
  reader.for_each([&](const T(&values)[16]) {
    std::uint32_t of_words[4];
    __builtin_memcpy(of_words, values, 16);
    count_bytes(copy, of_words);
  });
  for_each_scalar(a.x, [&](const auto& values) {
    for (const T value : values) count_byte<0>(copy, static_cast<std::uint8_t>(value));
  });
  if (a.arrivals != nullptr && threadIdx.x == 0) wait_until_cleared(*a.arrivals);
  __syncthreads();
  merge_bytes(a, words);
  if (a.arrivals != nullptr) leave(*a.arrivals);
}

}  // namespace tandem::cuda_impl
