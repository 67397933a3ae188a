// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>

using namespace tandem::test;

TEST_CASE_TEMPLATE("dot: rounded products in the canonical sum", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  const auto xs = random_values<float>(50021, 16);
  const auto ys = random_values<float>(50021, 17);
  auto x = to_space(space, xs);
  auto y = to_space(space, ys);
  std::vector<float> products(xs.size());
  for (std::size_t i = 0; i < xs.size(); ++i) products[i] = xs[i] * ys[i];
  auto p = to_space(reference, products);
  CHECK(same_bits(tandem::dot(space, x.view(), y.const_view()),
                  tandem::parallel_reduce(reference, p.const_view())));
  auto shorter = to_space(space, random_values<float>(50020, 1));
  CHECK_THROWS_WITH_AS(tandem::dot(space, x.view(), shorter.view()),
                       "dot: extent 0 of x (50021) != extent 0 of y (50020)", tandem::extent_error);
}

TEST_CASE_TEMPLATE("dot: the bits of serial at every size and alignment", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  const auto check = [&]<class T>(std::size_t n, T) {
    const auto xs = random_values<T>(n + 1, n);
    const auto ys = random_values<T>(n + 1, n + 1);
    auto x = to_space(space, xs);
    auto y = to_space(space, ys);
    auto p = to_space(reference, xs);
    auto q = to_space(reference, ys);
    INFO("n = " << n);
    for (const int skip : {0, 1}) {
      const tandem::slice from_x{skip, static_cast<tandem::index_t>(n)};
      const tandem::slice from_y{0, static_cast<tandem::index_t>(n) - skip};
      CHECK(same_bits(tandem::dot(space, tandem::subview(x.const_view(), from_x),
                                  tandem::subview(y.const_view(), from_y)),
                      tandem::dot(reference, tandem::subview(p.const_view(), from_x),
                                  tandem::subview(q.const_view(), from_y))));
    }
  };
  for (const std::size_t n : hostile_sizes()) {
    if (n == 0) continue;
    check(n, float{});
    check(n, double{});
    check(n, std::int16_t{});  // the products fit an int
    check(n, std::uint8_t{});
  }
  check(large_size, float{});
}

TEST_CASE_TEMPLATE("dot: integers are multiplied in 64 bits, where an int would overflow", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto tens = to_space(space, std::vector<int>(10, 100000));
  CHECK(tandem::dot(space, tens, tens) == 100000000000);
  const auto check = [&]<class T, class Wide>(std::size_t n, T, Wide) {
    INFO("n = " << n);
    const auto xs = random_values<T>(n, n);
    const auto ys = random_values<T>(n, n + 1);
    std::uint64_t wanted = 0;
    for (std::size_t i = 0; i < n; ++i)
      wanted += static_cast<std::uint64_t>(static_cast<Wide>(xs[i]) * static_cast<Wide>(ys[i]));
    auto x = to_space(space, xs);
    auto y = to_space(space, ys);
    CHECK(static_cast<std::uint64_t>(tandem::dot(space, x, y)) == wanted);
  };
  for (const std::size_t n : hostile_sizes()) {
    check(n, std::int32_t{}, std::int64_t{});
    check(n, std::uint32_t{}, std::uint64_t{});
    check(n, std::uint16_t{}, std::uint64_t{});
  }
  check(large_size, std::int32_t{}, std::int64_t{});
}
