// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/test_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>

using namespace tandem::test;
using tandem::sort_order;

namespace {

/// Whether key a comes before key b in ascending order, as sort() documents it, without
/// core/contract/sort_key.hpp.
template <class T>
bool stands_before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) && std::isnan(b)) {
      if (std::signbit(a) != std::signbit(b)) return std::signbit(b);
      tandem::detail::key_word<sizeof(T)> x, y;
      std::memcpy(&x, &a, sizeof(T));
      std::memcpy(&y, &b, sizeof(T));
      return std::signbit(a) ? y < x : x < y;
    }
    if (std::isnan(a) || std::isnan(b)) return std::isnan(b) && !std::isnan(a);
  }
  return a < b;
}

/// Returns the original positions of the sorted keys.
template <class T>
std::vector<int> sorted_positions(const std::vector<T>& keys, sort_order order) {
  std::vector<int> position(keys.size());
  std::iota(position.begin(), position.end(), 0);
  const bool up = order == sort_order::ascending;
  std::stable_sort(position.begin(), position.end(), [&](int a, int b) {
    const T x = keys[static_cast<std::size_t>(a)];
    const T y = keys[static_cast<std::size_t>(b)];
    return up ? stands_before(x, y) : stands_before(y, x);
  });
  return position;
}

template <class T>
std::vector<T> taken_from(const std::vector<T>& values, const std::vector<int>& positions) {
  std::vector<T> taken;
  for (const int position : positions) taken.push_back(values[static_cast<std::size_t>(position)]);
  return taken;
}

/// Sorts keys in place and out of place, in both orders.
template <class T, class Space>
void check_keys(const Space& space, const std::vector<T>& keys) {
  for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
    const bool up = order == sort_order::ascending;
    INFO("n = " << keys.size() << ", " << (up ? "ascending" : "descending") << ", bytes of a key "
                << sizeof(T));
    const std::vector<T> wanted = taken_from(keys, sorted_positions(keys, order));
    auto x = to_space(space, keys);
    auto out = to_space(space, keys);
    tandem::sort(space, x.const_view(), out.view(), order);
    CHECK(same_bytes(to_host(space, out), wanted));
    CHECK(same_bytes(to_host(space, x), keys));
    tandem::sort(space, x.view(), order);
    CHECK(same_bytes(to_host(space, x), wanted));
  }
}

/// A value of Bytes bytes that holds its number, as far as there is room.
template <std::size_t Bytes>
struct numbered {
  unsigned char byte[Bytes];

  explicit numbered(int number = 0) : byte() {
    for (std::size_t i = 0; i < Bytes; ++i)
      byte[i] = static_cast<unsigned char>((number >> (8 * (i % 4))) + static_cast<int>(i / 4));
  }
};

template <class T, class V, class Space>
void check_pairs(const Space& space, const std::vector<T>& keys, sort_order order) {
  INFO("n = " << keys.size() << ", bytes of a key " << sizeof(T) << ", of a value " << sizeof(V));
  const std::vector<int> positions = sorted_positions(keys, order);
  std::vector<V> values;
  for (std::size_t i = 0; i < keys.size(); ++i) values.push_back(V(static_cast<int>(i)));
  const std::vector<T> wanted_keys = taken_from(keys, positions);
  const std::vector<V> wanted_values = taken_from(values, positions);
  auto x = to_space(space, keys);
  auto v = to_space(space, values);
  auto x_out = to_space(space, keys);
  auto v_out = to_space(space, values);
  tandem::sort_by_key(space, x.const_view(), v.const_view(), x_out.view(), v_out.view(), order);
  CHECK(same_bytes(to_host(space, x_out), wanted_keys));
  CHECK(same_bytes(to_host(space, v_out), wanted_values));
  CHECK(same_bytes(to_host(space, v), values));
  tandem::copy(space, x, x_out);
  tandem::sort_by_key(space, x_out.view(), v.const_view(), x_out.view(), v_out.view(), order);
  CHECK(same_bytes(to_host(space, v_out), wanted_values));
  tandem::sort_by_key(space, x.view(), v.view(), order);
  CHECK(same_bytes(to_host(space, x), wanted_keys));
  CHECK(same_bytes(to_host(space, v), wanted_values));
}

}  // namespace

TEST_CASE_TEMPLATE("sort: keys of every type, in both orders, at every size", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    // A tool takes seconds for each new kernel, so it gets few types.
    if (takes_few() && (n > 5000 || n % 16 != 1)) continue;
    check_keys(space, random_values<std::int32_t>(n, n));
    check_keys(space, random_values<float>(n, n));
    if (n > 5000 || takes_few()) continue;
    check_keys(space, random_values<std::int8_t>(n, n));
    check_keys(space, random_values<std::uint8_t>(n, n));
    check_keys(space, random_values<std::int16_t>(n, n));
    check_keys(space, random_values<std::uint16_t>(n, n));
    check_keys(space, random_values<std::uint32_t>(n, n));
    check_keys(space, random_values<std::int64_t>(n, n));
    check_keys(space, random_values<std::uint64_t>(n, n));
    check_keys(space, random_values<double>(n, n));
  }
  if (takes_few()) return;
  check_keys(space, random_values<std::uint16_t>(100003, 1));
  check_keys(space, random_values<std::uint8_t>(100003, 2));
  check_keys(space, random_values<double>(100003, 3));
  check_keys(space, random_values<float>(large_size, 4));
  check_keys(space, random_values<std::uint64_t>(large_size, 5));
}

TEST_CASE_TEMPLATE("sort: zeros are equal and NaNs of either sign last, to the bit", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (int kind = 0; kind < hostile_kinds; ++kind) {
    INFO("kind = " << kind);
    if (takes_few() && kind > 1) continue;
    check_keys(space, hostile_values<float>(30011, kind));
    check_keys(space, hostile_values<double>(9001, kind));
  }
  std::vector<float> keys = random_values<float>(20011, 1);
  for (std::size_t i = 0; i < keys.size(); i += 3) {
    const std::uint32_t special[] = {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xff812345u,
                                     0u,          0x80000000u, 0x7f800000u, 0xff800000u,
                                     1u,          0x80000001u};
    std::memcpy(&keys[i], &special[mix(i) % 10], sizeof(float));
  }
  check_keys(space, keys);
  check_pairs<float, std::int32_t>(space, keys, sort_order::ascending);
  check_pairs<float, std::int32_t>(space, keys, sort_order::descending);
}

TEST_CASE_TEMPLATE("sort_by_key: values of any size follow their keys, equal keys keep their order",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : {0u, 1u, 33u, 4097u, 70001u}) {
    if (takes_few() && n != 4097) continue;
    const auto keys = random_below<std::int32_t>(n, 100, n);
    for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
      check_pairs<std::int32_t, numbered<1>>(space, keys, order);
      if (takes_few()) continue;
      check_pairs<std::int32_t, numbered<2>>(space, keys, order);
      check_pairs<std::int32_t, std::int32_t>(space, keys, order);
      check_pairs<std::int32_t, std::int64_t>(space, keys, order);
      check_pairs<std::int32_t, numbered<12>>(space, keys, order);
      check_pairs<std::int32_t, numbered<16>>(space, keys, order);
      check_pairs<std::int32_t, numbered<40>>(space, keys, order);
    }
  }
}

TEST_CASE_TEMPLATE("sort_by_key: keys of every type", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
    check_pairs<std::int8_t, std::int32_t>(space, random_values<std::int8_t>(9001, 1), order);
    if (takes_few()) continue;
    check_pairs<std::uint8_t, std::int64_t>(space, random_values<std::uint8_t>(9001, 2), order);
    check_pairs<std::int16_t, std::int64_t>(space, random_values<std::int16_t>(9001, 3), order);
    check_pairs<std::uint16_t, numbered<3>>(space, random_values<std::uint16_t>(9001, 4), order);
    check_pairs<std::uint32_t, std::int32_t>(space, random_below<std::uint32_t>(9001, 300, 5),
                                             order);
    check_pairs<std::int64_t, std::int64_t>(space, random_values<std::int64_t>(9001, 6), order);
    check_pairs<std::uint64_t, std::int32_t>(space, random_values<std::uint64_t>(9001, 7), order);
    check_pairs<double, std::int64_t>(space, hostile_values<double>(9001, 4), order);
    check_pairs<double, std::int32_t>(space, hostile_values<double>(9001, 3), order);
  }
}

TEST_CASE_TEMPLATE("sort: views of a part, and of a single element with a stride", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto values = random_values<std::int32_t>(10007, 1);
  auto x = to_space(space, values);
  tandem::sort(space, tandem::subview(x.view(), tandem::slice{3, 9001}));
  std::sort(values.begin() + 3, values.begin() + 9001);
  CHECK(same_bytes(to_host(space, x), values));
  tandem::sort(space, tandem::subview(x.view(), tandem::slice{0, 2, 2}));
  CHECK(same_bytes(to_host(space, x), values));
}

TEST_CASE_TEMPLATE("sort: what it refuses, and that nothing is written then", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const std::vector<int> values{8, 7, 6, 5, 4, 3, 2, 1};
  auto x = to_space(space, values);
  auto y = to_space(space, std::vector<int>{9, 9, 9});
  const auto head = tandem::subview(x.view(), tandem::slice{0, 6});
  const auto tail = tandem::subview(x.view(), tandem::slice{2, 8});
  const auto gaps = tandem::subview(x.view(), tandem::slice{0, 8, 2});
  CHECK_THROWS_AS(tandem::sort(space, x.const_view(), y.view()), tandem::extent_error);
  CHECK_THROWS_AS(tandem::sort(space, head, tail), tandem::argument_error);
  CHECK_THROWS_AS(tandem::sort(space, gaps), tandem::argument_error);
  CHECK_THROWS_AS(tandem::sort_by_key(space, x.view(), y.view()), tandem::extent_error);
  CHECK_THROWS_AS(tandem::sort_by_key(space, head, tail), tandem::argument_error);
  CHECK_THROWS_AS(tandem::sort_by_key(space, x.view(), x.view()), tandem::argument_error);
  CHECK(same_bytes(to_host(space, x), values));
}
