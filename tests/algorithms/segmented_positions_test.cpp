// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positions that reductions and scans of segments report count from the beginning of x, however
// the threads share a segment.

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "support/backends.hpp"

using namespace tandem::test;
using tandem::index_t;
using tandem::slice;

TEST_CASE_TEMPLATE(
    "segmented_reduce: positions are indices of x, empty segments have the result of "
    "no terms",
    Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<float>{5, 1, 4, 9, 3, 2});
  auto offsets = to_space(space, std::vector<std::int64_t>{1, 3, 3, 6});
  auto out = to_space(space, std::vector<typename tandem::maxloc<float>::result>(3));
  tandem::segmented_reduce(space, x, offsets, out, tandem::maxloc<float>{});
  const auto got = to_host(space, out);
  CHECK(got[0].index == 2);
  CHECK(got[0].value == 4);
  CHECK(got[2].index == 3);
  const std::vector<float> empty;
  const auto none = tandem::parallel_reduce(tandem::serial{}, empty, tandem::maxloc<float>{});
  CHECK(got[1].index == none.index);
}

TEST_CASE_TEMPLATE("segmented_reduce: positions in a segment that threads share are indices of x",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  std::vector<double> values(120000, 1);
  values[100000] = 0;
  const auto at = to_space(space, std::vector<int>{10, 120000});
  auto line = to_space(space, values);
  const auto every_second = tandem::subview(line.view(), slice{0, 120000, 2});
  const auto half_at = to_space(space, std::vector<int>{10, 60000});
  const auto check = [&](const auto& x, const auto& offsets, const auto& reducer, index_t wanted) {
    using result = typename std::remove_cvref_t<decltype(reducer)>::result;
    auto out = to_space(space, std::vector<result>(1));
    tandem::segmented_reduce(space, x, offsets, out, reducer);
    CHECK(to_host(space, out)[0].index == wanted);
  };
  check(line.view(), at, tandem::minloc<double>{}, 100000);
  check(line.view(), at, tandem::maxloc<double>{}, 10);
  check(line.view(), at, tandem::minloc<float>{}, 100000);
  check(every_second, half_at, tandem::minloc<double>{}, 50000);
  check(every_second, half_at, tandem::maxloc<double>{}, 10);
  auto both = to_space(space, std::vector<typename tandem::minloc<double>::result>(120000));
  tandem::segmented_scan(space, line, at, both, tandem::minloc<double>{});
  const auto prefixes = to_host(space, both);
  CHECK(prefixes[99999].index == 10);
  CHECK(prefixes[119999].index == 100000);
}

TEST_CASE_TEMPLATE("reduce_by_key: positions in a long run are indices of values", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  std::vector<int> by(60000, 2);
  std::fill(by.begin(), by.begin() + 10, 1);
  std::vector<float> values(60000, 1);
  values[50000] = 0;
  const auto keys = to_space(space, by);
  const auto x = to_space(space, values);
  auto keys_out = to_space(space, std::vector<int>(2));
  auto out = to_space(space, std::vector<typename tandem::minloc<float>::result>(2));
  CHECK(tandem::reduce_by_key(space, keys, x, keys_out, out, tandem::minloc<float>{}) == 2);
  const auto got = to_host(space, out);
  CHECK(got[0].index == 0);
  CHECK(got[1].index == 50000);
}
