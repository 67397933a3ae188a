// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans over the members of a group have the bits of one space, wherever the rows are cut.

#include "distributed/support.hpp"
#include "support/non_commutative.hpp"

using namespace tandem::test;

namespace {

template <class Space, class T, class Operation, class... From>
void check_scan(const std::vector<T>& values, const Operation& operation, const From&... from) {
  const auto n = static_cast<tandem::index_t>(values.size());
  std::vector<T> wanted(values.size());
  tandem::parallel_scan(tandem::serial{}, values, wanted, operation, from...);
  for_each_cut<Space>(n, [&](const auto& members, const tandem::cut& where) {
    tandem::sharded<T, 1, Space> x({n}, members, where);
    tandem::sharded<T, 1, Space> y({n}, members, where, tandem::halo{n > 0 ? 1 : 0});
    tandem::copy(members, values, x);
    tandem::parallel_scan(members, x, y, operation, from...);
    CHECK(first_difference(tandem::to_vector(members, y), wanted) == -1);
    tandem::parallel_scan(members, x, x, operation, from...);
    CHECK(first_difference(tandem::to_vector(members, x), wanted) == -1);
  });
}

}  // namespace

TEST_CASE_TEMPLATE("groups: scans of sums, extremes and others, inclusive and exclusive", Backend,
                   TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  check_scan<Space>(random_values<float>(300007, 1), tandem::sum{});
  for (const int n : {0, 1, 16, 4096, 4097}) {
    const auto count = static_cast<std::size_t>(n);
    check_scan<Space>(random_values<double>(count, 2), tandem::sum{}, tandem::exclusive{0.5});
  }
  check_scan<Space>(random_values<int>(20011, 3), tandem::sum{}, tandem::exclusive{7});
  check_scan<Space>(random_values<float>(20011, 4), tandem::maximum{});
  check_scan<Space>(random_values<float>(20011, 5), tandem::with_initial(tandem::sum{}, 3.0f));
}

TEST_CASE_TEMPLATE("groups: what scans refuse", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto members = tandem::shards<Space>(3);
  tandem::sharded<float, 1, Space> x({10}, 1.0f, members, tandem::cut::of({5, 5, 0}));
  tandem::sharded<float, 1, Space> y({10}, 1.0f, members, tandem::cut::of({5, 4, 1}));
  tandem::sharded<float, 1, Space> z({9}, 1.0f, members);
  tandem::sharded<float, 1, Space> everywhere({10}, 1.0f, members, tandem::replicated);
  CHECK_THROWS_AS(tandem::parallel_scan(members, x, y), tandem::extent_error);
  CHECK_THROWS_AS(tandem::parallel_scan(members, x, z), tandem::extent_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_scan(members, everywhere, everywhere),
                       "parallel_scan: x and y are sharded, not replicated",
                       tandem::argument_error);
}
