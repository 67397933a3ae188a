// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/backends/cuda/memory/policy.hpp>

#include <doctest/doctest.h>

using namespace tandem::cuda_impl;

TEST_CASE("cuda copies: a part fits its buffer, and every thread of a large copy has two") {
  for (std::size_t bytes = pageable_staging.least_bytes; bytes < (std::size_t{1} << 32);
       bytes += bytes / 3) {
    const std::size_t part = staging_part(bytes);
    CHECK(part >= pageable_staging.least_part);
    CHECK(part <= pageable_staging.buffer_bytes);
    if (part > pageable_staging.least_part)
      CHECK(bytes / part >= static_cast<std::size_t>(2 * pageable_staging.threads));
  }
}
