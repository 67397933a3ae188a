// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/non_commutative.hpp"

#include <cstdint>

using namespace tandem::test;

namespace {

/// An associative operation without a right identity.
struct keep_later {
  TANDEM_FUNCTION float operator()(float, float later) const { return later; }
};

template <class T>
tandem::reduction<T, tandem::maximum<T>> running_maximum() {
  return {tandem::maximum<T>{}, tandem::maximum<T>{}.identity()};
}

/// Runs inclusive and exclusive scans of one input, on this space and on serial.
template <class T, class Space, class Operation>
void check_against_serial(const Space& space, const std::vector<T>& values,
                          const Operation& operation, T init) {
  const tandem::serial reference;
  auto x = to_space(space, values);
  auto y = to_space(space, values);
  auto r = to_space(reference, values);
  auto wanted = to_space(reference, values);
  INFO("n = " << values.size());
  tandem::parallel_scan(space, x.const_view(), y.view(), operation);
  tandem::parallel_scan(reference, r.const_view(), wanted.view(), operation);
  CHECK(first_difference(to_host(space, y), to_host(reference, wanted)) == -1);
  tandem::parallel_scan(space, x.const_view(), y.view(), operation, tandem::exclusive<T>{init});
  tandem::parallel_scan(reference, r.const_view(), wanted.view(), operation,
                        tandem::exclusive<T>{init});
  CHECK(first_difference(to_host(space, y), to_host(reference, wanted)) == -1);
}

}  // namespace

TEST_CASE_TEMPLATE("parallel_scan: the bits of serial at every size", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    check_against_serial(space, random_values<float>(n, n), tandem::sum<float>{}, 0.5f);
    check_against_serial(space, random_values<double>(n, n), tandem::sum<double>{}, 0.5);
    check_against_serial(space, random_values<int>(n, n), tandem::sum<int>{}, 3);
  }
  check_against_serial(space, random_values<float>(large_size, 1), tandem::sum<float>{}, 1.0f);
  check_against_serial(space, random_values<std::int64_t>(large_size, 2),
                       tandem::sum<std::int64_t>{}, std::int64_t{1});
  check_against_serial(space, random_values<unsigned>(5000, 3), tandem::sum<unsigned>{}, 7u);
  // More than 1024 tiles give three levels of nodes, whose totals are folded from the left.
  check_against_serial(space, random_values<float>(5000011, 8), tandem::sum<float>{}, 1.0f);
}

TEST_CASE_TEMPLATE("parallel_scan: init comes before the fold of all levels", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  // An init with 24 bits makes each order of additions round differently: with two levels of nodes
  // in tiles of one block each, with two levels in pipelines, and with three.
  for (const std::size_t n :
       {std::size_t{140001}, large_size, std::size_t{3000017}, std::size_t{5000011}})
    check_against_serial(space, random_values<float>(n, n), tandem::sum<float>{}, 0.1f);
}

TEST_CASE_TEMPLATE("parallel_scan: the bits of serial on hostile values", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (int kind = 0; kind < hostile_kinds; ++kind) {
    INFO("kind = " << kind);
    check_against_serial(space, hostile_values<float>(70001, kind), tandem::sum<float>{}, -0.0f);
    check_against_serial(space, hostile_values<double>(9001, kind), running_maximum<double>(),
                         -1.0);
  }
}

TEST_CASE_TEMPLATE("parallel_scan: integers are the plain running sum", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<int>(100003, 4);
  auto x = to_space(space, values);
  tandem::parallel_scan(space, x.const_view(), x.view());
  std::vector<int> wanted(values.size());
  unsigned running = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    running += static_cast<unsigned>(values[i]);
    wanted[i] = static_cast<int>(running);
  }
  CHECK(first_difference(to_host(space, x), wanted) == -1);
}

TEST_CASE_TEMPLATE("parallel_scan: extremes and sums of every kind of number", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : {std::size_t{777}, std::size_t{70001}}) {
    const auto check = [&](auto zero) {
      using T = decltype(zero);
      const auto values = random_values<T>(n, 11);
      check_against_serial(space, values, tandem::sum<T>{}, T{3});
      check_against_serial(space, values, tandem::minimum<T>{}, T{100});
      check_against_serial(space, values, tandem::maximum<T>{}, T{100});
    };
    check(float{});
    check(double{});
    check(std::int32_t{});
    check(std::uint32_t{});
    check(std::int64_t{});
    check(std::uint64_t{});
  }
  for (int kind = 0; kind < hostile_kinds; ++kind) {
    INFO("kind = " << kind);
    const auto values = hostile_values<float>(70001, kind);
    check_against_serial(space, values, tandem::minimum<float>{}, -0.0f);
    check_against_serial(space, values, tandem::maximum<float>{}, -0.0f);
  }
}

TEST_CASE_TEMPLATE("parallel_scan: long ones in place and into a strided view", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const std::size_t n = 4500007;
  const auto values = random_values<float>(n, 12);
  const tandem::serial reference;
  auto r = to_space(reference, values);
  tandem::parallel_scan(reference, r.const_view(), r.view());
  const auto wanted = to_host(reference, r);
  auto x = to_space(space, values);
  tandem::array<float, 1, typename Backend::space> wide(tandem::extents<1>(2 * n), 0.0f, space);
  const auto every_second = tandem::subview(wide.view(), tandem::slice{1, 2 * n, 2});
  tandem::parallel_scan(space, x.const_view(), every_second);
  CHECK(first_difference(to_host(space, every_second), wanted) == -1);
  tandem::parallel_scan(space, x.const_view(), x.view());
  CHECK(first_difference(to_host(space, x), wanted) == -1);
}

TEST_CASE_TEMPLATE("parallel_scan: in place gives what two arrays give", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<float>(50001, 5);
  auto x = to_space(space, values);
  auto y = to_space(space, values);
  tandem::parallel_scan(space, x.const_view(), y.view());
  tandem::parallel_scan(space, x.const_view(), x.view());
  CHECK(first_difference(to_host(space, x), to_host(space, y)) == -1);
}

TEST_CASE_TEMPLATE("parallel_scan: from a map, and into a strided view", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<float>(20003, 6);
  auto x = to_space(space, values);
  const auto v = x.const_view();
  auto y = to_space(space, values);
  tandem::parallel_scan(space, v, y.view());
  tandem::array<float, 1, typename Backend::space> wide(tandem::extents<1>(3 * 20003), 0.0f, space);
  const auto every_third = tandem::subview(wide.view(), tandem::slice{1, 3 * 20003, 3});
  tandem::parallel_scan(
      space, 20003, TANDEM_LAMBDA(int i) { return v(i); }, every_third, tandem::sum<float>{});
  CHECK(first_difference(to_host(space, every_third), to_host(space, y)) == -1);
  CHECK(to_host(space, wide)[0] == 0.0f);
  const auto backwards = tandem::subview(v, tandem::slice{0, 20003, -1});
  tandem::parallel_scan(space, backwards, y.view());
  CHECK(to_host(space, y)[0] == values.back());
}

TEST_CASE_TEMPLATE("parallel_scan: operations that do not commute keep their order", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial reference;
  const auto values = random_values<float>(9000, 7);
  auto x = to_space(space, values);
  auto r = to_space(reference, values);
  const auto v = x.const_view();
  const auto w = r.const_view();
  const tandem::reduction operation{compose{}, affine{1.0f, -0.0f}};
  tandem::array<affine, 1, typename Backend::space> y(tandem::extents<1>(9000), space);
  tandem::array<affine, 1, tandem::serial> wanted(tandem::extents<1>(9000), reference);
  tandem::parallel_scan(
      space, 9000,
      TANDEM_LAMBDA(int i) {
        return affine{1.0f + 0.001f * v(i), v(i)};
      },
      y.view(), operation);
  tandem::parallel_scan(
      reference, 9000,
      TANDEM_LAMBDA(int i) {
        return affine{1.0f + 0.001f * w(i), w(i)};
      },
      wanted.view(), operation);
  const auto got = to_host(space, y);
  const auto right = to_host(reference, wanted);
  bool same = true;
  for (std::size_t i = 0; i < got.size(); ++i) {
    same &= same_bits(got[i].a, right[i].a) && same_bits(got[i].b, right[i].b);
  }
  CHECK(same);
}

TEST_CASE_TEMPLATE("parallel_scan: a function object without an identity is an operation", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t size : {1u, 513u, 4097u, 140000u}) {
    std::vector<float> values = random_values<float>(size, 7);
    auto x = to_space(space, values);
    tandem::array<float, 1, typename Backend::space> y(tandem::extents<1>(size), space);
    tandem::parallel_scan(space, x.const_view(), y.view(), keep_later{});
    CHECK(first_difference(to_host(space, y), values) == -1);
    tandem::parallel_scan(space, x.const_view(), y.view(), keep_later{}, tandem::exclusive{7.0f});
    values.insert(values.begin(), 7.0f);
    values.pop_back();
    CHECK(first_difference(to_host(space, y), values) == -1);
  }
}

TEST_CASE_TEMPLATE("parallel_scan: what it refuses, and that nothing is written then", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8});
  auto y = to_space(space, std::vector<int>{9, 9, 9});
  CHECK_THROWS_AS(tandem::parallel_scan(space, x.const_view(), y.view()), tandem::extent_error);
  const auto head = tandem::subview(x.view(), tandem::slice{0, 6});
  const auto tail = tandem::subview(x.view(), tandem::slice{2, 8});
  CHECK_THROWS_AS(tandem::parallel_scan(space, head, tail), tandem::argument_error);
  CHECK(to_host(space, x) == std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(to_host(space, y) == std::vector<int>{9, 9, 9});
  tandem::parallel_scan(space, x.const_view(), x.view());
  CHECK(to_host(space, x) == std::vector<int>{1, 3, 6, 10, 15, 21, 28, 36});
}
