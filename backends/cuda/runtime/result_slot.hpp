// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/space.hpp>
#include <tandem/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// How a kernel returns small results to the waiting host: through mapped memory, which is faster
/// than a copy and a synchronisation.
///
/// A stream's mapped result slot is an array of 64-bit words. The lower 32 bits of a word hold part
/// of a result, and the upper 32 bits the number of the call that sent it. A word is written and
/// read atomically, so it shows by itself whether it has arrived. There is no order among words,
/// and no fence between a result and a flag, which would cost the kernel a round trip to the host.
namespace tandem::cuda_impl {

/// Words per value of type T.
template <class T>
inline constexpr int result_words = static_cast<int>((sizeof(T) + 3) / 4);

/// Returns the word with which call `call` sends 32 bits of a result.
TANDEM_FUNCTION constexpr std::uint64_t result_word(std::uint32_t payload, std::uint32_t call) {
  return std::uint64_t{call} << 32 | payload;
}

/// Returns the number of the call that sent a word.
constexpr std::uint32_t call_of(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}

/// One use of a stream's mapped result slot.
struct result_call {
  std::uint64_t* device;      ///< the words that the kernel writes
  const std::uint64_t* host;  ///< the same words for the host
  std::uint32_t number;       ///< never 0, which is the number in unused words
};

/// Returns the number after `previous`. Numbers restart at 1 after 2^32 - 1 calls.
constexpr std::uint32_t next_call(std::uint32_t previous) {
  return previous == 0xffffffffu ? 1 : previous + 1;
}

/// Opens the result slot for the results of one kernel; the results of the previous call become
/// invalid.
result_call open_result_slot(const cuda& space);

/// Blocks until the first `words` words of a call have arrived. Errors: device_error if the stream
/// failed or ended without them.
void wait_for_results(const cuda& space, const char* label, const result_call& call, int words);

/// Returns value `i` of a call whose words have arrived.
template <class T>
T received(const result_call& call, int i) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::uint32_t payload[result_words<T>];
  for (int w = 0; w < result_words<T>; ++w)
    payload[w] = static_cast<std::uint32_t>(call.host[i * result_words<T> + w]);
  T value;
  std::memcpy(static_cast<void*>(&value), payload, sizeof(T));
  return value;
}

}  // namespace tandem::cuda_impl
