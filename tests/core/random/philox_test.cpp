// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <tandem/core/random/philox.hpp>

using tandem::philox4x32;
using tandem::philox_words;

// Random123, kat_vectors: philox4x32 of 10 rounds.
static_assert(philox4x32({{0, 0, 0, 0}}, 0) ==
              philox_words{{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});

TEST_CASE("philox: Random123's known answers") {
  constexpr std::uint32_t ones = 0xffffffff;
  CHECK(philox4x32({{ones, ones, ones, ones}}, 0xffffffffffffffff) ==
        philox_words{{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
  CHECK(philox4x32({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0x299f31d0a4093822) ==
        philox_words{{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

TEST_CASE("philox: the 10000th number of C++26's std::philox4x32") {
  CHECK(tandem::philox(20111115, 9999) == 1955073260u);
}

TEST_CASE("philox: key, index and draw have words of their own") {
  const std::uint64_t seed = 0x299f31d0a4093822;
  const std::uint64_t i = 4 * 0x85a308d3243f6a88 + 2;  // modulo 2^64: drops the block's upper bits
  CHECK(tandem::philox(seed, i, 7) == philox4x32({{0x243f6a88, 0x05a308d3, 7, 0}}, seed).word[2]);
  const philox_words words = philox4x32({{0x243f6a88, 0x05a308d3, 7, 0}}, seed);
  CHECK(tandem::philox64(seed, i / 2, 7) == (words.word[2] | std::uint64_t{words.word[3]} << 32));
}
