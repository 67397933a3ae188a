// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "support/data.hpp"

#include <tandem/backends/openmp/segments/dispatch.hpp>
#include <tandem/tandem.hpp>

using namespace tandem::test;
using tandem::index_t;
using tandem::openmp_impl::segment_cost;
using tandem::openmp_impl::segment_pieces;

namespace {

using problem = tandem::segmented_problem<tandem::contiguous_load<float, tandem::sum<float>>, int,
                                          tandem::sum<float>>;

/// Makes a problem whose segments are the ranges between `offsets`.
problem make_problem(const std::vector<int>& offsets) {
  problem result{};
  result.terms = offsets.back();
  result.offsets = offsets.data();
  result.segments = static_cast<index_t>(offsets.size()) - 1;
  return result;
}

/// Returns offsets of `segments` segments of up to 99 terms; segment 50 has `longest`.
std::vector<int> make_offsets(int segments, int longest) {
  std::vector<int> offsets{0};
  for (int s = 0; s < segments; ++s) {
    const int length = static_cast<int>(mix(static_cast<std::uint64_t>(s)) % 100);
    offsets.push_back(offsets.back() + (s == 50 ? longest : length));
  }
  return offsets;
}

}  // namespace

TEST_CASE("openmp segments: pieces hold every segment once and cost the same but for one segment") {
  for (const int longest : {10, 5000}) {
    const auto offsets = make_offsets(1000, longest);
    const problem of = make_problem(offsets);
    const segment_pieces pieces(of, 24);
    CHECK(pieces.begin(0) == 0);
    CHECK(pieces.begin(pieces.count()) == of.segments);
    const index_t fair = (of.terms + segment_cost * of.segments) / pieces.count();
    for (int k = 0; k < pieces.count(); ++k) {
      const index_t first = pieces.begin(k);
      const index_t last = pieces.begin(k + 1);
      CHECK(first <= last);
      const index_t cost = of.begin(last) - of.begin(first) + segment_cost * (last - first);
      const index_t largest = longest > 99 ? longest : 99;
      CHECK(cost <= fair + 1 + largest + segment_cost);
    }
  }
}

TEST_CASE(
    "openmp segments: empty segments are divided, and there may be more pieces than segments") {
  const std::vector<int> empty(1001, 0);
  const problem many = make_problem(empty);
  const segment_pieces pieces(many, 8);
  for (int k = 0; k < 8; ++k) CHECK(pieces.begin(k + 1) - pieces.begin(k) == 125);
  const std::vector<int> few{0, 7, 9};
  const problem of = make_problem(few);
  const segment_pieces more(of, 16);
  CHECK(more.begin(0) == 0);
  CHECK(more.begin(16) == 2);
}

TEST_CASE("openmp segments: offsets that fall leave pieces in order") {
  const std::vector<int> falling{0, 900, 100, 800, 200, 700, 300, 1000};
  problem of = make_problem(falling);
  const segment_pieces pieces(of, 5);
  CHECK(pieces.begin(0) == 0);
  CHECK(pieces.begin(5) == of.segments);
  for (int k = 0; k < 5; ++k) CHECK(pieces.begin(k) <= pieces.begin(k + 1));
}
