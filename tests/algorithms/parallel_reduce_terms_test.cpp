// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cmath>

using namespace tandem::test;

TEST_CASE_TEMPLATE("parallel_reduce: indices of any type, up to the last that it has", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  for (const std::size_t n : {1ul, 300ul, 2048ul, 9001ul, 300000ul}) {
    const auto values = random_values<float>(n, n);
    auto x = to_space(space, values);
    auto r = to_space(reference, values);
    const auto v = x.const_view();
    const float wanted = tandem::parallel_reduce(reference, r.const_view());
    const auto count = static_cast<tandem::index_t>(n);
    const auto sum_over = [&](tandem::index_t begin, const auto& term) {
      return tandem::parallel_reduce(space, tandem::range{begin, begin + count}, term);
    };
    const tandem::index_t top = (tandem::index_t{1} << 32) - count;
    const tandem::index_t bottom = -(tandem::index_t{1} << 31);
    CHECK(same_bits(sum_over(
                        0, TANDEM_LAMBDA(unsigned i) { return v(i); }),
                    wanted));
    CHECK(same_bits(sum_over(
                        top, TANDEM_LAMBDA(unsigned i) { return v(tandem::index_t{i} - top); }),
                    wanted));
    CHECK(same_bits(sum_over(
                        bottom, TANDEM_LAMBDA(int i) { return v(tandem::index_t{i} - bottom); }),
                    wanted));
    CHECK(same_bits(sum_over(
                        0, TANDEM_LAMBDA(std::size_t i) { return v(i); }),
                    wanted));
    if (n <= 300)
      CHECK(same_bits(sum_over(
                          0, TANDEM_LAMBDA(short i) { return v(i); }),
                      wanted));
  }
}

TEST_CASE_TEMPLATE("parallel_reduce: a NaN anywhere reaches every extreme", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::combined_reducer all{tandem::minimum<float>{}, tandem::maxloc<float>{},
                                     tandem::minmax<float>{}};
  for (const std::size_t n : {1ul, 511ul, 4096ul, 70001ul}) {
    for (const std::size_t at : {0ul, n / 3, n / 2, n - 1}) {
      auto values = random_values<float>(n, 7);
      values[at] = std::nanf("");
      auto x = to_space(space, values);
      const auto v = x.const_view();
      INFO("n = " << n << ", at = " << at);
      CHECK(std::isnan(tandem::parallel_reduce(space, v, tandem::minimum<float>{})));
      CHECK(std::isnan(tandem::parallel_reduce(space, v, tandem::maximum<float>{})));
      CHECK(std::isnan(tandem::parallel_reduce(space, v, tandem::minmax<float>{}).maximum));
      const auto [low, high, both] = tandem::parallel_reduce(
          space, static_cast<int>(n), TANDEM_LAMBDA(int i) { return v(i); }, all);
      CHECK(std::isnan(low));
      CHECK(high.index == static_cast<tandem::index_t>(at));
      CHECK(std::isnan(both.minimum));
    }
  }
}

TEST_CASE_TEMPLATE("parallel_reduce: the bits of serial where threads help each other", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  const auto values = random_values<float>((1ul << 22) + 7, 41);
  auto x = to_space(space, values);
  auto r = to_space(reference, values);
  const auto v = x.const_view();
  const auto w = r.const_view();
  CHECK(same_bits(tandem::parallel_reduce(space, v), tandem::parallel_reduce(reference, w)));
  CHECK(tandem::argmin(space, v).index == tandem::argmin(reference, w).index);
}
