// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA backend plans random numbers in plain C++, which a machine without a GPU can check.

#include <doctest/doctest.h>

#include <tandem/backends/cuda/random/policy.hpp>

using namespace tandem::cuda_impl;
using tandem::index_t;

TEST_CASE("cuda random: threads of lines that fill the GPU many times take several counters") {
  constexpr index_t each = index_t{random_tuning.block} * random_tuning.counters;
  constexpr index_t long_line = each * random_tuning.long_blocks * 132;
  CHECK(counters_per_thread(1, 132) == 1);
  CHECK(counters_per_thread(long_line - 1, 132) == 1);
  CHECK(counters_per_thread(long_line, 132) == random_tuning.counters);
  CHECK(counters_per_thread(long_line, 1) == random_tuning.counters);
}
