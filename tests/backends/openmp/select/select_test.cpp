// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>
#include <numeric>
#include <stdexcept>

using namespace tandem::test;

namespace {

/// A predicate that fails on one element.
struct fails_at {
  std::uint32_t bad;

  bool operator()(std::uint32_t x) const {
    if (x == bad) throw std::runtime_error("no answer");
    return x % 2 == 0;
  }
};

}  // namespace

TEST_CASE("copy_if: what a predicate throws on any thread reaches the caller") {
  std::vector<std::uint32_t> values(large_size);
  std::iota(values.begin(), values.end(), 0u);
  for (const int threads : {1, 2, 3, 8}) {
    const tandem::openmp space(threads);
    auto x = to_space(space, values);
    auto out = to_space(space, values);
    for (const std::uint32_t bad : {0u, 70'000u, 1'000'000u}) {
      CHECK_THROWS_AS(tandem::copy_if(space, x.const_view(), out.view(), fails_at{bad}),
                      std::runtime_error);
    }
  }
}

TEST_CASE("sort: inside a parallel region of the caller's, each thread sorts its own") {
  const auto keys = random_values<std::uint32_t>(50'021, 1);
  std::vector<std::uint32_t> wanted = keys;
  const tandem::openmp space;
  tandem::sort(tandem::serial(), tandem::view<std::uint32_t, 1, tandem::layout_right>(
                                     wanted.data(), tandem::extents<1>(wanted.size())));
  bool same = true;
#pragma omp parallel num_threads(3) reduction(&& : same)
  {
    auto x = to_space(space, keys);
    tandem::sort(space, x.view());
    same = to_host(space, x) == wanted;
  }
  CHECK(same);
}
