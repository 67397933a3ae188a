// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/non_commutative.hpp"

#include <cstdint>

using namespace tandem::test;

namespace {

/// Compares sum, extremes and positions of a view with serial bit for bit, through a view and
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
  const auto low = tandem::argmin(space, v);
  const auto low_wanted = tandem::argmin(reference, w);
  CHECK(same_bits(low.value, low_wanted.value));
  CHECK(low.index == low_wanted.index);
  const auto both = tandem::parallel_reduce(space, v, tandem::minmax<T>{});
  const auto both_wanted = tandem::parallel_reduce(reference, w, tandem::minmax<T>{});
  CHECK(same_bits(both.minimum, both_wanted.minimum));
  CHECK(same_bits(both.maximum, both_wanted.maximum));
}

/// Compares both positions of a view with serial, through a view and through a lambda.
template <class T, class Space>
void check_positions(const Space& space, const std::vector<T>& values) {
  const tandem::serial reference;
  auto x = to_space(space, values);
  auto r = to_space(reference, values);
  const auto v = x.const_view();
  const auto w = r.const_view();
  const auto n = v.size();
  INFO("n = " << n);
  const auto check = [](const tandem::value_index<T>& got, const tandem::value_index<T>& wanted) {
    CHECK(same_bits(got.value, wanted.value));
    CHECK(got.index == wanted.index);
  };
  const auto term = TANDEM_LAMBDA(tandem::index_t i) { return v(i); };
  const tandem::minloc<T> low;
  const tandem::maxloc<T> high;
  const auto low_wanted = tandem::parallel_reduce(reference, w, low);
  const auto high_wanted = tandem::parallel_reduce(reference, w, high);
  check(tandem::parallel_reduce(space, v, low), low_wanted);
  check(tandem::parallel_reduce(space, n, term, low), low_wanted);
  check(tandem::parallel_reduce(space, v, high), high_wanted);
  check(tandem::parallel_reduce(space, n, term, high), high_wanted);
}

/// An accumulator too large for the path of small results.
struct wide_sum {
  float part[66];
};

struct add_wide {
  TANDEM_FUNCTION wide_sum operator()(const wide_sum& a, const wide_sum& b) const {
    wide_sum total = a;
    for (int k = 0; k < 66; ++k) total.part[k] += b.part[k];
    return total;
  }
};

/// An accumulator of 12 bytes, which is not a power of two.
struct triple {
  float a, b, c;
};

struct keep_order {
  TANDEM_FUNCTION triple operator()(const triple& f, const triple& g) const {
    return {g.a * f.a, g.a * f.b + g.b, f.c + g.c};
  }
};

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

TEST_CASE_TEMPLATE("parallel_reduce: the bits of serial whether host or device combines last",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : {2047ul, 65536ul, 65537ul, 270001ul, 2097152ul, 2097153ul, 4200007ul})
    check_against_serial(space, random_values<float>(n, n));
}

TEST_CASE_TEMPLATE("parallel_reduce: of two zeros the one that comes first in the shape", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  for (const float sign : {1.0f, -1.0f}) {
    for (const std::size_t n : {1ul, 100ul, 2048ul, 9001ul, 300000ul}) {
      // Zeros of either sign among terms that all have one sign.
      auto values = random_values<float>(n, n);
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = sign * std::fabs(values[i]);
        if (i % 11 == 3) values[i] = i % 3 == 0 ? -0.0f : 0.0f;
      }
      check_against_serial(space, values);
      check_positions(space, values);
      auto x = to_space(space, values);
      auto r = to_space(reference, values);
      const tandem::combined_reducer all{tandem::sum<float>{}, tandem::minimum<float>{},
                                         tandem::maximum<float>{}, tandem::sum<float>{}};
      const auto [total, low, high, again] = tandem::parallel_reduce(space, x.const_view(), all);
      const auto [total_wanted, low_wanted, high_wanted, again_wanted] =
          tandem::parallel_reduce(reference, r.const_view(), all);
      CHECK(same_bits(total, total_wanted));
      CHECK(same_bits(low, low_wanted));
      CHECK(same_bits(high, high_wanted));
      CHECK(same_bits(again, again_wanted));
    }
  }
}

TEST_CASE_TEMPLATE("parallel_reduce: positions of extremes at every size and on hostile values",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    check_positions(space, random_values<float>(n, n));
    check_positions(space, random_values<double>(n, n + 1));
    check_positions(space, random_values<int>(n, n + 2));
  }
  for (int kind = 0; kind < hostile_kinds; ++kind) {
    INFO("kind = " << kind);
    check_positions(space, hostile_values<float>(70001, kind));
    check_positions(space, hostile_values<double>(70001, kind));
  }
  check_positions(space, random_values<float>(large_size, 21));
  check_positions(space, random_values<std::int64_t>(large_size, 22));
  check_positions(space, random_values<std::uint8_t>(70001, 23));
  for (const float all : {HUGE_VALF, -HUGE_VALF, std::nanf("")})
    check_positions(space, std::vector<float>(5000, all));
  std::vector<float> falling(100000);
  for (std::size_t i = 0; i < falling.size(); ++i) falling[i] = -static_cast<float>(i / 2);
  check_positions(space, falling);
  falling[77777] = falling[50001] = std::nanf("");
  check_positions(space, falling);
}

TEST_CASE_TEMPLATE("parallel_reduce: accumulators of any size", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  for (const int n : {1, 40, 5000, 70001}) {
    const auto spread = TANDEM_LAMBDA(int i) {
      wide_sum s;
      for (int k = 0; k < 66; ++k) s.part[k] = 1.0f / static_cast<float>(i + k + 1);
      return s;
    };
    const auto wide = tandem::commutative_reduction(add_wide{}, wide_sum{});
    const wide_sum got = tandem::parallel_reduce(space, n, spread, wide);
    const wide_sum wanted = tandem::parallel_reduce(reference, n, spread, wide);
    for (int k = 0; k < 66; ++k) CHECK(same_bits(got.part[k], wanted.part[k]));
    const auto step = TANDEM_LAMBDA(int i) {
      return triple{1.0f + 0.001f * static_cast<float>(i % 7), static_cast<float>(i % 5), 0.1f};
    };
    const tandem::reduction ordered{keep_order{}, triple{1.0f, -0.0f, -0.0f}};
    const triple t = tandem::parallel_reduce(space, n, step, ordered);
    const triple t_wanted = tandem::parallel_reduce(reference, n, step, ordered);
    CHECK(same_bits(t.a, t_wanted.a));
    CHECK(same_bits(t.b, t_wanted.b));
    CHECK(same_bits(t.c, t_wanted.c));
  }
}

TEST_CASE_TEMPLATE("parallel_reduce: each of many calls gets its own result", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<float>(300000, 31);
  auto x = to_space(space, values);
  const int sizes[] = {300000, 1, 70000, 3000, 200000, 33};
  std::vector<float> first;
  std::vector<tandem::value_index<float>> where;
  for (int round = 0; round < 300; ++round) {
    const auto k = static_cast<std::size_t>(round % 6);
    const auto part = tandem::subview(x.const_view(), tandem::slice{0, sizes[k]});
    const float total = tandem::parallel_reduce(space, part);
    const auto peak = tandem::parallel_reduce(space, part, tandem::maxloc<float>{});
    if (round < 6) {
      first.push_back(total);
      where.push_back(peak);
    }
    CHECK(same_bits(total, first[k]));
    CHECK(peak.index == where[k].index);
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
  // Pairwise summation of positive terms: (rows + log2 lanes + log2 tiles) roundings of relative
  // size 2^-24.
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
  const tandem::combined_reducer all_at_once{tandem::sum<float>{}, tandem::maxloc<float>{},
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
      tandem::combined_reducer{tandem::sum<int>{}, tandem::maximum<int>{}});
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
  CHECK(tandem::parallel_reduce(space, 0, term, tandem::maxloc<float>{}).index == -1);
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
