// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

using namespace tandem::test;

namespace {

template <class T, class Space>
void check_runs(const Space& space, const std::vector<T>& values) {
  INFO("n = " << values.size());
  std::vector<T> wanted;
  std::unique_copy(values.begin(), values.end(), std::back_inserter(wanted));
  auto x = to_space(space, values);
  auto out = to_space(space, std::vector<T>(values.size(), T{}));
  const tandem::index_t count = tandem::unique(space, x.const_view(), out.view());
  CHECK(count == static_cast<tandem::index_t>(wanted.size()));
  wanted.resize(values.size(), T{});
  CHECK(first_difference(to_host(space, out), wanted) == -1);
}

/// Returns values in runs of `mean` elements on average.
template <class T>
std::vector<T> runs(std::size_t count, std::uint64_t mean, std::uint64_t seed) {
  std::vector<T> values(count);
  T now = random_value<T>(seed, 0);
  for (std::size_t i = 0; i < count; ++i) {
    if (mix(mix(seed + 1) ^ i) % mean == 0) now = random_value<T>(seed, i);
    values[i] = now;
  }
  return values;
}

}  // namespace

TEST_CASE_TEMPLATE("unique: the runs that std::unique_copy finds, at every size", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    for (const std::uint64_t mean : {1u, 2u, 50u, 3000u}) {
      check_runs(space, runs<std::int32_t>(n, mean, n));
      check_runs(space, runs<double>(n, mean, n));
    }
    check_runs(space, runs<std::uint8_t>(n, 3, n));
  }
  check_runs(space, std::vector<float>(100003, 2.5f));
  check_runs(space, runs<std::int32_t>(large_size, 2, 1));
  check_runs(space, runs<std::uint64_t>(large_size, 10000, 2));
}

TEST_CASE_TEMPLATE("unique: a NaN is a run of its own, and -0 belongs to the run of +0", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  auto x = to_space(space, std::vector<float>{nan, nan, -0.0f, 0.0f, 1.0f, 1.0f, 0.0f, -0.0f, nan});
  auto out = to_space(space, std::vector<float>(9, 7.0f));
  CHECK(tandem::unique(space, x.const_view(), out.view()) == 6);
  const std::vector<float> wanted{nan, nan, -0.0f, 1.0f, 0.0f, nan, 7.0f, 7.0f, 7.0f};
  CHECK(first_difference(to_host(space, out), wanted) == -1);
}

TEST_CASE_TEMPLATE("unique: the distinct values of sorted ones", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = random_below<std::int32_t>(100003, 500, 1);
  auto x = to_space(space, values);
  auto out = to_space(space, values);
  tandem::sort(space, x.view());
  CHECK(tandem::unique(space, x.const_view(), out.view()) == 500);
  const auto distinct = to_host(space, out);
  for (int i = 0; i < 500; i += 71) CHECK(distinct[static_cast<std::size_t>(i)] == i);
}

TEST_CASE_TEMPLATE("unique: of strided views, and with the count in the space's memory", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto values = runs<std::int32_t>(60000, 4, 1);
  auto x = to_space(space, values);
  auto out = to_space(space, values);
  const auto every_third = tandem::subview(x.const_view(), tandem::slice{2, 60000, 3});
  tandem::array<tandem::index_t, 0, typename Backend::space> count(tandem::extents<0>(), -1, space);
  tandem::unique_into(space, every_third, out.view(), count.view());
  const auto line = to_host(space, every_third);
  std::vector<std::int32_t> wanted;
  std::unique_copy(line.begin(), line.end(), std::back_inserter(wanted));
  CHECK(to_host(space, count)[0] == static_cast<tandem::index_t>(wanted.size()));
  auto got = to_host(space, out);
  got.resize(wanted.size());
  CHECK(first_difference(got, wanted) == -1);
}

TEST_CASE_TEMPLATE("unique: what it refuses", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, std::vector<std::int32_t>{1, 2, 3, 4});
  CHECK_THROWS_AS(tandem::unique(space, x.view(), x.view()), tandem::argument_error);
}
