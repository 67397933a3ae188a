// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/affine.hpp"
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>

using namespace tandem::test;

namespace {

/// Checks sum, extremes and positions of a view against serial, bit for bit, through a view and
/// through a lambda.
template <class T, class Space>
void check_against_serial(const Space& space, const std::vector<T>& values) {
  const tandem::serial reference;
  auto x = to_space(space, values);
  auto r = to_space(reference, values);
  const auto v = x.const_view();
  const auto w = r.const_view();
  const auto n = v.size();
  INFO("n = " << n);
  CHECK(same_bits(tandem::parallel_reduce(space, v), tandem::parallel_reduce(reference, w)));
  CHECK(same_bits(tandem::parallel_reduce(
                      space, n, TANDEM_LAMBDA(tandem::index_t i) { return v(i); }),
                  tandem::parallel_reduce(reference, w)));
  CHECK(same_bits(tandem::parallel_reduce(space, v, tandem::minimum<T>{}),
                  tandem::parallel_reduce(reference, w, tandem::minimum<T>{})));
  CHECK(same_bits(tandem::parallel_reduce(space, v, tandem::maximum<T>{}),
                  tandem::parallel_reduce(reference, w, tandem::maximum<T>{})));
  const auto low = tandem::minimum_position(space, v);
  const auto low_wanted = tandem::minimum_position(reference, w);
  CHECK(same_bits(low.value, low_wanted.value));
  CHECK(low.index == low_wanted.index);
  const auto both = tandem::parallel_reduce(space, v, tandem::minmax<T>{});
  const auto both_wanted = tandem::parallel_reduce(reference, w, tandem::minmax<T>{});
  CHECK(same_bits(both.minimum, both_wanted.minimum));
  CHECK(same_bits(both.maximum, both_wanted.maximum));
}

}  // namespace

TEST_CASE_TEMPLATE("parallel_reduce: the bits of serial at every size", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    check_against_serial(space, random_values<float>(n, n));
    check_against_serial(space, random_values<double>(n, n));
  }
  check_against_serial(space, random_values<float>(large_size, 5));
  check_against_serial(space, random_values<double>(large_size, 6));
  check_against_serial(space, random_values<int>(4097, 7));
  check_against_serial(space, random_values<std::uint8_t>(4097, 8));
  check_against_serial(space, random_values<std::int64_t>(131073, 9));
}

TEST_CASE_TEMPLATE("parallel_reduce: the bits of serial on hostile values", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (int kind = 0; kind < hostile_kinds; ++kind) {
    INFO("kind = " << kind);
    check_against_serial(space, hostile_values<float>(5000, kind));
    check_against_serial(space, hostile_values<double>(70001, kind));
  }
}

TEST_CASE_TEMPLATE("parallel_reduce: a lambda's terms and a plain loop agree to rounding", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<float>(100003, 3);
  auto x = to_space(space, values);
  const auto v = x.const_view();
  const float norm = tandem::parallel_reduce(
      space, 100003, TANDEM_LAMBDA(int i) { return tandem::abs(v(i)); });
  double exact = 0;
  for (const float value : values) exact += std::fabs(static_cast<double>(value));
  // Pairwise summation: (rows + log2 lanes + log2 tiles) roundings of relative size 2^-24, all
  // terms positive.
  CHECK(std::fabs(norm - exact) <= (32 + 6 + 6) * 0x1p-24 * exact);
}

TEST_CASE_TEMPLATE("parallel_reduce: operations that do not commute keep their order", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  for (const std::size_t n : {1ul, 16ul, 17ul, 4096ul, 4097ul, 70000ul}) {
    const auto values = random_values<float>(n, 11);
    auto x = to_space(space, values);
    const auto v = x.const_view();
    auto r = to_space(reference, values);
    const auto w = r.const_view();
    const tandem::reduction operation{compose{}, affine{1.0f, -0.0f}};
    const auto got = tandem::parallel_reduce(
        space, n,
        TANDEM_LAMBDA(int i) {
          return affine{1.0f + 0.001f * v(i), v(i)};
        },
        operation);
    const auto wanted = tandem::parallel_reduce(
        reference, n,
        TANDEM_LAMBDA(int i) {
          return affine{1.0f + 0.001f * w(i), w(i)};
        },
        operation);
    CHECK(same_bits(got.a, wanted.a));
    CHECK(same_bits(got.b, wanted.b));
  }
}

TEST_CASE_TEMPLATE("parallel_reduce: integers count in 64 bits and wrap where asked", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const int n = 100000;
  const auto big = TANDEM_LAMBDA(int) { return 1 << 30; };
  CHECK(tandem::parallel_reduce(space, n, big) == std::int64_t{100000} << 30);
  CHECK(tandem::parallel_reduce(space, 4, big, tandem::sum<int>{}) == 0);
  CHECK(tandem::parallel_reduce(
            space, n, TANDEM_LAMBDA(int i) { return i % 3 == 0; }) == 33334);
  CHECK(tandem::parallel_reduce(
            space, 31, TANDEM_LAMBDA(int) { return 2u; }, tandem::product<unsigned>{}) == 1u << 31);
}

TEST_CASE_TEMPLATE("parallel_reduce: logical and bitwise reducers", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const int n = 5000;
  CHECK(tandem::parallel_reduce(
      space, n, TANDEM_LAMBDA(int i) { return i >= 0; }, tandem::logical_and{}));
  CHECK(!tandem::parallel_reduce(
      space, n, TANDEM_LAMBDA(int i) { return i != 4999; }, tandem::logical_and{}));
  CHECK(tandem::parallel_reduce(
      space, n, TANDEM_LAMBDA(int i) { return i == 4999; }, tandem::logical_or{}));
  CHECK(!tandem::parallel_reduce(
      space, n, TANDEM_LAMBDA(int i) { return i < 0; }, tandem::logical_or{}));
  CHECK(tandem::parallel_reduce(
            space, n, TANDEM_LAMBDA(int i) { return i | 8; }, tandem::bitwise_and<int>{}) == 8);
  CHECK(tandem::parallel_reduce(
            space, n, TANDEM_LAMBDA(int i) { return i; }, tandem::bitwise_or<int>{}) == 8191);
}

TEST_CASE_TEMPLATE("parallel_reduce: several reducers in one pass", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  const auto values = random_values<float>(30011, 12);
  auto x = to_space(space, values);
  const auto v = x.const_view();
  auto r = to_space(reference, values);
  const auto w = r.const_view();
  const tandem::several all_at_once{tandem::sum<float>{}, tandem::maximum_at<float>{},
                                    tandem::minimum<float>{}};
  const auto [total, peak, low] = tandem::parallel_reduce(
      space, 30011, TANDEM_LAMBDA(int i) { return v(i); }, all_at_once);
  const auto [total_wanted, peak_wanted, low_wanted] = tandem::parallel_reduce(
      reference, 30011, TANDEM_LAMBDA(int i) { return w(i); }, all_at_once);
  CHECK(same_bits(total, total_wanted));
  CHECK(peak.index == peak_wanted.index);
  CHECK(same_bits(low, low_wanted));
  CHECK(same_bits(low, tandem::parallel_reduce(space, v, tandem::minimum<float>{})));
  const auto [first, second] = tandem::parallel_reduce(
      space, 1000, TANDEM_LAMBDA(int i) { return tandem::make_tuple(i, 1000 - i); },
      tandem::several{tandem::sum<int>{}, tandem::maximum<int>{}});
  CHECK(first == 499500);
  CHECK(second == 1000);
}

TEST_CASE_TEMPLATE("parallel_reduce: grids reduce in row-major order", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<float>(70 * 111, 13);
  auto x = to_space(space, values);
  const auto v = x.const_view();
  const float flat = tandem::parallel_reduce(space, v);
  const float plane = tandem::parallel_reduce(
      space, tandem::grid{70, 111}, TANDEM_LAMBDA(int j, int i) { return v(111 * j + i); });
  const float volume = tandem::parallel_reduce(
      space, tandem::grid{7, 10, 111},
      TANDEM_LAMBDA(int k, int j, int i) { return v((10 * k + j) * 111 + i); });
  CHECK(same_bits(plane, flat));
  CHECK(same_bits(volume, flat));
}

TEST_CASE_TEMPLATE("parallel_reduce: strided and misaligned views have the bits of packed ones",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<float>(20001, 14);
  auto x = to_space(space, values);
  for (const int step : {1, 2, 3, -1}) {
    const auto part = tandem::subview(x.const_view(), tandem::slice{1, 20001, step});
    std::vector<float> packed;
    for (tandem::index_t i = 0; i < part.size(); ++i) {
      packed.push_back(values[static_cast<std::size_t>(step > 0 ? 1 + i * step : 20000 - i)]);
    }
    auto y = to_space(space, packed);
    CHECK(same_bits(tandem::parallel_reduce(space, part),
                    tandem::parallel_reduce(space, y.const_view())));
  }
}

TEST_CASE_TEMPLATE("parallel_reduce: what nothing reduces to", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto term = TANDEM_LAMBDA(int) { return 1.0f; };
  CHECK(same_bits(tandem::parallel_reduce(space, 0, term), 0.0f));
  CHECK(tandem::parallel_reduce(space, 0, term, tandem::product<float>{}) == 1.0f);
  CHECK(std::isinf(tandem::parallel_reduce(space, 0, term, tandem::minimum<float>{})));
  CHECK(tandem::parallel_reduce(space, 0, term, tandem::maximum_at<float>{}).index == -1);
}

TEST_CASE_TEMPLATE("parallel_reduce_into: the same bits without blocking", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  for (const std::size_t n : {0ul, 1ul, 2049ul, 300000ul}) {
    auto x = to_space(space, random_values<double>(n, 15));
    const auto v = x.const_view();
    tandem::array<double, 0, Space> out(tandem::extents<0>{}, 42.0, space);
    tandem::parallel_reduce_into(space, v, tandem::sum<double>{}, out.view());
    CHECK(same_bits(to_host(space, out)[0], tandem::parallel_reduce(space, v)));
    tandem::parallel_reduce_into(
        space, n, TANDEM_LAMBDA(int i) { return v(i); }, tandem::maximum<double>{}, out.view());
    CHECK(same_bits(to_host(space, out)[0],
                    tandem::parallel_reduce(space, v, tandem::maximum<double>{})));
  }
}

TEST_CASE_TEMPLATE("parallel_reduce: a term index beyond its type is refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto term = TANDEM_LAMBDA(int) { return 1.0f; };
  CHECK_THROWS_WITH_AS(
      tandem::parallel_reduce(space, tandem::index_t{4294967297}, term),
      "parallel_reduce: last index (4294967296) > largest value of its type (2147483647)",
      tandem::extent_error);
}

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
