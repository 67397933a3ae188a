// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/runtime/space.hpp>
#include <tandem/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// How a kernel returns small results to the waiting host: through mapped memory, which takes less
/// time than a copy and a synchronisation.
///
/// A stream's mailbox is an array of 64-bit words. Each has 32 bits of a result below and, above,
/// the number of the call that sent them. A word is written and read whole, so that it tells by
/// itself whether it has arrived: there is no fence between a result and its announcement, which
/// would cost the kernel a round trip to the host, and no order among words.
namespace tandem::cuda_impl {

/// Words per value of type T.
template <class T>
inline constexpr int result_words = static_cast<int>((sizeof(T) + 3) / 4);

/// The word with which call number `call` sends 32 bits of a result.
TANDEM_FUNCTION constexpr std::uint64_t result_word(std::uint32_t payload, std::uint32_t call) {
  return std::uint64_t{call} << 32 | payload;
}

/// The number of the call that sent a word.
constexpr std::uint32_t call_of(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}

/// One use of a stream's mailbox.
struct result_call {
  std::uint64_t* device;      ///< where the kernel writes
  const std::uint64_t* host;  ///< the same words for the host
  std::uint32_t number;       ///< never 0, the number in unused words
};

/// The number after `previous`. Numbers start again at 1 after 2^32 - 1 calls.
constexpr std::uint32_t next_call(std::uint32_t previous) {
  return previous == 0xffffffffu ? 1 : previous + 1;
}

/// Opens the mailbox for the results of one kernel; the results of the previous call become
/// invalid.
result_call open_mailbox(const cuda& space);

/// Blocks until the first `words` words of a call have arrived. Errors: device_error when the
/// stream failed or ended without them.
void wait_for_results(const cuda& space, const char* label, const result_call& call, int words);

/// Returns value number `i` of a call whose words have arrived.
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
