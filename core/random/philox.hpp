// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/config.hpp>
#include <tandem/core/kernel/target.hpp>

#include <cstdint>

namespace tandem {

namespace host {

/// All 64 bits of a product.
[[gnu::always_inline]] constexpr std::uint64_t wide_product(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{a} * b;
}

}  // namespace host

/// Four 32-bit words: a counter of Philox, or its result.
struct philox_words {
  std::uint32_t word[4];

  friend constexpr bool operator==(const philox_words&, const philox_words&) = default;
};

namespace detail {

[[gnu::always_inline]] TANDEM_FUNCTION constexpr std::uint64_t wide_product(std::uint32_t a,
                                                                            std::uint32_t b) {
  return __builtin_is_constant_evaluated() ? std::uint64_t{a} * b : target::wide_product(a, b);
}

/// One round of Philox4x32: two products, whose halves are mixed with the other two words.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr philox_words philox_round(const philox_words& x,
                                                                           std::uint32_t key_low,
                                                                           std::uint32_t key_high) {
  const std::uint64_t first = wide_product(x.word[0], 0xd2511f53u);
  const std::uint64_t second = wide_product(x.word[2], 0xcd9e8d57u);
  return {{static_cast<std::uint32_t>(second >> 32) ^ x.word[1] ^ key_low,
           static_cast<std::uint32_t>(second),
           static_cast<std::uint32_t>(first >> 32) ^ x.word[3] ^ key_high,
           static_cast<std::uint32_t>(first)}};
}

/// Philox4x32 with `Rounds` rounds, each with a different key. Recursive, because every compiler
/// unrolls recursion.
template <int Rounds>
[[gnu::always_inline]] TANDEM_FUNCTION constexpr philox_words philox_rounds(
    const philox_words& counter, std::uint32_t key_low, std::uint32_t key_high) {
  if constexpr (Rounds == 0) {
    return counter;
  } else {
    return philox_rounds<Rounds - 1>(philox_round(counter, key_low, key_high),
                                     key_low + 0x9e3779b9u,    // the golden ratio
                                     key_high + 0xbb67ae85u);  // sqrt(3) - 1
  }
}
[[gnu::always_inline]] TANDEM_FUNCTION constexpr philox_words philox_10_rounds(
    const philox_words& counter, std::uint64_t key) {
  return philox_rounds<10>(counter, static_cast<std::uint32_t>(key),
                           static_cast<std::uint32_t>(key >> 32));
}

/// Returns words 4 * block to 4 * block + 3 of a seed's stream.
[[gnu::always_inline]] TANDEM_FUNCTION constexpr philox_words stream_words(std::uint64_t seed,
                                                                           std::uint64_t block,
                                                                           std::uint32_t draw) {
  return philox_10_rounds(
      {{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), draw, 0}},
      seed);
}

}  // namespace detail

/// Philox4x32-10: a bijection of 128 bits, chosen by a key of 64, whose values at consecutive
/// counters pass the known statistical tests.
///
/// @param counter  four words of 32 bits, the lowest first
/// @param key      64 bits, k0 + 2^32 k1
/// Complexity      10 rounds of two 32-bit products each, for four words
/// Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011;
/// equal to Random123's philox4x32_R(10, ...), key = k0 + 2^32 k1.
TANDEM_FUNCTION constexpr philox_words philox4x32(const philox_words& counter, std::uint64_t key) {
  return detail::philox_10_rounds(counter, key);
}

/// Random word number i of a seed: 32 bits that depend only on (seed, i, draw), so no order of
/// execution, thread count, launch shape or device changes them.
///
/// The key is the seed, the counter is {i / 4 low, i / 4 high, draw, 0}, and word i % 4 is taken.
/// So philox(seed, 0), philox(seed, 1), .. is the sequence of C++26's std::philox4x32(seed), for
/// seeds below 2^32 (an engine takes no larger ones), and the output of fill_random(x,
/// random_bits{}, seed).
///
/// @param seed  any 64 bits
/// @param i     the element, or any number of an independent part of the kernel
/// @param draw  distinguishes several draws of one element; with two words each, draws 2^34 apart
///              in i do not collide. fill_random uses draw 0 and, if it rejects a word, 1, 2, ..
/// Complexity   one call of philox4x32, of whose four words it takes one
/// Streams of different seeds are independent as far as tests can tell. Draws of 32 and 64 bits
/// from one seed share their words: use a different seed for each array.
TANDEM_FUNCTION constexpr std::uint32_t philox(std::uint64_t seed, std::uint64_t i,
                                               std::uint32_t draw = 0) {
  return detail::stream_words(seed, i / 4, draw).word[i % 4];
}

/// Random 64-bit word number i of a seed: words 2 i, the lower half, and 2 i + 1 of philox().
///
/// @param seed, i, draw  as for philox()
/// Complexity            as for philox()
TANDEM_FUNCTION constexpr std::uint64_t philox64(std::uint64_t seed, std::uint64_t i,
                                                 std::uint32_t draw = 0) {
  const philox_words words = detail::stream_words(seed, i / 2, draw);
  const auto at = 2 * (i % 2);
  return words.word[at] | std::uint64_t{words.word[at + 1]} << 32;
}

}  // namespace tandem
