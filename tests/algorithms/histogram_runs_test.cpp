// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"
#include "support/test_scale.hpp"

#include <cstdint>

using namespace tandem::test;

namespace {

/// Returns runs of `length` equal values from two below `first` to two above the last of `bins`
/// bins.
template <class T>
std::vector<T> values_in_runs(std::size_t n, std::size_t length, T first, std::size_t bins) {
  const auto places = random_below<std::uint32_t>(n / length + 1, bins + 4, 51);
  std::vector<T> values;
  for (std::size_t i = 0; i < n; ++i)
    values.push_back(static_cast<T>(first + static_cast<T>(places[i / length]) - T{2}));
  return values;
}

/// Counts all values except the first `skipped`, by the definition.
template <class T>
std::vector<std::int32_t> counts_by_definition(const std::vector<T>& values, std::size_t skipped,
                                               T first, std::size_t bins) {
  std::vector<std::int32_t> counts(bins);
  for (std::size_t i = skipped; i < values.size(); ++i) {
    const auto bin = static_cast<std::int64_t>(values[i]) - static_cast<std::int64_t>(first);
    if (bin >= 0 && bin < static_cast<std::int64_t>(bins)) ++counts[static_cast<std::size_t>(bin)];
  }
  return counts;
}

template <class T, class Space>
void check_runs(const Space& space, std::size_t n, T first) {
  for (const std::size_t bins : {3ul, 256ul, 4096ul, 65536ul}) {
    for (const std::size_t length : {1ul, 3ul, 48ul, 64ul, 65ul, 700ul, 40000ul}) {
      if (takes_few() && length != 48) continue;
      INFO("first = " << first << ", bins = " << bins << ", length = " << length);
      const auto values = values_in_runs<T>(n, length, first, bins);
      auto x = to_space(space, values);
      tandem::array<std::int32_t, 1, Space> counts(tandem::extents<1>(bins), -5, space);
      for (const std::size_t skipped : {0ul, 1ul}) {  // 1 misaligns the address
        tandem::histogram(
            space,
            tandem::subview(x.const_view(), tandem::slice{static_cast<tandem::index_t>(skipped),
                                                          static_cast<tandem::index_t>(n)}),
            tandem::integer_bins{.first = first}, counts.view());
        CHECK(to_host(space, counts) == counts_by_definition(values, skipped, first, bins));
      }
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("histogram: integers in runs of every length, some without a bin", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_runs<std::int32_t>(space, 100003, 2);
  check_runs<std::int32_t>(space, 100003, -7);
  check_runs<std::uint32_t>(space, 100003, 2);
  check_runs<std::uint32_t>(space, 100003, 4000000000u);
}

TEST_CASE_TEMPLATE("histogram: bins from zero on of integers in runs", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  check_runs<std::int32_t>(space, 100003, 0);
  check_runs<std::int32_t>(space, 63, 0);
  check_runs<std::int32_t>(space, 64, 0);
}
