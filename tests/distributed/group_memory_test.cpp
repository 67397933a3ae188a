// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory runs out at each allocation of operations on groups and streams.

#include "distributed/support.hpp"
#include "support/out_of_memory.hpp"

using namespace tandem::test;

namespace {

struct doubled {
  template <class X, class Y>
  TANDEM_FUNCTION void operator()(tandem::index_t i, const X& x, const Y& y) const {
    y(i) = 2 * x(i);
  }
};

}  // namespace

TEST_CASE_TEMPLATE("out of memory: operations on groups", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const auto values = random_values<float>(20011, 1);
  const auto members = tandem::shards<Space>(3);
  const auto odd = tandem::cut::of({5000, 9, 15002});
  tandem::sharded<float, 1, Space> x({20011}, members, odd);
  tandem::sharded<float, 1, Space> y({20011}, 0.0f, members, odd, tandem::halo{1});
  tandem::sharded<float, 1, Space> even({20011}, members);
  tandem::sharded<float, 1, Space> everywhere({20011}, members, tandem::replicated);
  tandem::copy(members, values, x);
  members.fence();
  check_out_of_memory("", space, [&] { tandem::sharded<float, 1, Space> z({20011}, members); });
  check_out_of_memory("", space, [&] { (void)tandem::parallel_reduce(members, x); });
  check_out_of_memory("", space, [&] { tandem::copy(members, x, even); });
  check_out_of_memory("", space, [&] { tandem::copy(members, x, everywhere); });
  check_out_of_memory("", space, [&] { tandem::exchange(members, y); });
  check_out_of_memory("", space, [&] { tandem::parallel_scan(members, x, y); });
  check_out_of_memory("", space, [&] { (void)tandem::to_vector(members, x); });
  std::vector<int> counts(10);
  check_out_of_memory("", space,
                      [&] { tandem::histogram(members, x, {.lo = -1, .hi = 1}, counts); });
  CHECK(first_difference(tandem::to_vector(members, x), values) == -1);
}

TEST_CASE_TEMPLATE("out of memory: streamed operations", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_values<float>(20011, 1);
  const tandem::streamed big(space, {.budget = 1 << 17});
  check_out_of_memory("", space, [&] { (void)tandem::parallel_reduce(big, values); });
  std::vector<float> y(values.size());
  check_out_of_memory("", space,
                      [&] { tandem::parallel_for(big, 20011, doubled{}, values, tandem::out(y)); });
  std::vector<int> counts(10);
  check_out_of_memory("", space,
                      [&] { tandem::histogram(big, values, {.lo = -1, .hi = 1}, counts); });
}
