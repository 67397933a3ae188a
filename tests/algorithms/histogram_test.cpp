// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>

using namespace tandem::test;

namespace {

/// numpy.histogram's edges of equal bins, computed in double and rounded to T; the last one is hi.
template <class T>
std::vector<T> numpy_edges(double lo, double hi, std::size_t bins) {
  std::vector<T> edges(bins + 1);
  const double step = (hi - lo) / static_cast<double>(bins);
  for (std::size_t i = 0; i <= bins; ++i) {
    const volatile double offset = static_cast<double>(i) * step;
    edges[i] = static_cast<T>(lo + offset);
  }
  edges[bins] = static_cast<T>(hi);
  return edges;
}

/// Counts by the definition: the bin whose edges enclose x, the last one closed.
template <class T>
std::vector<std::uint64_t> definition(const std::vector<T>& values, const std::vector<T>& edges) {
  std::vector<std::uint64_t> counts(edges.size() - 1);
  for (const T x : values) {
    if (!(x >= edges.front() && x <= edges.back())) continue;
    std::size_t low = 0;
    std::size_t high = counts.size();
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      (x >= edges[middle] ? low : high) = middle;
    }
    ++counts[low];
  }
  return counts;
}

/// Samples of which two thirds stand on an edge or one step beside one, some outside, some NaN.
template <class T>
std::vector<T> samples_at_edges(const std::vector<T>& edges, std::size_t count) {
  std::vector<T> values(count);
  const T lo = edges.front();
  const T hi = edges.back();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = mix(i);
    const T edge = edges[bits % edges.size()];
    const std::uint64_t kind = (bits >> 40) % 10;
    const T between =
        static_cast<T>(lo + (hi - lo) * (1.2 * static_cast<double>(bits >> 11) * 0x1p-53 - 0.1));
    values[i] = kind < 2   ? edge
                : kind < 4 ? std::nextafter(edge, std::numeric_limits<T>::lowest())
                : kind < 6 ? std::nextafter(edge, std::numeric_limits<T>::max())
                : kind < 9 ? between
                           : std::numeric_limits<T>::quiet_NaN();
  }
  return values;
}

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

TEST_CASE_TEMPLATE("histogram: explicit edges, uneven and on the samples", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t bins : {1ul, 3ul, 100ul, 1000ul}) {
    std::vector<double> edges(bins + 1);
    for (std::size_t i = 0; i <= bins; ++i) edges[i] = std::sqrt(static_cast<double>(i)) - 1.0;
    const auto values = samples_at_edges(edges, 30000);
    auto x = to_space(space, values);
    auto e = to_space(space, edges);
    tandem::array<std::int64_t, 1, typename Backend::space> counts(tandem::extents<1>(bins), -1,
                                                                   space);
    tandem::histogram(space, x.const_view(), e.const_view(), counts.view());
    const auto got = to_host(space, counts);
    CHECK(std::vector<std::uint64_t>(got.begin(), got.end()) == definition(values, edges));
  }
}

TEST_CASE_TEMPLATE("histogram: weighted sums have the bits of serial", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  const auto check = [&](auto zero, std::size_t n) {
    using T = decltype(zero);
    const auto values = random_values<float>(n, 25);
    auto weights = random_values<T>(n, 26);
    if (n > 10) weights[n / 2] = T(1e20);
    auto x = to_space(space, values);
    auto w = to_space(space, weights);
    auto rx = to_space(reference, values);
    auto rw = to_space(reference, weights);
    tandem::array<T, 1, typename Backend::space> sums(tandem::extents<1>(64), T{5}, space);
    tandem::array<T, 1, tandem::serial> wanted(tandem::extents<1>(64), T{6}, reference);
    tandem::histogram(space, x.const_view(), {.lo = -8.0f, .hi = 8.0f}, w.const_view(),
                      sums.view());
    tandem::histogram(reference, rx.const_view(), {.lo = -8.0f, .hi = 8.0f}, rw.const_view(),
                      wanted.view());
    INFO("n = " << n);
    CHECK(first_difference(to_host(space, sums), to_host(reference, wanted)) == -1);
  };
  for (const std::size_t n : {0ul, 1ul, 33ul, 4097ul, 200003ul}) {
    check(float{}, n);
    check(double{}, n);
  }
}

TEST_CASE_TEMPLATE("histogram: weighted sums are right to the weights' own precision", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto bins_of = random_below<int>(50000, 8, 27);
  const auto weights = random_values<float>(50000, 28);
  std::vector<double> exact(8);
  std::vector<double> magnitude(8);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    exact[static_cast<std::size_t>(bins_of[i])] += weights[i];
    magnitude[static_cast<std::size_t>(bins_of[i])] += std::fabs(weights[i]);
  }
  auto x = to_space(space, bins_of);
  auto w = to_space(space, weights);
  tandem::array<float, 1, typename Backend::space> sums(tandem::extents<1>(8), 0.0f, space);
  tandem::histogram(space, x.const_view(), tandem::integer_bins{}, w.const_view(), sums.view());
  const auto got = to_host(space, sums);
  for (std::size_t b = 0; b < 8; ++b) CHECK(std::fabs(got[b] - exact[b]) <= 0x1p-23 * magnitude[b]);
}

TEST_CASE_TEMPLATE("histogram: a weight that is not finite makes its bin NaN and no other", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<int>{0, 1, 2, 0, 1, 2});
  auto w =
      to_space(space, std::vector<double>{1, 2, 3, 4, std::numeric_limits<double>::quiet_NaN(), 6});
  tandem::array<double, 1, typename Backend::space> sums(tandem::extents<1>(3), 0.0, space);
  tandem::histogram(space, x.const_view(), tandem::integer_bins{}, w.const_view(), sums.view());
  const auto got = to_host(space, sums);
  CHECK(got[0] == 5.0);
  CHECK(std::isnan(got[1]));
  CHECK(got[2] == 9.0);
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
