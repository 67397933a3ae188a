// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms and products on groups have the bits of one space, wherever the rows are cut.

#include "distributed/support.hpp"
#include "support/out_of_memory.hpp"

using namespace tandem::test;

TEST_CASE_TEMPLATE("groups: histograms of floats and integers", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const tandem::serial serial;
  const auto values = hostile_values<float>(30011, 4);
  const auto keys = random_below<int>(30011, 300, 5);
  std::vector<int> wanted(100);
  std::vector<std::int64_t> wanted_keys(256);
  std::vector<int> wanted_first(17);
  tandem::histogram(serial, values, {.lo = -1, .hi = 3}, wanted);
  tandem::histogram(serial, keys, wanted_keys);
  tandem::histogram(serial, keys, tandem::integer_bins{100}, wanted_first);
  for_each_cut<Space>(30011, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<float, 1, Space> x({30011}, members, where, tandem::halo{1});
    tandem::sharded<int, 1, Space> k({30011}, members, where);
    tandem::sharded<int, 1, Space> everywhere({30011}, members, tandem::replicated);
    tandem::sharded<std::int64_t, 1, Space> counts({256}, members, tandem::replicated);
    tandem::copy(members, values, x);
    tandem::copy(members, keys, k);
    tandem::copy(members, keys, everywhere);
    std::vector<int> found(100);
    tandem::histogram(members, x, {.lo = -1, .hi = 3}, found);
    CHECK(found == wanted);
    tandem::histogram(members, k, counts);
    CHECK(tandem::to_vector(members, counts) == wanted_keys);
    std::vector<int> first(17);
    tandem::histogram(members, everywhere, tandem::integer_bins{100}, first);
    CHECK(first == wanted_first);
  });
}

TEST_CASE_TEMPLATE("groups: products whose rows are cut", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const auto as = random_values<float>(65 * 1100, 1);
  const auto bs = random_values<float>(1100 * 33, 2);
  tandem::array<float, 2, Space> a0({65, 1100}, space);
  tandem::array<float, 2, Space> b0({1100, 33}, space);
  tandem::array<float, 2, Space> c0({65, 33}, 1.0f, space);
  tandem::copy(space, as, a0);
  tandem::copy(space, bs, b0);
  tandem::matmul(space, a0, b0, c0, {.alpha = 2.0f, .beta = 0.5f});
  const auto wanted = tandem::to_vector(space, c0);
  for_each_cut<Space>(65, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<float, 2, Space> a({65, 1100}, members, where);
    tandem::sharded<float, 2, Space> b({1100, 33}, members);
    tandem::sharded<float, 2, Space> all_of_b({1100, 33}, members, tandem::replicated);
    tandem::sharded<float, 2, Space> c({65, 33}, 1.0f, members, where);
    tandem::copy(members, as, a);
    tandem::copy(members, bs, b);
    tandem::copy(members, b, all_of_b);
    tandem::matmul(members, a, b, c, {.alpha = 2.0f, .beta = 0.5f});
    CHECK(first_difference(tandem::to_vector(members, c), wanted) == -1);
    tandem::fill(members, c, 1.0f);
    tandem::matmul(members, a, all_of_b, c, {.alpha = 2.0f, .beta = 0.5f});
    CHECK(first_difference(tandem::to_vector(members, c), wanted) == -1);
  });
}

TEST_CASE_TEMPLATE("groups: products of many columns, which arrive in pieces", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  constexpr tandem::index_t n = 4097;
  const auto as = random_values<float>(11 * 13, 1);
  const auto bs = random_values<float>(13 * n, 2);
  tandem::array<float, 2, Space> a0({11, 13}, space);
  tandem::array<float, 2, Space> b0({13, n}, space);
  tandem::array<float, 2, Space> c0({11, n}, 1.0f, space);
  tandem::copy(space, as, a0);
  tandem::copy(space, bs, b0);
  tandem::matmul(space, a0, b0, c0, {.alpha = 2.0f, .beta = 0.5f});
  const auto wanted = tandem::to_vector(space, c0);
  for_each_cut<Space>(11, [&](const auto& members, const tandem::cut& where) {
    for (const tandem::cut& of_b : hostile_cuts(13, members.size())) {
      tandem::sharded<float, 2, Space> a({11, 13}, members, where);
      tandem::sharded<float, 2, Space> b({13, n}, members, of_b, tandem::halo{1});
      tandem::sharded<float, 2, Space> c({11, n}, 1.0f, members, where);
      tandem::copy(members, as, a);
      tandem::copy(members, bs, b);
      tandem::matmul(members, a, b, c, {.alpha = 2.0f, .beta = 0.5f});
      // In the order of the members' streams, so b may change and c be read at once.
      tandem::fill(members, b, 0.0f);
      CHECK(first_difference(tandem::to_vector(members, c), wanted) == -1);
    }
  });
}

TEST_CASE_TEMPLATE("groups: what products and histograms refuse", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  tandem::sharded<float, 2, Space> a({6, 4}, 1.0f, members, tandem::cut::of({2, 2, 2}));
  tandem::sharded<float, 2, Space> b({5, 7}, 1.0f, members);
  tandem::sharded<float, 2, Space> c({6, 7}, 1.0f, members, tandem::cut::of({2, 2, 2}));
  CHECK_THROWS_WITH_AS(tandem::matmul(members, a, b, c),
                       "matmul: columns of a (4) != rows of b (5)", tandem::extent_error);
  tandem::sharded<float, 2, Space> d({6, 7}, 1.0f, members, tandem::cut::of({2, 3, 1}));
  tandem::sharded<float, 2, Space> e({4, 7}, 1.0f, members);
  CHECK_THROWS_AS(tandem::matmul(members, a, e, d), tandem::extent_error);
  tandem::sharded<int, 1, Space> counts({7}, members);
  CHECK_THROWS_AS(tandem::histogram(members, a, {.lo = 0, .hi = 1}, counts),
                  tandem::argument_error);
}

TEST_CASE_TEMPLATE("out of memory: a product whose b is gathered", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const auto members = tandem::shards<Space>(3);
  tandem::sharded<float, 2, Space> a({9, 5}, 1.0f, members);
  tandem::sharded<float, 2, Space> b({5, 2048}, 2.0f, members);
  tandem::sharded<float, 2, Space> c({9, 2048}, 0.0f, members);
  check_out_of_memory("", space, [&] { tandem::matmul(members, a, b, c); });
  CHECK(tandem::to_vector(members, c) == std::vector<float>(9 * 2048, 10.0f));
}
