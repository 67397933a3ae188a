// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/histograms.hpp"

#include <cstdint>

using namespace tandem::test;

namespace {

template <class Count, class Space, class T>
std::vector<std::uint64_t> counted(const Space& space, const std::vector<T>& values, T lo, T hi,
                                   std::size_t bins) {
  auto x = to_space(space, values);
  tandem::array<Count, 1, Space> counts(tandem::extents<1>(bins), Count{77}, space);
  tandem::histogram(space, x.const_view(), {.lo = lo, .hi = hi}, counts.view());
  const auto got = to_host(space, counts);
  return {got.begin(), got.end()};
}

template <class T, class Space>
void check_ranges(const Space& space) {
  const double ranges[][2] = {
      {-4, 4}, {0, 1}, {0.1, 0.7}, {-1.0 / 3, 17.3}, {1000000, 1000001}, {-1e-30, 1e30}};
  for (const auto& range : ranges) {
    const auto lo = static_cast<T>(range[0]);
    const auto hi = static_cast<T>(range[1]);
    for (const std::size_t bins : {1ul, 2ul, 10ul, 150ul, 256ul, 1000ul, 5000ul}) {
      INFO("lo = " << lo << ", hi = " << hi << ", bins = " << bins);
      const auto edges = numpy_edges<T>(lo, hi, bins);
      const auto values = samples_at_edges(edges, 20000);
      CHECK(counted<std::uint32_t>(space, values, lo, hi, bins) == definition(values, edges));
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("histogram: numpy's edges exactly, float", Backend, TANDEM_TEST_BACKENDS) {
  check_ranges<float>(Backend::make());
}

TEST_CASE_TEMPLATE("histogram: numpy's edges exactly, double", Backend, TANDEM_TEST_BACKENDS) {
  check_ranges<double>(Backend::make());
}

TEST_CASE_TEMPLATE("histogram: a value equal to hi falls into the last bin", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const std::vector<float> values{0.0f, 1.0f, 1.0f, 0.25f, -0.0f, 1.0000001f, -1e-40f};
  CHECK(counted<std::int32_t>(space, values, 0.0f, 1.0f, 4) ==
        std::vector<std::uint64_t>{2, 1, 0, 2});
}

TEST_CASE_TEMPLATE("histogram: sizes, counts of 32 and 64 bits, strided input", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    const auto values = random_values<float>(n, 21);
    const auto edges = numpy_edges<float>(-8, 8, 150);
    const auto wanted = definition(values, edges);
    CHECK(counted<std::uint32_t>(space, values, -8.0f, 8.0f, 150) == wanted);
    CHECK(counted<std::int64_t>(space, values, -8.0f, 8.0f, 150) == wanted);
    CHECK(counted<std::uint64_t>(space, values, -8.0f, 8.0f, 150) == wanted);
  }
  const auto values = random_values<float>(30000, 22);
  std::vector<float> thirds;
  for (std::size_t i = 29998; i < 30000; i -= 3) thirds.push_back(values[i]);
  auto x = to_space(space, values);
  tandem::array<int, 1, typename Backend::space> counts(tandem::extents<1>(64), 0, space);
  tandem::histogram(space, tandem::subview(x.view(), tandem::slice{0, 29999, -3}),
                    {.lo = -8.0f, .hi = 8.0f}, counts.view());
  const auto wanted = definition(thirds, numpy_edges<float>(-8, 8, 64));
  const auto got = to_host(space, counts);
  CHECK(std::vector<std::uint64_t>(got.begin(), got.end()) == wanted);
}

TEST_CASE_TEMPLATE("histogram: integers, few bins and many, every distribution", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t bins : {1ul, 10ul, 256ul, 4096ul, 65536ul, 1000003ul}) {
    for (int kind = 0; kind < 3; ++kind) {
      auto values = random_below<int>(100000, bins + 2, 23);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (kind == 1) values[i] = static_cast<int>(bins / 2);
        if (kind == 2) values[i] -= 1;
      }
      std::vector<int> wanted(bins);
      for (const int v : values) {
        if (v >= 0 && static_cast<std::size_t>(v) < bins) ++wanted[static_cast<std::size_t>(v)];
      }
      auto x = to_space(space, values);
      tandem::array<int, 1, typename Backend::space> counts(tandem::extents<1>(bins), -5, space);
      tandem::histogram(space, x.const_view(), counts.view());
      INFO("bins = " << bins << ", kind = " << kind);
      CHECK(to_host(space, counts) == wanted);
    }
  }
}

TEST_CASE_TEMPLATE("histogram: integers of every width, counted from a first value", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto check = [&](auto zero) {
    using T = decltype(zero);
    const auto values = random_values<T>(10007, 24);
    std::vector<int> wanted(40);
    for (const T v : values) {
      const auto bin = static_cast<__int128>(v) - 60;
      if (bin >= 0 && bin < 40) ++wanted[static_cast<std::size_t>(bin)];
    }
    auto x = to_space(space, values);
    tandem::array<int, 1, typename Backend::space> counts(tandem::extents<1>(40), 9, space);
    tandem::histogram(space, x.const_view(), tandem::integer_bins{.first = 60}, counts.view());
    CHECK(to_host(space, counts) == wanted);
  };
  check(std::int8_t{});
  check(std::uint8_t{});
  check(std::int16_t{});
  check(std::uint16_t{});
  check(std::int32_t{});
  check(std::uint32_t{});
  check(std::int64_t{});
  check(std::uint64_t{});
}

TEST_CASE_TEMPLATE("histogram: millions of bins, of which a few take most of the values", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const std::size_t bins = (std::size_t{1} << 20) + 1;
  const std::size_t n = (std::size_t{1} << 22) + 3;
  for (int kind = 0; kind < 4; ++kind) {
    auto values = random_below<int>(n, bins, 29);
    for (std::size_t i = 0; i < n; ++i) {
      if (kind == 0) values[i] = 4242;
      if (kind == 1 && i % 4 != 0) values[i] = static_cast<int>((i % 3) * 8192 + 5);
      if (kind == 2) values[i] = static_cast<int>(i / 5);
      if (kind == 3 && i % 9 == 0) values[i] = -1;
    }
    std::vector<std::int64_t> wanted(bins);
    for (const int v : values) {
      if (v >= 0) ++wanted[static_cast<std::size_t>(v)];
    }
    auto x = to_space(space, values);
    tandem::array<std::int64_t, 1, typename Backend::space> counts(tandem::extents<1>(bins), -5,
                                                                   space);
    tandem::histogram(space, x.const_view(), counts.view());
    INFO("kind = " << kind);
    CHECK(to_host(space, counts) == wanted);
  }
}

TEST_CASE_TEMPLATE("histogram: values that all lie on edges", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t bins : {1ul, 10ul, 1000ul, 4096ul, 65536ul}) {
    const float hi = static_cast<float>(bins);
    auto values = random_below<float>(100003, bins + 3, 30);
    for (float& v : values) v -= 1;
    const auto wanted = definition(values, numpy_edges<float>(0, hi, bins));
    INFO("bins = " << bins);
    CHECK(counted<std::uint32_t>(space, values, 0.0f, hi, bins) == wanted);
  }
  const float largest = std::numeric_limits<float>::max();
  const std::vector<float> ends{largest, -largest, 0, std::numeric_limits<float>::infinity(),
                                std::nanf("")};
  CHECK(counted<std::uint32_t>(space, ends, -largest, largest, 2) ==
        std::vector<std::uint64_t>{1, 2});
}

TEST_CASE_TEMPLATE("histogram: what it refuses, and that counts keep their values then", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  auto x = to_space(space, std::vector<float>{1, 2, 3, 4});
  tandem::array<int, 1, Space> counts(tandem::extents<1>(4), 7, space);
  tandem::array<int, 1, Space> none(tandem::extents<1>(0), space);
  const float infinity = std::numeric_limits<float>::infinity();
  const auto v = x.const_view();
  CHECK_THROWS_AS(tandem::histogram(space, v, {.lo = 1.0f, .hi = 1.0f}, counts.view()),
                  tandem::argument_error);
  CHECK_THROWS_AS(tandem::histogram(space, v, {.lo = 2.0f, .hi = 1.0f}, counts.view()),
                  tandem::argument_error);
  CHECK_THROWS_AS(tandem::histogram(space, v, {.lo = 0.0f, .hi = infinity}, counts.view()),
                  tandem::argument_error);
  CHECK_THROWS_AS(tandem::histogram(space, v, {.lo = std::nanf(""), .hi = 1.0f}, counts.view()),
                  tandem::argument_error);
  CHECK_THROWS_AS(tandem::histogram(space, v, {.lo = 0.0f, .hi = 1.0f}, none.view()),
                  tandem::argument_error);
  auto edges = to_space(space, std::vector<float>{0, 1, 2});
  CHECK_THROWS_AS(tandem::histogram(space, v, edges.const_view(), counts.view()),
                  tandem::extent_error);
  auto weights = to_space(space, std::vector<float>{1, 2, 3});
  tandem::array<float, 1, Space> sums(tandem::extents<1>(4), 7.0f, space);
  CHECK_THROWS_AS(
      tandem::histogram(space, v, {.lo = 0.0f, .hi = 1.0f}, weights.const_view(), sums.view()),
      tandem::extent_error);
  auto bits = to_space(space, std::vector<int>{1, 2, 3, 4});
  CHECK_THROWS_AS(tandem::histogram(space, bits.const_view(), bits.view()), tandem::argument_error);
  CHECK(to_host(space, counts) == std::vector<int>(4, 7));
  CHECK(to_host(space, sums) == std::vector<float>(4, 7.0f));
  tandem::histogram(space, v, {.lo = 0.0f, .hi = 4.0f}, counts.view());
  CHECK(to_host(space, counts) == std::vector<int>{0, 1, 1, 2});
}
