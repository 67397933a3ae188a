// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>

using namespace tandem::test;
using tandem::sort_order;

/// Keys with distributions that defeat a sort that divides them by their highest bits.
namespace {

/// Sorts keys by the public contract: numbers by <, stably.
template <class T>
std::vector<std::uint32_t> sorted_positions(const std::vector<T>& keys, sort_order order) {
  std::vector<std::uint32_t> position(keys.size());
  std::iota(position.begin(), position.end(), 0u);
  std::stable_sort(position.begin(), position.end(), [&](std::uint32_t a, std::uint32_t b) {
    return order == sort_order::ascending ? keys[a] < keys[b] : keys[b] < keys[a];
  });
  return position;
}

template <class T, class Space>
void check_sorts(const Space& space, const std::vector<T>& keys) {
  std::vector<std::uint32_t> values(keys.size());
  std::vector<std::uint64_t> wide(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  std::iota(wide.begin(), wide.end(), std::uint64_t{1} << 40);
  for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
    const std::vector<std::uint32_t> positions = sorted_positions(keys, order);
    std::vector<T> wanted;
    for (const std::uint32_t at : positions) wanted.push_back(keys[at]);
    auto x = to_space(space, keys);
    tandem::sort(space, x.view(), order);
    CHECK(first_difference(to_host(space, x), wanted) == -1);
    auto v = to_space(space, values);
    tandem::copy(space, keys, x);
    tandem::sort_by_key(space, x.view(), v.view(), order);
    CHECK(first_difference(to_host(space, x), wanted) == -1);
    CHECK(first_difference(to_host(space, v), positions) == -1);
    auto w = to_space(space, wide);
    tandem::copy(space, keys, x);
    tandem::sort_by_key(space, x.view(), w.view(), order);
    const auto got = to_host(space, w);
    bool same = true;
    for (std::size_t i = 0; i < got.size(); ++i)
      same &= got[i] == positions[i] + (std::uint64_t{1} << 40);
    CHECK(same);
  }
}

/// Makes n keys with a function of 64 random bits.
template <class T, class Make>
std::vector<T> keys_of(std::size_t n, const Make& make) {
  std::vector<T> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<T>(make(mix(i)));
  return keys;
}

constexpr std::size_t many = 150'001;

}  // namespace

TEST_CASE_TEMPLATE("sort: keys that share their highest bits, but for a few", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto outliers = [](std::uint64_t r) { return r % 30011 == 0 ? r : r >> 50; };
  check_sorts(space, keys_of<std::uint64_t>(many, outliers));
  check_sorts(space, keys_of<std::int64_t>(many, outliers));
  check_sorts(space, keys_of<std::uint32_t>(many, outliers));
  check_sorts(space, keys_of<double>(many, [&](std::uint64_t r) {
                return std::bit_cast<double>(0x3ff0000000000000u | (outliers(r) >> 12));
              }));
}

TEST_CASE_TEMPLATE("sort: keys of many magnitudes, most of them small", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto magnitudes = [](std::uint64_t r) { return mix(r) >> (r % 64); };
  check_sorts(space, keys_of<std::uint64_t>(many, magnitudes));
  check_sorts(space, keys_of<std::uint16_t>(many, magnitudes));
  check_sorts(space, keys_of<double>(many, [](std::uint64_t r) {
                return std::ldexp(static_cast<double>(r >> 11) - 0x1p52, static_cast<int>(r % 900));
              }));
}

TEST_CASE_TEMPLATE("sort: keys of few values, one of them in most places", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_sorts(space, std::vector<std::uint32_t>(many, 7u));
  check_sorts(space, keys_of<std::uint8_t>(many, [](std::uint64_t r) { return r % 2; }));
  check_sorts(space, keys_of<std::uint8_t>(many, [](std::uint64_t r) { return r; }));
  check_sorts(space, keys_of<std::int32_t>(many, [](std::uint64_t r) {
                return r % 8 != 0 ? 5 : static_cast<std::int32_t>(r >> 40);
              }));
  check_sorts(space, keys_of<float>(many, [](std::uint64_t r) { return r % 3; }));
}

TEST_CASE_TEMPLATE("sort: zeros of both signs keep their order among many other keys", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const unsigned others : {1u, 2u, 1000u}) {
    check_sorts(space, keys_of<float>(many, [&](std::uint64_t r) {
                  const float zero = (r & 1) != 0 ? -0.0f : 0.0f;
                  return r % others == 0 ? zero : static_cast<float>(r >> 40) - 0x1p23f;
                }));
    check_sorts(space, keys_of<double>(many, [&](std::uint64_t r) {
                  return r % others == 0 ? ((r & 1) != 0 ? -0.0 : 0.0) : 1.0;
                }));
  }
}

TEST_CASE_TEMPLATE("sort: keys in order, in reverse, and in a sawtooth", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  std::vector<std::int32_t> keys(many);
  std::iota(keys.begin(), keys.end(), -70'000);
  check_sorts(space, keys);
  std::reverse(keys.begin(), keys.end());
  check_sorts(space, keys);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int32_t>(i % 1021);
  check_sorts(space, keys);
}
