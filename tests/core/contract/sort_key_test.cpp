// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/data.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <tandem/core/contract/sort_key.hpp>

using namespace tandem::test;
using tandem::key_kind;
using tandem::sort_order;
using tandem::detail::comparable_bits_of;
using tandem::detail::sort_key;

namespace {

using ascending_f32 = sort_key<std::uint32_t, key_kind::floating_point, sort_order::ascending>;
using descending_f32 = sort_key<std::uint32_t, key_kind::floating_point, sort_order::descending>;
using ascending_f64 = sort_key<std::uint64_t, key_kind::floating_point, sort_order::ascending>;
using descending_i8 = sort_key<std::uint8_t, key_kind::signed_integer, sort_order::descending>;

template <class Order>
bool turns_back(typename Order::word key) {
  return Order::key(Order::ordered_bits(key)) == key;
}

}  // namespace

TEST_CASE("key order: a rank tells its key") {
  bool all = true;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const std::uint64_t bits = mix(i);
    all &= turns_back<ascending_f32>(static_cast<std::uint32_t>(bits));
    all &= turns_back<descending_f32>(static_cast<std::uint32_t>(bits));
    all &= turns_back<ascending_f64>(bits);
    all &= turns_back<descending_i8>(static_cast<std::uint8_t>(bits));
  }
  CHECK(all);
}

TEST_CASE("key order: ranks of floats ascend from -infinity to infinity and NaN") {
  const float infinity = std::numeric_limits<float>::infinity();
  const float smallest = std::numeric_limits<float>::denorm_min();
  const float line[] = {-infinity,
                        std::numeric_limits<float>::lowest(),
                        -1.0f,
                        -smallest,
                        0.0f,
                        smallest,
                        1.0f,
                        std::numeric_limits<float>::max(),
                        infinity,
                        std::bit_cast<float>(0x7f800001u),
                        std::bit_cast<float>(0x7fffffffu),
                        std::bit_cast<float>(0xffffffffu),
                        std::bit_cast<float>(0xff800001u)};
  for (std::size_t i = 1; i < std::size(line); ++i) {
    INFO("i = " << i);
    CHECK(comparable_bits_of<sort_order::ascending>(line[i - 1]) <
          comparable_bits_of<sort_order::ascending>(line[i]));
    CHECK(comparable_bits_of<sort_order::descending>(line[i - 1]) >
          comparable_bits_of<sort_order::descending>(line[i]));
  }
  CHECK(comparable_bits_of<sort_order::ascending>(-infinity) == 0);
}

TEST_CASE("key order: both zeros are equal, in both orders and sizes") {
  CHECK(comparable_bits_of<sort_order::ascending>(-0.0f) ==
        comparable_bits_of<sort_order::ascending>(0.0f));
  CHECK(comparable_bits_of<sort_order::descending>(-0.0f) ==
        comparable_bits_of<sort_order::descending>(0.0f));
  CHECK(comparable_bits_of<sort_order::ascending>(-0.0) ==
        comparable_bits_of<sort_order::ascending>(0.0));
  CHECK(comparable_bits_of<sort_order::descending>(-0.0) ==
        comparable_bits_of<sort_order::descending>(0.0));
  CHECK(ascending_f32::ordered_bits(0x80000000u) != ascending_f32::ordered_bits(0u));
}

TEST_CASE("key order: places of random numbers compare as the numbers do") {
  bool same = true;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const float a = std::bit_cast<float>(static_cast<std::uint32_t>(mix(2 * i)));
    const float b = std::bit_cast<float>(static_cast<std::uint32_t>(mix(2 * i + 1)));
    const auto c = static_cast<std::int16_t>(mix(2 * i));
    const auto d = static_cast<std::int16_t>(mix(2 * i + 1));
    same &= (comparable_bits_of<sort_order::descending>(c) <
             comparable_bits_of<sort_order::descending>(d)) == (d < c);
    if (std::isnan(a) || std::isnan(b)) continue;
    same &= (comparable_bits_of<sort_order::ascending>(a) <
             comparable_bits_of<sort_order::ascending>(b)) == (a < b);
    same &= (comparable_bits_of<sort_order::descending>(a) <
             comparable_bits_of<sort_order::descending>(b)) == (b < a);
  }
  CHECK(same);
}
