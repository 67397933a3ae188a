// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/primitives/registers_and_loads.cuh>
#include <tandem/backends/cuda/runtime/result_mailbox.hpp>

namespace tandem::cuda_impl {

/// Writes value number `i` of a call into the stream's mailbox (result_mailbox.hpp), by one thread.
/// Nothing else that the thread wrote is ordered with it.
template <class T>
__device__ void send_result(const T& value, std::uint64_t* words, std::uint32_t call, int i) {
  constexpr int count = result_words<T>;
  values<std::uint32_t, count> payload = {};
  __builtin_memcpy(payload, &value, sizeof(T));
#pragma unroll
  for (int w = 0; w < count; ++w) {
    // Volatile: a store of 64 bits that the compiler neither splits nor joins, past the caches.
    *static_cast<volatile std::uint64_t*>(words + i * count + w) = result_word(payload[w], call);
  }
}

}  // namespace tandem::cuda_impl
