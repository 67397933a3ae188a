// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot, norms, argmin and argmax of operands of the host that pass through a space in chunks have
// the bits of serial, whatever the budget.

#include <cmath>
#include <limits>

#include "distributed/support.hpp"
#include "support/out_of_memory.hpp"
#include "support/results.hpp"

using namespace tandem::test;

namespace {

constexpr std::size_t small = std::size_t{1} << 16;

template <class Space, class X, class Y>
void check_all(const Space& space, const X& x, const Y& y) {
  const tandem::serial serial;
  const auto dot = tandem::dot(serial, x, y);
  const auto asum = tandem::asum(serial, x);
  const auto largest = tandem::nrm_inf(serial, x);
  const auto norm = tandem::norm2(serial, x);
  const auto least = tandem::argmin(serial, x);
  const auto most = tandem::argmax(serial, x);
  const auto members = tandem::shards<Space>(3);
  const auto check = [&](const auto& big) {
    CHECK(same_result(tandem::dot(big, x, y), dot));
    CHECK(same_result(tandem::asum(big, x), asum));
    CHECK(same_result(tandem::nrm_inf(big, x), largest));
    CHECK(same_result(tandem::norm2(big, x), norm));
    CHECK(same_result(tandem::argmin(big, x), least));
    CHECK(same_result(tandem::argmax(big, x), most));
  };
  for (const std::size_t budget : {small, 7 * small, std::size_t{0}})
    check(tandem::streamed(space, {.budget = budget}));
  check(tandem::streamed(members, {.budget = 9 * small}));
}

template <class T, class Space>
void check_type(const Space& space) {
  for (const std::size_t n : {0u, 1u, 63u, 4096u, 4097u, 70001u})
    check_all(space, hostile_values<T>(n, 4), random_values<T>(n, n + 1));
  check_all(space, random_values<T>(70001, 1), random_values<T>(70001, 2));
}

}  // namespace

TEST_CASE_TEMPLATE("streamed: dot, norms and extremes of vectors", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_type<float>(space);
  check_type<double>(space);
  check_type<int>(space);
  std::vector<tandem::half> halves;
  for (const float value : random_values<float>(70001, 7)) halves.emplace_back(value);
  auto bytes = random_values<std::int8_t>(70001, 8);
  bytes[60000] = std::numeric_limits<std::int8_t>::min();
  check_all(space, halves, halves);
  check_all(space, bytes, bytes);
}

TEST_CASE_TEMPLATE("streamed: norms that scale, and a NaN in the last chunk", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const int power : {-600, 700}) {
    std::vector<double> x = random_values<double>(30011, 1);
    for (double& one : x) one = std::ldexp(one, power);
    check_all(space, x, x);
  }
  std::vector<double> x = random_values<double>(30011, 1);
  x[30005] = std::numeric_limits<double>::quiet_NaN();
  check_all(space, x, x);
  CHECK(tandem::argmin(tandem::streamed(space, {.budget = small}), x).index == 30005);
}

TEST_CASE_TEMPLATE("streamed: reductions of planes of any layout", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<float>(301 * 77 * 2, 3);
  using tandem::host_memory;
  const tandem::view<const float, 2, tandem::layout_right, host_memory> rows(values.data(),
                                                                             {301, 77});
  const tandem::view<const float, 2, tandem::layout_right, host_memory> other(values.data() + 7,
                                                                              {77, 301});
  check_all(space, rows, tandem::transposed(other));
  check_all(space, tandem::transposed(other), rows);
  const auto inner = tandem::subview(rows, tandem::slice{3, 200}, tandem::slice{1, 70});
  check_all(space, inner, inner);
  const tandem::view<const float, 3, tandem::layout_right, host_memory> box(values.data(),
                                                                            {77, 301, 2});
  check_all(space, box, box);
  const tandem::view<const float, 1, tandem::layout_right, host_memory> line(values.data(), 40000);
  const auto every_third = tandem::subview(line, tandem::slice{1, 40000, 3});
  check_all(space, every_third, tandem::subview(line, tandem::slice{0, 13333}));
}

TEST_CASE_TEMPLATE("streamed: reductions with operands of the device", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const auto x = random_values<float>(50021, 1);
  const auto y = random_values<float>(50021, 2);
  const tandem::array<float, 1, Space> there(y, space);
  space.fence();
  const tandem::streamed big(space, {.budget = small});
  CHECK(same_result(tandem::dot(big, x, there), tandem::dot(tandem::serial{}, x, y)));
}

TEST_CASE_TEMPLATE("streamed: dot and norms refuse wrong extents and small budgets", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto x = random_values<float>(5000, 1);
  const tandem::streamed big(space, {.budget = small});
  const std::vector<float> shorter(4999);
  CHECK_THROWS_WITH_AS((void)tandem::dot(big, x, shorter), doctest::Contains("dot: "),
                       tandem::extent_error);
  const tandem::streamed none(space, {.budget = 1000});
  CHECK_THROWS_WITH_AS((void)tandem::dot(none, x, x), doctest::Contains("dot: 1000 bytes"),
                       tandem::argument_error);
  CHECK_THROWS_WITH_AS((void)tandem::norm2(none, x), doctest::Contains("norm2: 1000 bytes"),
                       tandem::argument_error);
  CHECK_THROWS_WITH_AS((void)tandem::argmin(none, x), doctest::Contains("argmin: 1000 bytes"),
                       tandem::argument_error);
}

TEST_CASE_TEMPLATE("streamed: dot and norm2 without memory", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto x = random_values<float>(30011, 1);
  const tandem::streamed big(space, {.budget = small});
  float found = 0;
  check_out_of_memory("", space, [&] { found = tandem::dot(big, x, x); });
  CHECK(same_bits(found, tandem::dot(tandem::serial{}, x, x)));
  check_out_of_memory("", space, [&] { found = tandem::norm2(big, x); });
  CHECK(same_bits(found, tandem::norm2(tandem::serial{}, x)));
}
