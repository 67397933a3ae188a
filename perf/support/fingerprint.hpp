// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace perf {

/// 64-bit hash of `bytes` bytes; equal results have equal fingerprints. FNV-1a's step on words
/// rather than bytes, in four independent chains for speed; not cryptographic.
inline std::uint64_t fingerprint(const void* data, std::size_t bytes) {
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t chain[4] = {0xcbf29ce484222325, 0x84222325cbf29ce4, 0x9ce484222325cbf2,
                            0x2325cbf29ce48422};
  const auto* position = static_cast<const unsigned char*>(data);
  for (; bytes >= 32; bytes -= 32, position += 32) {
    std::uint64_t word[4];
    std::memcpy(word, position, 32);
    for (int c = 0; c < 4; ++c) {
      chain[c] = (chain[c] ^ word[c]) * prime;
      // A product alone would never carry high bits down to low ones.
      chain[c] ^= chain[c] >> 32;
    }
  }
  for (; bytes > 0; --bytes, ++position) chain[0] = (chain[0] ^ *position) * prime;
  std::uint64_t all = 0;
  for (const std::uint64_t c : chain) all = (all ^ c) * prime + (all >> 29);
  return all ^ all >> 32;
}

}  // namespace perf
