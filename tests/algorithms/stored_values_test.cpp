// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results and values that operations round to elements of half and bf16, whose constructors are
// explicit; docs/guide/views-and-memory.md has the rule.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>
#include <vector>

using namespace tandem::test;

namespace {

enum wide : std::int64_t { wide_value = std::int64_t{1} << 40 };

template <class T, class Space>
auto filled(const Space& space, tandem::index_t n, float value) {
  return tandem::array<T, 1, Space>({n}, T(value), space);
}

/// Whether every element is this number, rounded to T.
template <class Space, class T>
bool all(const Space& space, const tandem::array<T, 1, Space>& x, float value) {
  bool same = true;
  for (const T v : to_host(space, x)) same &= v.bits() == T(value).bits();
  return same;
}

constexpr tandem::index_t n = 1003;
constexpr float between = 1.00146484375f;  // 1 + 1.5 * 2^-10: half and bf16 round it

template <class T, class Space>
void check_transform(const Space& space) {
  const auto x = filled<float>(space, n, between);
  auto y = filled<T>(space, n, 0);
  auto z = filled<T>(space, n, 0);
  tandem::transform(
      space, x, y, TANDEM_LAMBDA(float v) { return v; });
  CHECK(all(space, y, between));
  tandem::transform(
      space, y, z, TANDEM_LAMBDA(T v) { return v * v; });
  CHECK(all(space, z, static_cast<float>(T(between)) * static_cast<float>(T(between))));
  tandem::transform(
      space, y, y, TANDEM_LAMBDA(T v) { return v + 3.0f; });
  CHECK(all(space, y, static_cast<float>(T(between)) + 3.0f));
  tandem::transform(
      space, x, tandem::tie(y, z), TANDEM_LAMBDA(float v) { return tandem::make_tuple(2 * v, 7); });
  CHECK(all(space, y, 2 * between));
  CHECK(all(space, z, 7));
}

template <class T, class Space>
void check_fill(const Space& space) {
  auto x = filled<T>(space, n, 0);
  tandem::fill(space, x, between);
  CHECK(all(space, x, between));
  tandem::fill(space, x, 1);
  CHECK(all(space, x, 1));
  tandem::fill(space, x, 0.1);
  CHECK(all(space, x, 0.1f));
}

template <class T, class Space>
void check_operations(const Space& space) {
  const auto sum = TANDEM_LAMBDA(T a, T b) { return a + b; };
  const tandem::reduction total{sum, T(0)};
  constexpr tandem::index_t few = 200;  // of integers that bf16 has
  const auto x = filled<T>(space, few, 1);
  auto y = filled<T>(space, few, 0);
  const auto at = [&](std::size_t i) { return static_cast<float>(to_host(space, y)[i]); };
  tandem::parallel_scan(space, x, y, sum);
  CHECK(at(0) == 1);
  CHECK(at(199) == 200);
  tandem::parallel_scan(space, x, y, total);
  CHECK(at(199) == 200);
  tandem::parallel_scan(space, x, y, sum, tandem::exclusive{0.5f});
  CHECK(at(0) == 0.5f);
  CHECK(at(9) == 9.5f);
  tandem::parallel_scan(space, x, y, tandem::sum{}, tandem::exclusive{3});
  CHECK(at(9) == 12);
  tandem::parallel_scan(space, x, y, tandem::with_initial(total, 0.5f));
  CHECK(at(9) == 10.5f);
  CHECK(static_cast<float>(tandem::parallel_reduce(space, x, total)) == 200);
  CHECK(static_cast<float>(tandem::parallel_reduce(space, x, tandem::with_initial(total, 16.0f))) ==
        216);
  CHECK(static_cast<float>(tandem::parallel_reduce(
            space, few, TANDEM_LAMBDA(int i) { return static_cast<float>(i % 2); }, total)) == 100);
}

}  // namespace

TEST_CASE_TEMPLATE("transform: floats and ints are rounded to half and bf16", Backend,
                   TANDEM_TEST_BACKENDS) {
  check_transform<tandem::half>(Backend::make());
  check_transform<tandem::bf16>(Backend::make());
}

TEST_CASE_TEMPLATE("fill: numbers are rounded to half and bf16", Backend, TANDEM_TEST_BACKENDS) {
  check_fill<tandem::half>(Backend::make());
  check_fill<tandem::bf16>(Backend::make());
}

TEST_CASE_TEMPLATE("scans and reductions: results of an operation are rounded to half and bf16",
                   Backend, TANDEM_TEST_BACKENDS) {
  check_operations<tandem::half>(Backend::make());
  check_operations<tandem::bf16>(Backend::make());
}

TEST_CASE_TEMPLATE("fill: an enumerator is an integer of its type", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  tandem::array<int, 1, typename Backend::space> x(tandem::extents<1>(3), 5, space);
  CHECK_THROWS_AS(tandem::fill(space, x, wide_value), tandem::argument_error);
  CHECK(to_host(space, x) == std::vector<int>(3, 5));
}
