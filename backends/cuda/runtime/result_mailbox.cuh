// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/result_mailbox.hpp>

/// The device's side of the result mailbox. A file of its own because the host's side is plain C++.
namespace tandem::cuda_impl {

/// Writes value number `i` of a call into the stream's mailbox; called by one thread. No other
/// write of the thread is ordered with it.
template <class T>
__device__ void send_result(const T& value, std::uint64_t* words, std::uint32_t call, int i) {
  constexpr int count = result_words<T>;
  std::uint32_t payload[count] = {};
  __builtin_memcpy(payload, &value, sizeof(T));
#pragma unroll
  for (int w = 0; w < count; ++w) {
    // Volatile: one store of 64 bits, which the compiler neither splits nor merges, past the
    // caches.
    *static_cast<volatile std::uint64_t*>(words + i * count + w) = result_word(payload[w], call);
  }
}

}  // namespace tandem::cuda_impl
