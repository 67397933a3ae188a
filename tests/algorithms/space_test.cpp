// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <chrono>
#include <thread>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

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

TEST_CASE_TEMPLATE("spaces: events measure in milliseconds", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto start = space.record();
  space.fence();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const auto done = space.record();
  done.wait();
  const double elapsed = tandem::elapsed_ms(start, done);
  CHECK(elapsed >= 4.9);  // device and host clocks differ a little
  CHECK(elapsed < 60'000);
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

#if defined(__GLIBC__)
TEST_CASE_TEMPLATE("spaces: arrays give their memory back", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  if constexpr (Space::memory_type::host_accessible) {
    const auto space = Backend::make();
    const auto in_use = [] {
      const struct mallinfo2 all = mallinfo2();  // zeros if a sanitizer manages the memory
      return all.uordblks + all.hblkhd;
    };
    const std::size_t before = in_use();
    for (int i = 0; i < 100; ++i) {
      tandem::array<double, 1, Space>(tandem::extents<1>(10), space);
      tandem::array<double, 1, Space>(tandem::extents<1>(100'000), space);
    }
    CHECK(in_use() <= before + 10 * 100'000 * sizeof(double));
  }
}
#endif

TEST_CASE_TEMPLATE("spaces: move-constructed ones keep their work", Backend, TANDEM_TEST_BACKENDS) {
  auto first = Backend::make();
  auto x = to_space(first, std::vector<int>{1, 2, 3});
  const auto second = std::move(first);
  auto v = x.view();
  tandem::parallel_for(
      second, 3, TANDEM_LAMBDA(int i) { v(i) += 10; });
  CHECK(to_host(second, x) == std::vector<int>{11, 12, 13});
}
