// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers, reversals, differences and predicates on groups give what one space gives, wherever the
// rows are cut.

#include "distributed/support.hpp"
#include "support/out_of_memory.hpp"
#include "support/results.hpp"

using namespace tandem::test;

namespace {

struct is_large {
  TANDEM_FUNCTION bool operator()(float v) const { return v > 0.9f; }
};
struct is_any_number {
  TANDEM_FUNCTION bool operator()(float v) const { return v < 1e9f; }
};
struct falls {
  template <class X>
  TANDEM_FUNCTION bool operator()(tandem::index_t i, const X& x, float by) const {
    return x(i) < by;
  }
};
struct is_diagonal {
  TANDEM_FUNCTION bool operator()(int j, int i) const { return j == i; }
};
struct twice_less {
  TANDEM_FUNCTION float operator()(float later, float earlier) const { return later - 2 * earlier; }
};
struct scaled {
  template <class X>
  TANDEM_FUNCTION float operator()(tandem::index_t i, const X& x) const {
    return 3 * x(i);
  }
};

}  // namespace

TEST_CASE_TEMPLATE("groups: gather from replicated and sharded arrays", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto values = random_values<float>(501, 1);
  const auto at = random_below<int>(3001, 501, 2);
  std::vector<float> wanted(3001);
  tandem::gather(tandem::serial{}, values, at, wanted);
  for_each_cut<Space>(3001, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<float, 1, Space> table({501}, members, tandem::replicated);
    tandem::sharded<float, 1, Space> parts({501}, members);
    tandem::sharded<int, 1, Space> indices({3001}, members, where);
    tandem::sharded<float, 1, Space> out({3001}, members, where, tandem::halo{1});
    tandem::copy(members, values, table);
    tandem::copy(members, values, parts);
    tandem::copy(members, at, indices);
    tandem::gather(members, table, indices, out);
    CHECK(first_difference(tandem::to_vector(members, out), wanted) == -1);
    tandem::fill(members, out, 0.0f);
    tandem::gather(members, parts, indices, out);
    CHECK(first_difference(tandem::to_vector(members, out), wanted) == -1);
  });
}

TEST_CASE_TEMPLATE("groups: reverse and adjacent_difference", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const tandem::serial serial;
  for (const int n : {0, 1, 7, 1001}) {
    const auto count = static_cast<std::size_t>(n);
    const auto values = random_values<float>(count, 1);
    std::vector<float> reversed(count), differences(count), others(count);
    tandem::reverse(serial, values, reversed);
    tandem::adjacent_difference(serial, values, differences);
    tandem::adjacent_difference(serial, values, others, twice_less{});
    for_each_cut<Space>(n, [&](const auto& members, const tandem::cut& where) {
      tandem::sharded<float, 1, Space> x({n}, members, where, tandem::halo{n > 0 ? 1 : 0});
      tandem::sharded<float, 1, Space> y({n}, members, where);
      tandem::sharded<float, 1, Space> even({n}, members);
      tandem::copy(members, values, x);
      tandem::reverse(members, x, even);
      CHECK(first_difference(tandem::to_vector(members, even), reversed) == -1);
      tandem::adjacent_difference(members, x, y);
      CHECK(first_difference(tandem::to_vector(members, y), differences) == -1);
      tandem::adjacent_difference(members, x, y, twice_less{});
      CHECK(first_difference(tandem::to_vector(members, y), others) == -1);
      tandem::reverse(members, x);
      CHECK(first_difference(tandem::to_vector(members, x), reversed) == -1);
    });
  }
}

TEST_CASE_TEMPLATE("groups: predicates of elements and of indices, results for kernels", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto values = random_values<float>(5003, 1);
  const tandem::serial serial;
  const tandem::array<float, 1, tandem::serial> x0(values, serial);
  const auto large = tandem::count_if(serial, values, is_large{});
  const auto below = tandem::count_if(serial, tandem::range(10, 5000), falls{}, x0, 0.25f);
  const float sum = tandem::parallel_reduce(serial, values);
  const float terms = tandem::parallel_reduce(serial, 5003, scaled{}, tandem::sum{}, x0);
  for_each_cut<Space>(5003, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<float, 1, Space> x({5003}, members, where);
    tandem::sharded<float, 1, Space> total({1}, members, tandem::replicated);
    tandem::copy(members, values, x);
    CHECK(tandem::count_if(members, x, is_large{}) == large);
    CHECK(tandem::any_of(members, x, is_large{}) == (large > 0));
    CHECK(tandem::none_of(members, x, is_large{}) == (large == 0));
    CHECK(!tandem::all_of(members, x, is_large{}));
    CHECK(tandem::all_of(members, x, is_any_number{}));
    CHECK(tandem::count_if(members, tandem::range(10, 5000), falls{}, x, 0.25f) == below);
    CHECK(tandem::any_of(members, 5003, falls{}, x, 0.25f));
    CHECK(tandem::none_of(members, 5003, falls{}, x, -1e9f));
    CHECK(!tandem::all_of(members, 5003, falls{}, x, 0.25f));
    CHECK(tandem::count_if(members, tandem::grid{13, 11}, is_diagonal{}) == 11);
    const int last = members.size() - 1;
    const auto found = [&] { return tandem::to_vector(members.member(last), total.part(last))[0]; };
    tandem::parallel_reduce_into(members, x, tandem::sum{}, total);
    CHECK(same_bits(found(), sum));
    tandem::parallel_reduce_into(members, 5003, scaled{}, tandem::sum{}, total, x);
    CHECK(same_bits(found(), terms));
  });
}

TEST_CASE_TEMPLATE("groups: what gathers, reversals and results refuse", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  const auto where = tandem::cut::of({3, 0, 7});
  tandem::sharded<float, 1, Space> x({10}, 1.0f, members, where);
  tandem::sharded<float, 1, Space> y({10}, 1.0f, members, tandem::cut::of({4, 0, 6}));
  tandem::sharded<float, 1, Space> nine({9}, 1.0f, members);
  tandem::sharded<int, 1, Space> at({10}, 1, members, where);
  tandem::sharded<float, 1, Space> copies({10}, 1.0f, members, tandem::replicated);
  tandem::sharded<float, 1, Space> one({1}, 1.0f, members, tandem::cut::of({1, 0, 0}));
  CHECK_THROWS_AS(tandem::gather(members, copies, at, y), tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::gather(members, x, at, copies),
                       "gather: one of indices and out is replicated, the other one is not",
                       tandem::argument_error);
  CHECK_THROWS_AS(tandem::reverse(members, x, nine), tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::reverse(members, copies),
                       "reverse: x and out are sharded, not replicated", tandem::argument_error);
  CHECK_THROWS_AS(tandem::adjacent_difference(members, x, y), tandem::extent_error);
  CHECK_THROWS_AS(tandem::adjacent_difference(members, x, x), tandem::argument_error);
  CHECK_THROWS_AS(tandem::adjacent_difference(members, x, copies), tandem::argument_error);
  CHECK_THROWS_AS(tandem::parallel_reduce_into(members, x, tandem::sum{}, copies),
                  tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(members, x, tandem::sum{}, one),
                       "parallel_reduce_into: out is replicated, not sharded",
                       tandem::argument_error);
  const auto space = Backend::make();
  tandem::sharded<float, 1, Space> z({10}, 1.0f, members, where);
  check_out_of_memory("", space, [&] { tandem::gather(members, x, at, z); });
  check_out_of_memory("", space, [&] { tandem::reverse(members, x, y); });
  check_out_of_memory("", space, [&] { tandem::adjacent_difference(members, x, z); });
  check_out_of_memory("", space, [&] { (void)tandem::count_if(members, x, is_large{}); });
}
