// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of operands of the host that pass through a space in chunks have the one stable result,
// whatever the budget.

#include "distributed/support.hpp"
#include "support/files.hpp"
#include "support/out_of_memory.hpp"
#include "support/test_scale.hpp"

using namespace tandem::test;
using tandem::index_t;
using tandem::sort_order;

namespace {

constexpr std::size_t budgets[] = {std::size_t{64} << 10, std::size_t{1} << 20,
                                   std::size_t{8} << 30};

template <class V>
std::vector<V> numbers(std::size_t n) {
  std::vector<V> list(n);
  for (std::size_t i = 0; i < n; ++i) list[i] = static_cast<V>(i);
  return list;
}

/// Sorts in place, by key and out of place.
template <class V, class Space, class T>
void check_sort(const tandem::streamed<Space>& big, const std::vector<T>& keys, sort_order order) {
  INFO("n = " << keys.size() << ", budget " << big.how().budget << ", bytes of a key "
              << sizeof(T));
  const auto values = numbers<V>(keys.size());
  std::vector<T> sorted = keys;
  std::vector<V> moved = values;
  tandem::sort_by_key(tandem::serial{}, sorted, moved, order);
  std::vector<T> x = keys;
  std::vector<V> v = values;
  tandem::sort(big, x, order);
  CHECK(same_bytes(x, sorted));
  x = keys;
  tandem::sort_by_key(big, x, v, order);
  CHECK(same_bytes(x, sorted));
  CHECK(same_bytes(v, moved));
  std::vector<T> x_out(keys.size());
  std::vector<V> v_out(keys.size());
  tandem::sort(big, keys, x_out, order);
  CHECK(same_bytes(x_out, sorted));
  x_out.assign(keys.size(), T{});
  tandem::sort_by_key(big, keys, values, x_out, v_out, order);
  CHECK(same_bytes(x_out, sorted));
  CHECK(same_bytes(v_out, moved));
  x = keys;
  v = values;
  std::vector<T> spare(keys.size());
  tandem::sort_by_key(big, x, v, order, spare, v_out);
  CHECK(same_bytes(x, sorted));
  CHECK(same_bytes(v, moved));
  x = keys;
  tandem::sort(big, x, order, spare);
  CHECK(same_bytes(x, sorted));
}

template <class V, class Space, class T>
void check_budgets(const Space& space, const std::vector<T>& keys) {
  for (const std::size_t budget : budgets) {
    const tandem::streamed big(space, {.budget = budget});
    for (const sort_order order : {sort_order::ascending, sort_order::descending})
      check_sort<V>(big, keys, order);
  }
}

struct wide {
  std::uint32_t number;
  float rest[2];

  wide() = default;
  explicit wide(std::size_t n) : number(static_cast<std::uint32_t>(n)), rest{1, 2} {}
};

}  // namespace

TEST_CASE_TEMPLATE("streamed: sorts with every budget", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : {0u, 1u, 4097u})
    check_budgets<std::uint32_t>(space, random_values<float>(n, n));
  check_budgets<std::uint32_t>(space, random_values<float>(100003, 1));
  if (takes_few()) return;
  check_budgets<std::uint64_t>(space, random_values<std::uint64_t>(100003, 2));
  check_budgets<std::uint16_t>(space, random_values<std::int8_t>(100003, 3));
  check_budgets<wide>(space, random_values<double>(30011, 4));
  check_budgets<float>(space, random_values<std::uint16_t>(30011, 5));
  check_budgets<std::uint32_t>(space, random_below<std::int32_t>(100003, 3, 6));
}

TEST_CASE_TEMPLATE("streamed: sorts of equal, sorted and reversed keys, and of NaN and zeros",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr std::size_t n = 20011;
  for (int kind = 0; kind < hostile_kinds; ++kind) {
    check_budgets<std::uint32_t>(space, hostile_values<float>(n, kind));
    check_budgets<std::uint32_t>(space, hostile_values<double>(n, kind));
  }
  std::vector<std::int64_t> reversed(n);
  for (std::size_t i = 0; i < n; ++i) reversed[i] = -static_cast<std::int64_t>(i);
  check_budgets<std::uint32_t>(space, reversed);
}

TEST_CASE_TEMPLATE("streamed: sorts over the members of a group", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  for (const std::size_t budget : {std::size_t{1} << 18, std::size_t{8} << 30}) {
    const tandem::streamed big(members, {.budget = budget});
    check_sort<std::uint32_t>(big, random_values<float>(100003, 1), sort_order::ascending);
    check_sort<double>(big, random_below<std::uint8_t>(50021, 9, 2), sort_order::descending);
  }
}

TEST_CASE_TEMPLATE("streamed: a sort of a mapped file", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const temporary_folder folder;
  const auto keys = random_values<float>(50021, 1);
  std::vector<float> sorted = keys;
  tandem::sort(tandem::serial{}, sorted);
  const std::string name = folder / "keys.npy";
  tandem::save(space, keys, name);
  {
    tandem::mapped<float> x(name);
    tandem::mapped<float> spare(folder / "spare.npy", {50021}, tandem::new_file);
    tandem::sort(tandem::streamed(space, {.budget = 1 << 17}), x, sort_order::ascending, spare);
  }
  const tandem::mapped<const float> x(name);
  CHECK(same_bytes(tandem::to_vector(space, x), sorted));
}

TEST_CASE_TEMPLATE("streamed: a sort that ends early keeps the elements", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr std::size_t n = 100003;
  const auto keys = random_values<float>(n, 1);
  std::vector<float> sorted = keys;
  tandem::sort(tandem::serial{}, sorted);
  struct enough {};
  std::vector<index_t> done;
  for (const index_t last : {50000, 130000, 199999}) {
    const tandem::streamed stopped(space, {.budget = 1 << 18, .progress = [&](auto rows, auto all) {
                                             CHECK(all == 2 * index_t{n});
                                             done.push_back(rows);
                                             if (rows > last) throw enough();
                                           }});
    std::vector<float> x = keys;
    auto values = numbers<std::uint32_t>(n);
    CHECK_THROWS_AS(tandem::sort_by_key(stopped, x, values), enough);
    CHECK(std::is_sorted(done.begin(), done.end()));
    CHECK(done.back() > last);
    done.clear();
    bool stay_paired = true;
    for (std::size_t i = 0; i < n; ++i) stay_paired &= x[i] == keys[values[i]];
    CHECK(stay_paired);
    if (last == 50000) CHECK(same_bytes(x, keys));
    tandem::sort(tandem::serial{}, x);
    CHECK(same_bytes(x, sorted));
  }
}

TEST_CASE_TEMPLATE("out of memory: streamed sorts keep the elements", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr std::size_t n = 20011;
  const auto keys = random_values<float>(n, 1);
  std::vector<float> sorted = keys;
  tandem::sort(tandem::serial{}, sorted);
  const tandem::streamed big(space, {.budget = 1 << 17});
  std::vector<float> x(n);
  std::vector<std::uint32_t> values(n);
  check_out_of_memory("", space, [&] {
    std::copy(keys.begin(), keys.end(), x.begin());
    tandem::sort(big, x);
  });
  for (int number = 0;; ++number) {
    x = keys;
    values = numbers<std::uint32_t>(n);
    const failed_call call(number, failing::once, [&] { tandem::sort_by_key(big, x, values); });
    bool stay_paired = true;
    for (std::size_t i = 0; i < n; ++i) stay_paired &= x[i] == keys[values[i]];
    REQUIRE(stay_paired);
    tandem::sort(tandem::serial{}, x);
    REQUIRE(same_bytes(x, sorted));
    if (!call.has_failed) break;
  }
}

TEST_CASE_TEMPLATE("streamed: what sorts refuse", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::streamed big(space, {.budget = 1 << 18});
  std::vector<float> x(1000, 1.0f);
  std::vector<float> y(999);
  const auto line = tandem::as_view(x);
  CHECK_THROWS_AS(tandem::sort(big, x, y), tandem::extent_error);
  CHECK_THROWS_AS(tandem::sort_by_key(big, x, y), tandem::extent_error);
  CHECK_THROWS_AS(tandem::sort(big, x, sort_order::ascending, y), tandem::extent_error);
  CHECK_THROWS_AS(tandem::sort(big, x, sort_order::ascending, x), tandem::argument_error);
  CHECK_THROWS_AS(tandem::sort_by_key(big, x, x), tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::sort(big, tandem::subview(line, tandem::slice{0, 999}),
                                    tandem::subview(line, tandem::slice{1, 1000})),
                       "sort: out overlaps keys", tandem::argument_error);
  const tandem::streamed small(space, {.budget = 1000});
  CHECK_THROWS_AS(tandem::sort(small, x), tandem::argument_error);
}
