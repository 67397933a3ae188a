// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections on groups and streams keep the elements that one space keeps, wherever rows are cut.

#include "distributed/support.hpp"
#include "support/out_of_memory.hpp"

using namespace tandem::test;

namespace {

struct is_small {
  template <class T>
  TANDEM_FUNCTION bool operator()(T x) const {
    return x < T{3};
  }
};

/// Whether an element is equal to one of a table.
struct equals_table {
  template <class X, class W>
  TANDEM_FUNCTION bool operator()(tandem::index_t i, const X& x, const W& table) const {
    return x(i) == table(i % 4);
  }
};

struct is_remainder {
  template <class X>
  TANDEM_FUNCTION bool operator()(tandem::index_t i, const X& x) const {
    return x(i) == i % 7;
  }
};

struct is_third {
  TANDEM_FUNCTION bool operator()(tandem::index_t i) const { return i % 3 == 0; }
};

/// Values with runs of equal ones, some of them long.
std::vector<int> runs(tandem::index_t n) {
  std::vector<int> list = random_below<int>(static_cast<std::size_t>(n), 7, 20);
  for (std::size_t i = 1; i < list.size(); ++i)
    if (i % 97 > 40 || i / 5000 == 1) list[i] = list[i - 1];
  return list;
}

constexpr int untouched = -77;

/// What a selection by `select(x, out)` leaves in an out of `room` elements, and its count.
template <class Select>
auto expected(const std::vector<int>& x, tandem::index_t room, const Select& select) {
  std::vector<int> out(static_cast<std::size_t>(room), untouched);
  const tandem::index_t count = select(x, out);
  return std::pair(out, count);
}

/// Compares a selection on groups with serial for all cuts, with outs of another cut that are as
/// long as x and shorter.
template <class Space, class OnOne, class OnGroup>
void check_group(tandem::index_t n, const OnOne& on_one, const OnGroup& on_group) {
  const std::vector<int> values = runs(n);
  for (const tandem::index_t room : {n, n / 5}) {
    const auto wanted = expected(values, room, on_one);
    for_each_cut<Space>(n, [&](const auto& members, const tandem::cut& where) {
      tandem::sharded<int, 1, Space> x({n}, members, where);
      tandem::sharded<int, 1, Space> out({room}, untouched, members,
                                         tandem::halo{room > 0 ? 1 : 0});
      tandem::copy(members, values, x);
      CHECK(on_group(members, x, out) == wanted.second);
      CHECK(first_difference(tandem::to_vector(members, out), wanted.first) == -1);
    });
  }
}

}  // namespace

TEST_CASE_TEMPLATE("groups: copy_if keeps what one space keeps", Backend, TANDEM_TEST_BACKENDS) {
  const auto on_one = [](const auto& x, auto& out) {
    return tandem::copy_if(tandem::serial{}, x, out, is_small{});
  };
  for (const tandem::index_t n : {0, 1, 10007}) {
    check_group<typename Backend::space>(n, on_one, [](const auto& on, const auto& x, auto& out) {
      return tandem::copy_if(on, x, out, is_small{});
    });
  }
}

TEST_CASE_TEMPLATE("groups: unique sees the element before a cut", Backend, TANDEM_TEST_BACKENDS) {
  const auto on_one = [](const auto& x, auto& out) {
    return tandem::unique(tandem::serial{}, x, out);
  };
  for (const tandem::index_t n : {0, 1, 10007}) {
    check_group<typename Backend::space>(n, on_one, [](const auto& on, const auto& x, auto& out) {
      return tandem::unique(on, x, out);
    });
  }
}

TEST_CASE_TEMPLATE("groups: copy_if of indices sees the arguments of its rows", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const std::vector<int> table = {0, 1, 4, 6};
  const auto on_one = [&](const auto& x, auto& out) {
    return tandem::copy_if(tandem::serial{}, tandem::range{3, 10000}, equals_table{}, out, x,
                           table);
  };
  check_group<Space>(10007, on_one, [&](const auto& on, auto& x, auto& out) {
    tandem::sharded<int, 1, Space> everywhere({4}, on, tandem::replicated);
    tandem::copy(on, table, everywhere);
    return tandem::copy_if(on, tandem::range{3, 10000}, equals_table{}, out, x, everywhere);
  });
  const auto members = tandem::shards<Space>(3);
  tandem::sharded<int, 1, Space> thirds({4}, members);
  CHECK(tandem::copy_if(members, tandem::range{-6, 5}, is_third{}, thirds) == 4);
  CHECK(tandem::to_vector(members, thirds) == std::vector<int>{-6, -3, 0, 3});
}

TEST_CASE_TEMPLATE("groups: counts for every member, and what selections refuse", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  const auto others = tandem::shards<Space>(2);
  tandem::sharded<int, 1, Space> x({10}, 1, members, tandem::cut::of({5, 5, 0}));
  tandem::sharded<int, 1, Space> out({10}, 7, members);
  tandem::sharded<int, 1, Space> everywhere({10}, 1, members, tandem::replicated);
  tandem::sharded<int, 1, Space> elsewhere({10}, 1, others);
  tandem::sharded<tandem::index_t, 1, Space> count({1}, members, tandem::replicated);
  tandem::copy_if_into(members, x, out, is_small{}, count);
  for (int p = 0; p < 3; ++p)
    CHECK(to_host(members.member(p), count.part(p)) == std::vector<tandem::index_t>{10});
  tandem::unique_into(members, x, out, count);
  CHECK(tandem::to_vector(members, count) == std::vector<tandem::index_t>{1});
  CHECK_THROWS_WITH_AS(tandem::copy_if(members, x, x, is_small{}), "copy_if: x and out overlap",
                       tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::unique(members, everywhere, out),
                       "unique: x and out are sharded, not replicated", tandem::argument_error);
  CHECK_THROWS_AS(tandem::unique(members, x, elsewhere), tandem::argument_error);
  CHECK_THROWS_AS(tandem::copy_if(members, elsewhere, out, is_small{}), tandem::argument_error);
  CHECK_THROWS_AS(tandem::copy_if(members, 11, equals_table{}, out, x, everywhere),
                  tandem::extent_error);
  tandem::sharded<std::int8_t, 1, Space> bytes({10}, members);
  CHECK_THROWS_AS(tandem::copy_if(members, 1000, is_third{}, bytes), tandem::extent_error);
}

TEST_CASE_TEMPLATE("streamed: selections keep what one space keeps", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const std::vector<int> values = runs(30011);
  const tandem::serial serial;
  const auto check = [&](const auto& big, tandem::index_t room) {
    const auto compare = [&](const auto& select) {
      const auto wanted =
          expected(values, room, [&](const auto& x, auto& out) { return select(serial, x, out); });
      const auto found =
          expected(values, room, [&](const auto& x, auto& out) { return select(big, x, out); });
      CHECK(found.second == wanted.second);
      CHECK(first_difference(found.first, wanted.first) == -1);
    };
    compare([](const auto& on, const auto& x, auto& out) {
      return tandem::copy_if(on, x, out, is_small{});
    });
    compare([](const auto& on, const auto& x, auto& out) { return tandem::unique(on, x, out); });
    compare([](const auto& on, const auto&, auto& out) {
      return tandem::copy_if(on, tandem::range{-9, 20000}, is_third{}, out);
    });
    compare([](const auto& on, const auto& x, auto& out) {
      return tandem::copy_if(on, 30011, is_remainder{}, out, x);
    });
  };
  for (const std::size_t budget :
       {std::size_t{1} << 15, std::size_t{1} << 17, std::size_t{1} << 30}) {
    for (const tandem::index_t room : {30011, 1000, 0}) {
      check(tandem::streamed(Space(), {.budget = budget}), room);
      check(tandem::streamed(tandem::shards<Space>(2), {.budget = 2 * budget}), room);
    }
  }
}

TEST_CASE_TEMPLATE("out of memory: selections on groups and streams", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const std::vector<int> values = runs(20011);
  const auto members = tandem::shards<Space>(3);
  tandem::sharded<int, 1, Space> x({20011}, members, tandem::cut::of({5000, 9, 15002}));
  tandem::sharded<int, 1, Space> out({20011}, untouched, members);
  tandem::copy(members, values, x);
  members.fence();
  check_out_of_memory("", space, [&] { (void)tandem::copy_if(members, x, out, is_small{}); });
  check_out_of_memory("", space, [&] { (void)tandem::unique(members, x, out); });
  const tandem::streamed big(space, {.budget = 1 << 17});
  std::vector<int> y(values.size());
  check_out_of_memory("", space, [&] { (void)tandem::unique(big, values, y); });
}
