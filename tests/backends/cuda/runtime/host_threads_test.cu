// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host threads that work at the same time on one device, each in a separate stream.

#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/test_scale.hpp"

#include <bit>
#include <cstdint>
#include <thread>
#include <vector>

using namespace tandem::test;

namespace {

constexpr std::size_t count = 300007;

template <class T, int Rank = 1>
using device_array = tandem::array<T, Rank, tandem::cuda>;

/// Returns the results of operations that need scratch memory, counters or a mapped result slot.
std::vector<std::uint64_t> everything(const tandem::cuda& space) {
  std::vector<std::uint64_t> hashes;
  const auto keep = [&](const auto& values) {
    std::uint64_t hash = 0;
    for (const auto& v : values) hash = mix(hash ^ std::bit_cast<std::uint32_t>(v));
    hashes.push_back(hash);
  };
  auto x = to_space(space, random_values<float>(count, 1));
  auto k = to_space(space, random_below<int>(count, 5000, 2));
  device_array<float> y(tandem::extents<1>(count), space);
  device_array<int> bins(tandem::extents<1>(5000), space);
  device_array<float, 2> a(tandem::extents<2>(100, 3000), 0.25f, space);
  device_array<float, 2> c(tandem::extents<2>(100, 100), space);
  keep(std::vector<float>{tandem::parallel_reduce(space, x.const_view()),
                          tandem::dot(space, x.const_view(), x.const_view())});
  tandem::parallel_scan(space, x.const_view(), y.view());
  keep(to_host(space, y));
  tandem::sort(space, x.const_view(), y.view());
  keep(to_host(space, y));
  tandem::histogram(space, k.const_view(), bins.view());
  keep(to_host(space, bins));
  tandem::matmul(space, a.const_view(), tandem::transposed(a.const_view()), c.view());
  keep(to_host(space, c));
  return hashes;
}

}  // namespace

TEST_CASE(
    "cuda: concurrent host threads with streams of their own get the results of a single one") {
  const auto wanted = everything(tandem::cuda(0));
  const int rounds = takes_few() ? 1 : 5;
  std::vector<int> right(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      const tandem::cuda space(0);
      for (int round = 0; round < rounds; ++round) right[t] += everything(space) == wanted ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, rounds));
}
