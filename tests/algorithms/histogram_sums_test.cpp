// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/histograms.hpp"

#include <cmath>
#include <cstdint>

using namespace tandem::test;

namespace {

/// Sums weights in equal bins over [-8, 8], on a space and on serial.
template <class Space, class X, class W>
void check_sums(const Space& space, const X& values, const W& weights, std::size_t offset,
                std::size_t bins) {
  using T = typename W::value_type;
  const tandem::serial reference;
  const auto sum = [&](const auto& where) {
    auto x = to_space(where, values);
    auto w = to_space(where, weights);
    const auto count = static_cast<tandem::index_t>(values.size() - offset);
    const auto first = static_cast<tandem::index_t>(offset);
    tandem::array<T, 1, std::remove_cvref_t<decltype(where)>> sums(tandem::extents<1>(bins), T{5},
                                                                   where);
    tandem::histogram(
        where, tandem::subview(x.const_view(), tandem::slice{0, count, 1}), {.lo = -8, .hi = 8},
        tandem::subview(w.const_view(), tandem::slice{first, first + count, 1}), sums.view());
    return to_host(where, sums);
  };
  CHECK(first_difference(sum(space), sum(reference)) == -1);
}

}  // namespace

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

TEST_CASE_TEMPLATE("histogram: the largest and the lowest number are weights as others are",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto check = [&]<class T>(std::vector<T> weights) {
    const std::size_t n = weights.size();
    auto values = random_values<float>(n, 29);
    values[n / 3] = 1;
    values[n / 2] = 2;
    weights[n / 3] = std::numeric_limits<T>::max();
    weights[n / 2] = std::numeric_limits<T>::lowest();
    check_sums(space, values, weights, 0, 64);
  };
  check(random_values<float>(10007, 30));
  check(random_values<double>(10007, 30));
}

TEST_CASE_TEMPLATE("histogram: a largest weight anywhere among millions sets the scale", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const std::size_t n = (std::size_t{1} << 22) + 5;
  const auto values = random_values<float>(n, 31);
  auto weights = random_values<float>(n, 32);
  for (const std::size_t place : {n / 7, n / 2 + 777}) {
    const float usual = weights[place];
    weights[place] = 1e15f;
    INFO("place = " << place);
    check_sums(space, values, weights, 0, 64);
    weights[place] = usual;
  }
}

TEST_CASE_TEMPLATE("histogram: weighted sums of values and weights that are aligned differently",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const std::size_t n = 10007;
  for (const std::size_t offset : {0ul, 1ul, 2ul, 3ul, 4ul}) {
    INFO("offset = " << offset);
    check_sums(space, random_values<float>(n, 33), random_values<float>(n, 34), offset, 300);
    check_sums(space, random_values<float>(n, 35), random_values<double>(n, 36), offset, 300);
    check_sums(space, random_values<double>(n, 37), random_values<float>(n, 38), offset, 300);
    check_sums(space, random_values<double>(n, 39), random_values<double>(n, 40), offset, 300);
  }
}

TEST_CASE_TEMPLATE("histogram: weighted sums in more bins than shared memory holds", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<float>(200003, 41);
  check_sums(space, values, random_values<float>(200003, 42), 0, 40000);
  check_sums(space, values, random_values<double>(200003, 43), 0, 400000);
}

TEST_CASE_TEMPLATE("histogram: weighted sums between explicit edges have the bits of serial",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  for (const std::size_t bins : {1ul, 100ul, 20000ul}) {
    std::vector<float> edges(bins + 1);
    for (std::size_t i = 0; i <= bins; ++i)
      edges[i] = 16 * std::sqrt(static_cast<float>(i) / static_cast<float>(bins)) - 8;
    const auto values = random_values<float>(50021, 44);
    const auto weights = random_values<float>(50021, 45);
    const auto sum = [&](const auto& where) {
      auto x = to_space(where, values);
      auto w = to_space(where, weights);
      auto e = to_space(where, edges);
      tandem::array<float, 1, std::remove_cvref_t<decltype(where)>> sums(tandem::extents<1>(bins),
                                                                         5.0f, where);
      tandem::histogram(where, x.const_view(), e.const_view(), w.const_view(), sums.view());
      return to_host(where, sums);
    };
    INFO("bins = " << bins);
    CHECK(first_difference(sum(space), sum(reference)) == -1);
  }
}

TEST_CASE_TEMPLATE("histogram: weights as many as a power of two are summed at their own scale",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  // With m = log2(n) and a largest weight of 1 - 2^-24, q = 62 - m. One unit of that scale counts;
  // at the next scale it would be halved and rounded to even, which is zero.
  for (const int m : {4, 10, 16}) {
    const std::size_t n = std::size_t{1} << m;
    std::vector<float> weights(n, 0.0f);
    weights[0] = 1 - 0x1p-24f;
    weights[1] = std::ldexp(1.0f, m - 62);
    std::vector<int> bins(n, 2);
    bins[0] = 0;
    bins[1] = 1;
    auto x = to_space(space, bins);
    auto w = to_space(space, weights);
    tandem::array<float, 1, typename Backend::space> sums(tandem::extents<1>(2), 5.0f, space);
    tandem::histogram(space, x.const_view(), tandem::integer_bins{}, w.const_view(), sums.view());
    INFO("m = " << m);
    CHECK(to_host(space, sums) == std::vector<float>{weights[0], weights[1]});
  }
}
