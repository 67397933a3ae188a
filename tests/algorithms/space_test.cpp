// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;

TEST_CASE_TEMPLATE("spaces: an event orders two streams and measures between them", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto left = Backend::make();
  const auto right = Backend::make();
  const std::size_t n = large_size;
  tandem::array<int, 1, typename Backend::space> x(tandem::extents<1>(n), 1, left);
  auto v = x.view();
  const auto start = left.record();
  for (int round = 0; round < 20; ++round)
    tandem::parallel_for(
        left, n, TANDEM_LAMBDA(int i) { v(i) += 1; });
  const auto done = left.record();
  right.wait(done);
  tandem::parallel_for(
      right, n, TANDEM_LAMBDA(int i) { v(i) *= 2; });
  CHECK(to_host(right, x) == std::vector<int>(n, 42));
  CHECK(tandem::elapsed_ms(start, done) >= 0.0);
  done.wait();
}

TEST_CASE_TEMPLATE("spaces: an array outlives the space that made it", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  tandem::array<int, 1, Space> x;
  {
    const auto space = Backend::make();
    x = to_space(space, std::vector<int>{1, 2, 3});
  }
  const auto other = Backend::make();
  CHECK(to_host(other, x) == std::vector<int>{1, 2, 3});
}

TEST_CASE_TEMPLATE("spaces: move-constructed ones keep their work", Backend, TANDEM_TEST_BACKENDS) {
  auto first = Backend::make();
  auto x = to_space(first, std::vector<int>{1, 2, 3});
  const auto second = std::move(first);
  auto v = x.view();
  tandem::parallel_for(
      second, 3, TANDEM_LAMBDA(int i) { v(i) += 10; });
  CHECK(to_host(second, x) == std::vector<int>{11, 12, 13});
}
