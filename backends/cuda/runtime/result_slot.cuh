// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/result_slot.hpp>

/// The device side of the mapped result slot. A separate file, because the host side is plain C++.
namespace tandem::cuda_impl {

/// Writes value `i` of a call to the stream's result slot. Called by one thread. No other write of
/// the thread is ordered with it.
template <class T>
__device__ void send_result(const T& value, std::uint64_t* words, std::uint32_t call, int i) {
  constexpr int count = result_words<T>;
  std::uint32_t payload[count] = {};
  __builtin_memcpy(payload, &value, sizeof(T));
#pragma unroll
  for (int w = 0; w < count; ++w) {
    // Volatile: a single 64-bit store, which the compiler neither splits nor merges, bypassing the
    // caches.
    *static_cast<volatile std::uint64_t*>(words + i * count + w) = result_word(payload[w], call);
  }
}

}  // namespace tandem::cuda_impl
