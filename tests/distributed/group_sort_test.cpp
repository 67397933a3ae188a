// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts over the members of a group have the one stable result, wherever the rows are cut.

#include "distributed/support.hpp"
#include "support/out_of_memory.hpp"
#include "support/test_scale.hpp"

using namespace tandem::test;
using tandem::index_t;
using tandem::sort_order;

namespace {

constexpr sort_order orders[] = {sort_order::ascending, sort_order::descending};

/// Sorts in place, by key and out of place.
template <class Space, class T, class V>
void check_sort(const tandem::group<Space>& members, const tandem::cut& where,
                const std::vector<T>& keys, const std::vector<V>& values, sort_order order) {
  INFO("n = " << keys.size() << ", members " << members.size() << ", cut " << where.text());
  const auto n = static_cast<index_t>(keys.size());
  std::vector<T> sorted = keys;
  std::vector<V> moved = values;
  tandem::sort_by_key(tandem::serial{}, sorted, moved, order);
  tandem::sharded<T, 1, Space> x({n}, members, where);
  tandem::sharded<V, 1, Space> v({n}, members, where);
  tandem::sharded<T, 1, Space> x_out({n}, members, where, tandem::halo{n > 0 ? 1 : 0});
  tandem::sharded<V, 1, Space> v_out({n}, members, where);
  tandem::copy(members, keys, x);
  tandem::copy(members, values, v);
  tandem::sort(members, x, x_out, order);
  CHECK(same_bytes(tandem::to_vector(members, x_out), sorted));
  tandem::sort_by_key(members, x, v, x_out, v_out, order);
  CHECK(same_bytes(tandem::to_vector(members, x_out), sorted));
  CHECK(same_bytes(tandem::to_vector(members, v_out), moved));
  CHECK(same_bytes(tandem::to_vector(members, x), keys));
  CHECK(same_bytes(tandem::to_vector(members, v), values));
  tandem::copy(members, x, x_out);
  tandem::sort(members, x_out, order);
  CHECK(same_bytes(tandem::to_vector(members, x_out), sorted));
  tandem::sort_by_key(members, x, v, order);
  CHECK(same_bytes(tandem::to_vector(members, x), sorted));
  CHECK(same_bytes(tandem::to_vector(members, v), moved));
  CHECK(x.rows() == where);
}

template <class V>
std::vector<V> numbers(std::size_t n) {
  std::vector<V> list(n);
  for (std::size_t i = 0; i < n; ++i) list[i] = static_cast<V>(i);
  return list;
}

/// A value that no word holds.
struct wide {
  std::uint32_t number;
  float rest[4];

  wide() = default;
  explicit wide(std::size_t n) : number(static_cast<std::uint32_t>(n)), rest{1, 2, 3, 4} {}
};

}  // namespace

TEST_CASE_TEMPLATE("groups: sorts of any cut", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto check_all = [](const auto& keys) {
    using T = typename std::remove_cvref_t<decltype(keys)>::value_type;
    const auto n = static_cast<index_t>(keys.size());
    const auto values = numbers<std::uint32_t>(keys.size());
    auto sorted = keys;
    auto moved = values;
    tandem::sort_by_key(tandem::serial{}, sorted, moved);
    for_each_cut<Space>(n, [&](const auto& members, const tandem::cut& where) {
      INFO("n = " << n << ", members " << members.size() << ", cut " << where.text());
      tandem::sharded<T, 1, Space> x({n}, members, where);
      tandem::sharded<std::uint32_t, 1, Space> v({n}, members, where);
      tandem::copy(members, keys, x);
      tandem::copy(members, values, v);
      tandem::sort_by_key(members, x, v);
      CHECK(same_bytes(tandem::to_vector(members, x), sorted));
      CHECK(same_bytes(tandem::to_vector(members, v), moved));
    });
  };
  for (const std::size_t n : {0u, 1u, 17u, 4097u}) check_all(random_values<float>(n, n));
  if (takes_few()) return;
  check_all(random_below<std::uint64_t>(30011, 5000, 2));
}

TEST_CASE_TEMPLATE("groups: sorts of every type of key, and of values of any size", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  constexpr std::size_t n = 2003;
  for (const int parts : {3, 5}) {
    const auto members = tandem::shards<Space>(parts);
    const auto where = hostile_cuts(n, parts).back();
    const auto check_type = [&]<class T, class V>(T, V) {
      for (const sort_order order : orders)
        check_sort(members, where, random_values<T>(n, sizeof(V)), numbers<V>(n), order);
    };
    check_type(std::int8_t{}, std::uint8_t{});
    check_type(std::int16_t{}, double{});
    check_type(std::uint16_t{}, std::uint16_t{});
    check_type(std::int32_t{}, wide{});
    check_type(std::uint64_t{}, std::uint32_t{});
    check_type(double{}, float{});
  }
}

TEST_CASE_TEMPLATE("groups: sorts of equal, sorted and reversed keys, and of NaN and zeros",
                   Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  constexpr std::size_t n = 4099;
  const auto check_all = [](const auto& keys) {
    const auto values = numbers<std::uint32_t>(keys.size());
    for (const int parts : {2, 5}) {
      const auto members = tandem::shards<Space>(parts);
      for (const tandem::cut& where : hostile_cuts(n, parts))
        for (const sort_order order : orders) check_sort(members, where, keys, values, order);
    }
  };
  for (int kind = 0; kind < hostile_kinds; ++kind) check_all(hostile_values<float>(n, kind));
  check_all(hostile_values<double>(n, 4));
  std::vector<float> nans = hostile_values<float>(n, 3);
  std::vector<std::int32_t> reversed(n);
  for (std::size_t i = 0; i < n; ++i) {
    reversed[i] = -static_cast<std::int32_t>(i);
    if (i % 3 == 0) nans[i] = i % 2 == 0 ? std::nanf("1") : -std::nanf("2");
  }
  check_all(nans);
  check_all(reversed);
}

TEST_CASE_TEMPLATE("groups: shuffles and permutations are those of one space", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  constexpr index_t n = 1003;
  std::vector<std::int32_t> permutation(n);
  tandem::random_permutation(tandem::serial{}, permutation, 7);
  std::vector<wide> shuffled = numbers<wide>(n);
  tandem::shuffle(tandem::serial{}, shuffled, 8);
  for_each_cut<Space>(n, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<std::int32_t, 1, Space> x({n}, members, where);
    tandem::random_permutation(members, x, 7);
    CHECK(same_bytes(tandem::to_vector(members, x), permutation));
    tandem::sharded<wide, 1, Space> y({n}, members, where);
    tandem::copy(members, numbers<wide>(n), y);
    tandem::shuffle(members, y, 8);
    CHECK(same_bytes(tandem::to_vector(members, y), shuffled));
  });
  const auto members = tandem::shards<Space>(2);
  tandem::sharded<std::int8_t, 1, Space> narrow({200}, members);
  CHECK_THROWS_AS(tandem::random_permutation(members, narrow, 1), tandem::extent_error);
}

TEST_CASE_TEMPLATE("groups: what sorts refuse", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  const auto two = tandem::shards<Space>(2);
  tandem::sharded<float, 1, Space> x({10}, 1.0f, members, tandem::cut::of({5, 5, 0}));
  tandem::sharded<float, 1, Space> y({10}, 1.0f, members, tandem::cut::of({5, 4, 1}));
  tandem::sharded<float, 1, Space> z({9}, 1.0f, members);
  tandem::sharded<float, 1, Space> everywhere({10}, 1.0f, members, tandem::replicated);
  CHECK_THROWS_AS(tandem::sort(members, x, y), tandem::extent_error);
  CHECK_THROWS_AS(tandem::sort_by_key(members, x, z), tandem::extent_error);
  CHECK_THROWS_AS(tandem::sort(two, x), tandem::argument_error);
  CHECK_THROWS_AS(tandem::shuffle(two, x, 1), tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::sort(members, everywhere),
                       "sort: operands are sharded, not replicated", tandem::argument_error);
}

TEST_CASE_TEMPLATE("out of memory: sorts on groups leave the elements as they were", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  constexpr std::size_t n = 20011;
  const auto keys = random_values<float>(n, 1);
  const auto values = numbers<std::uint32_t>(n);
  for (const int parts : {3, 5}) {
    const auto members = tandem::shards<Space>(parts);
    tandem::sharded<float, 1, Space> x({n}, members);
    tandem::sharded<std::uint32_t, 1, Space> v({n}, members);
    std::vector<float> sorted = keys;
    std::vector<std::uint32_t> moved = values;
    tandem::sort_by_key(tandem::serial{}, sorted, moved);
    check_out_of_memory("", space, [&] { tandem::sort(members, x); });
    for (const failing how : {failing::from_then_on, failing::once}) {
      bool has_failed = true;
      for (int number = 0; has_failed; ++number) {
        tandem::copy(members, keys, x);
        tandem::copy(members, values, v);
        const failed_call call(number, how, [&] { tandem::sort_by_key(members, x, v); });
        has_failed = call.has_failed;
        REQUIRE(same_bytes(tandem::to_vector(members, x), call.threw ? keys : sorted));
        REQUIRE(same_bytes(tandem::to_vector(members, v), call.threw ? values : moved));
      }
    }
  }
}
