// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the host model of the tensor cores on sums that tell it apart from other models.

#include "backends/cuda/matmul/tensor_core_model.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace tandem::test;

namespace {

constexpr tensor_format bf16_format = tensor_format_of<tandem::bf16>;
constexpr float infinity = std::numeric_limits<float>::infinity();

/// Adds the given numbers, each times 1, to c in one step.
float step_of(std::vector<float> a, float c) {
  const std::vector<float> ones(a.size(), 1.0f);
  return tensor_step(a, ones, c, bf16_format);
}

}  // namespace

TEST_CASE("tensor model: products are exact, and so are sums that fit a float") {
  CHECK(step_of({}, 0.0f) == 0.0f);
  CHECK(step_of({1.5f, -2.0f, 0.25f}, 10.0f) == 9.75f);
  const std::vector<float> a = {0x1.02p+3f};
  CHECK(tensor_step(a, a, 0.0f, bf16_format) == 0x1.0404p+6f);
}

TEST_CASE("tensor model: a step adds its terms before it cuts, a chain of floats does not") {
  // Two halves of the last place of 1 are lost if they are rounded one by one.
  CHECK(step_of({0x1p-24f, 0x1p-24f}, 1.0f) == 0x1.000002p+0f);
  CHECK(std::fma(0x1p-24f, 1.0f, std::fma(0x1p-24f, 1.0f, 1.0f)) == 1.0f);
}

TEST_CASE("tensor model: the sum is cut towards zero, not rounded") {
  CHECK(step_of({0x1.8p-24f}, 1.0f) == 1.0f);
  CHECK(step_of({-0x1p-25f}, 1.0f) == 0x1.fffffep-1f);
  CHECK(step_of({0x1p-25f}, -1.0f) == -0x1.fffffep-1f);
}

TEST_CASE("tensor model: what lies more than 25 places below the largest term is lost") {
  CHECK(step_of({1.0f, -1.0f, 0x1p-26f}, 0.0f) == 0.0f);
  CHECK(step_of({1.0f, -1.0f, 0x1p-25f}, 0.0f) == 0x1p-25f);
}

TEST_CASE("tensor model: subnormal results are kept, overflow is infinite") {
  const std::vector<float> small = {0x1p-70f};
  CHECK(tensor_step(small, small, 0.0f, bf16_format) == 0x1p-140f);
  const std::vector<float> large = {0x1p+100f};
  CHECK(tensor_step(large, large, 0.0f, bf16_format) == infinity);
}

TEST_CASE("tensor model: infinities and NaN go through") {
  CHECK(step_of({infinity}, 1.0f) == infinity);
  CHECK(step_of({1.0f}, -infinity) == -infinity);
  CHECK(std::isnan(step_of({infinity, -infinity}, 1.0f)));
  CHECK(std::isnan(step_of({std::numeric_limits<float>::quiet_NaN()}, 1.0f)));
  const std::vector<float> zero = {0.0f};
  const std::vector<float> endless = {infinity};
  CHECK(std::isnan(tensor_step(zero, endless, 0.0f, bf16_format)));
}

TEST_CASE("tensor model: tf32 keeps 11 bits, rounded to nearest even") {
  CHECK(to_tf32(0x1.002p+0f) == 0x1.0p+0f);
  CHECK(to_tf32(0x1.006p+0f) == 0x1.008p+0f);
  CHECK(to_tf32(-0x1.002002p+0f) == -0x1.004p+0f);
  CHECK(to_tf32(std::numeric_limits<float>::max()) == infinity);
  CHECK(std::isnan(to_tf32(std::bit_cast<float>(0x7fffffffu))));
}

TEST_CASE("tensor model: a step of 8-bit integers is exact, modulo 2^32") {
  const std::vector<std::int8_t> lowest(32, -128);
  const std::vector<std::int8_t> highest(32, 127);
  CHECK(integer_step(lowest, lowest, 0) == 32 * 16384);
  CHECK(integer_step(lowest, highest, 5) == 5 - 32 * 16256);
  // A float of this size cannot be odd.
  const std::vector<std::int8_t> one = {1};
  CHECK(integer_step(one, one, (1 << 24)) == (1 << 24) + 1);
  CHECK(integer_step(one, one, std::numeric_limits<std::int32_t>::max()) ==
        std::numeric_limits<std::int32_t>::min());
}
