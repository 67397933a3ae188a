// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/test_scale.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

using namespace tandem::test;
using tandem::index_t;

namespace {

/// Whether all bytes are equal, NaN payloads included.
template <class T>
bool same_bytes(const T* a, const T* b, std::size_t count) {
  return std::memcmp(a, b, count * sizeof(T)) == 0;
}

/// Checks the first rank, every `step`-th one behind it and the last: their elements have the bits
/// that serial's sort leaves there.
template <class T, class Space, class X>
void check_ranks(const Space& space, const X& x, const std::vector<T>& values, index_t step = 1) {
  std::vector<T> sorted = values;
  tandem::sort(tandem::serial{}, sorted);
  const auto last = static_cast<index_t>(values.size()) - 1;
  INFO("n = " << last + 1 << ", bytes of an element " << sizeof(T));
  for (index_t k = 0; k <= last; k = k == last ? last + 1 : std::min(k + step, last)) {
    CAPTURE(k);
    const T value = tandem::nth_element(space, x, k);
    CHECK(same_bytes(&value, &sorted[static_cast<std::size_t>(k)], 1));
  }
}

/// Also checks that x keeps its bytes.
template <class T, class Space>
void check_values(const Space& space, const std::vector<T>& values, index_t step = 1) {
  const auto x = to_space(space, values);
  check_ranks(space, x.const_view(), values, step);
  const auto left = to_host(space, x);
  CHECK(same_bytes(left.data(), values.data(), values.size()));
}

template <class T>
std::vector<T> sorted_values(std::size_t n, bool up) {
  std::vector<T> values = random_values<T>(n, 7);
  std::sort(values.begin(), values.end());
  if (!up) std::reverse(values.begin(), values.end());
  return values;
}

template <class T, class Space>
void check_every_rank(const Space& space) {
  for (const std::size_t n : {1u, 2u, 3u, 33u, 100u}) {
    check_values(space, random_values<T>(n, n));
    check_values(space, random_below<T>(n, 4, n));
    check_values(space, std::vector<T>(n, T(5)));
    check_values(space, sorted_values<T>(n, true));
    check_values(space, sorted_values<T>(n, false));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("nth_element: each rank of few elements, as sort has it", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_every_rank<float>(space);
  check_every_rank<std::int32_t>(space);
}

TEST_CASE_TEMPLATE("nth_element: some ranks at every size", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    if (n == 0 || (takes_few() && n > 5000)) continue;
    const auto step = static_cast<index_t>(n / 3 + 1);
    check_values(space, random_values<float>(n, n), step);
    check_values(space, random_values<std::int32_t>(n, n), step);
    check_values(space, random_below<std::int32_t>(n, 100, n), step);
  }
  if (takes_few()) return;
  check_values(space, random_values<float>(large_size, 1), large_size / 2);
  check_values(space, random_below<std::int32_t>(large_size, 3, 2), large_size / 2);
  check_values(space, std::vector<float>(large_size, 2.5f), large_size / 2);
}

TEST_CASE_TEMPLATE("nth_element: elements of every other type", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_values(space, random_values<std::int8_t>(1025, 1), 100);
  check_values(space, random_values<std::uint16_t>(1025, 2), 100);
  check_values(space, random_values<std::uint32_t>(1025, 3), 100);
  check_values(space, random_values<std::int64_t>(1025, 4), 100);
  check_values(space, random_below<std::uint64_t>(1025, 9, 5), 100);
  check_values(space, hostile_values<double>(1025, 4), 100);
}

TEST_CASE_TEMPLATE("nth_element: zeros keep their order and NaNs are last, to the bit", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (int kind = 0; kind < hostile_kinds; ++kind) {
    INFO("kind = " << kind);
    check_values(space, hostile_values<float>(700, kind), takes_few() ? 99 : 7);
  }
  std::vector<float> values(300);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t special[] = {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xff812345u,
                                     0u,          0x80000000u, 0x7f800000u, 0xff800000u,
                                     1u,          0x80000001u};
    std::memcpy(&values[i], &special[mix(i) % 10], sizeof(float));
  }
  check_values(space, values, takes_few() ? 50 : 1);
}

TEST_CASE_TEMPLATE("nth_element: views with strides, forward and backward", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<std::int32_t>(3001, 1);
  const auto x = to_space(space, values);
  std::vector<std::int32_t> thirds;
  for (std::size_t i = 1; i < values.size(); i += 3) thirds.push_back(values[i]);
  check_ranks(space, tandem::subview(x.const_view(), tandem::slice{1, 3001, 3}), thirds, 300);
  const std::vector<std::int32_t> reversed(values.rbegin(), values.rend());
  check_ranks(space, tandem::subview(x.const_view(), tandem::slice{0, 3001, -1}), reversed, 900);
}

TEST_CASE_TEMPLATE("nth_element: ranks that do not exist are refused", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto x = to_space(space, std::vector<float>{3, 1, 2});
  const auto none = tandem::subview(x.const_view(), tandem::slice{0, 0});
  CHECK_THROWS_WITH_AS(tandem::nth_element(space, x, -1), "nth_element: k (-1) < first rank (0)",
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::nth_element(space, x, 3), "nth_element: k (3) >= extent of x (3)",
                       tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::nth_element(space, none, 0), "nth_element: k (0) >= extent of x (0)",
                       tandem::extent_error);
}

TEST_CASE("nth_element: the default space") {
  tandem::array<int> x(4);
  tandem::copy(std::vector<int>{4, 1, 3, 2}, x);
  CHECK(tandem::nth_element(x, 1) == 2);
}
