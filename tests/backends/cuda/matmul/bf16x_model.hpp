// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/cuda/matmul/tensor_core_model.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <vector>

/// Models matmul_precision::bf16x6 and bf16x9 on Hopper as plain code: what each element must be,
/// bit for bit (docs/numerics.md).
namespace tandem::test {

inline float nearest_bf16(float x) { return static_cast<float>(static_cast<bf16>(x)); }

/// Clears the lower half of a float's bits.
inline float cut_to_bf16(float x) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xffff0000u);
}

/// Splits each number into three parts; returns part after part.
inline std::array<std::vector<float>, 3> split_in_parts(std::span<const float> values) {
  std::array<std::vector<float>, 3> parts;
  for (const float x : values) {
    float first = nearest_bf16(x);
    if (std::isfinite(x) && !std::isfinite(first)) first = cut_to_bf16(x);
    const float rest = std::isfinite(x) ? x - first : 0.0f;
    const float second = nearest_bf16(rest);
    parts[0].push_back(first);
    parts[1].push_back(second);
    parts[2].push_back(cut_to_bf16(rest - second));
  }
  return parts;
}

/// One chain of fused multiply-adds per chunk of 1024, as without splitting.
inline float full_element(std::span<const float> a, std::span<const float> b) {
  float total = -0.0f;
  for (std::size_t first = 0; first < a.size(); first += 1024) {
    float chain = 0;
    for (std::size_t l = first; l < std::min(a.size(), first + 1024); ++l)
      chain = std::fma(a[l], b[l], chain);
    total += chain;
  }
  return total;
}

/// Multiplies a row of a and a column of b from `products` pairs of their parts, 6 or 9.
inline float split_element(std::span<const float> a, std::span<const float> b, int products) {
  constexpr std::size_t pairs[9][2] = {{2, 2}, {2, 1}, {1, 2}, {2, 0}, {1, 1},
                                       {0, 2}, {1, 0}, {0, 1}, {0, 0}};
  constexpr std::size_t step = 16;
  const auto a_parts = split_in_parts(a);
  const auto b_parts = split_in_parts(b);
  float total = -0.0f;
  float chunk = -0.0f;
  for (std::size_t block = 0; block < a.size(); block += 32) {
    float sum = 0;
    for (int pair = 9 - products; pair < 9; ++pair) {
      for (std::size_t first = block; first < std::min(a.size(), block + 32); first += step) {
        const std::size_t count = std::min(step, a.size() - first);
        sum = tensor_step(std::span<const float>(a_parts[pairs[pair][0]]).subspan(first, count),
                          std::span<const float>(b_parts[pairs[pair][1]]).subspan(first, count),
                          sum, tensor_format_of<bf16>);
      }
    }
    chunk += sum;
    if ((block + 32) % 2048 != 0 && block + 32 < a.size()) continue;
    total += chunk;
    chunk = -0.0f;
  }
  return std::isfinite(total) ? total : full_element(a, b);
}

}  // namespace tandem::test
