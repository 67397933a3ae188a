// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights whose largest one a sample is likely to miss: in the sample's binade, at the power of two
// that ends it, and in the next one, so that the weights must be added again.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <vector>

using namespace tandem::test;
using tandem::index_t;

TEST_CASE("cuda histogram: a scale that few weights decide has the bits of serial") {
  constexpr index_t size = (index_t{1} << 24) + 3;
  constexpr index_t cells = 1000;
  const tandem::cuda space(0);
  const tandem::serial reference;
  std::vector<int> at(size);
  std::vector<float> terms(size);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const std::uint64_t bits = mix(i);
    at[i] = static_cast<int>(bits % cells);
    terms[i] = (static_cast<float>(bits >> 40) + 0.5f) * 0x1p-24f;  // up to 1 - 2^-25
  }
  const auto device_at = to_space(space, at);
  for (const float largest : {0.75f, 1.0f, 1.5f}) {
    CAPTURE(largest);
    terms[size / 3 + 12345] = largest;
    tandem::array<float, 1, tandem::serial> expected({cells}, 0.0f);
    tandem::scatter_add(reference, at, terms, expected);
    tandem::array<float, 1, tandem::cuda> sums({cells}, 0.0f, space);
    const auto device_terms = to_space(space, terms);
    tandem::scatter_add(space, device_at, device_terms, sums);
    const auto got = to_host(space, sums);
    bool equal = true;
    for (std::size_t c = 0; c < got.size(); ++c)
      equal &= same_bits(got[c], expected.data_handle()[c]);
    CHECK(equal);
  }
}
