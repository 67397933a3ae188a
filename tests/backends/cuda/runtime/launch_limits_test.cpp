// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launch limits and the words of the mapped result slot are plain C++: a machine without a GPU
// checks them.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include <tandem/backends/cuda/runtime/launch_limits.hpp>
#include <tandem/backends/cuda/runtime/result_slot.hpp>

using namespace tandem::cuda_impl;

TEST_CASE("cuda launches: kernels overlap only where their code waits") {
  CHECK(has_dependent_launch({900}, 90));
  CHECK(has_dependent_launch({750, 800, 900, 1000, 1200}, 90));
  CHECK(has_dependent_launch({750, 800, 900, 1000, 1200}, 120));
  CHECK(has_dependent_launch({900}, 100));
  CHECK(has_dependent_launch({1000}, 103));
  CHECK(!has_dependent_launch({750, 800}, 90));
  CHECK(!has_dependent_launch({800, 900}, 100));
  CHECK(!has_dependent_launch({800, 900}, 80));
  CHECK(!has_dependent_launch({800, 1030}, 100));
}

TEST_CASE("cuda result slot: words say which call sent them") {
  CHECK(next_call(0) == 1);
  CHECK(next_call(7) == 8);
  CHECK(next_call(0xffffffffu) == 1);
  std::uint64_t words[4] = {};
  const result_call call{nullptr, words, 9};
  const double sent[2] = {-0.0, 1.0 / 3};
  for (int i = 0; i < 2; ++i) {
    std::uint32_t half[2];
    std::memcpy(half, &sent[i], sizeof(double));
    for (int w = 0; w < 2; ++w) words[2 * i + w] = result_word(half[w], call.number);
  }
  for (const std::uint64_t word : words) CHECK(call_of(word) == 9);
  for (int i = 0; i < 2; ++i) CHECK(received<double>(call, i) == sent[i]);
  CHECK(std::signbit(received<double>(call, 0)));
  CHECK(result_words<char> == 1);
  CHECK(result_words<tandem::index_t> == 2);
}
