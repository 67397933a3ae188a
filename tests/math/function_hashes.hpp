// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Made by tests/math/function_hashes.cpp.
#pragma once

#include <cstdint>
#include <string_view>

#include <tandem/core/math.hpp>

namespace tandem::test {

/// The hash of one input of a float function: the bits of the input and of its result, mixed by the
/// finalizer of splitmix64. Sums of these modulo 2^64 do not depend on the order. All NaNs count as
/// equal.
TANDEM_FUNCTION constexpr std::uint64_t pair_hash(std::uint32_t x, float y) {
  const std::uint32_t result = y != y ? 0x7fc00000u : __builtin_bit_cast(std::uint32_t, y);
  std::uint64_t z = (std::uint64_t{x} << 32 | result) + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The hash of a function over all 2^32 inputs, correctly rounded: MPFR and any other correctly
/// rounded implementation have the same.
struct function_hash {
  std::string_view name;
  std::uint64_t hash;
};
inline constexpr function_hash function_hashes[] = {
    {"exp", 0xbfce31e136a7d48f},   {"exp2", 0x608fadff1eb1f332}, {"expm1", 0x49e0138a353e40a4},
    {"log", 0xe2c492aaaa9201c3},   {"log2", 0xa65b32cd3f9ba8a6}, {"log10", 0xde0bea67b0a22aed},
    {"log1p", 0x9af4fe6cf22d2ff4}, {"sin", 0xefe3e74fd09fa7e9},  {"cos", 0x76627a95bde809a5},
    {"tan", 0x35822b7c0fc3e736},   {"asin", 0x4addfd36092b6f32}, {"acos", 0xb0e2fed1532d89ff},
    {"atan", 0x94c2d45c3103ba53},  {"sinh", 0xdb64debd91adae12}, {"cosh", 0x9af0cd1030415cfa},
    {"tanh", 0x42359c76f41dc0d3},  {"cbrt", 0x0297bef7e3b7f8d4}, {"rsqrt", 0xb18a322e3316e3b6},
    {"erf", 0x65cc0fbd21c1bf99},   {"erfc", 0x030236321c2e0282},
};

/// The kept hash of a function, or 0.
constexpr std::uint64_t kept_hash(std::string_view name) {
  for (const function_hash& kept : function_hashes) {
    if (kept.name == name) return kept.hash;
  }
  return 0;
}

}  // namespace tandem::test
