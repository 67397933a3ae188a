// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>

using namespace tandem::test;

namespace {

/// Placements of the bins: over all values, among them, around them, beside them, at the limits of
/// the index type.
struct placed {
  tandem::index_t first;
  std::size_t bins;
};
const placed places[] = {
    {-128, 384},           {0, 256},    {0, 1},     {60, 40},    {-5, 300},
    {100, 5000},           {-3, 70000}, {1000, 10}, {-4000, 20}, {INT64_MIN, 256},
    {INT64_MAX - 255, 256}};

template <class T, class Space>
void check_places(const Space& space, const std::vector<T>& values) {
  auto x = to_space(space, values);
  for (const placed& place : places) {
    INFO("first = " << place.first << ", bins = " << place.bins);
    std::vector<std::int64_t> wanted(place.bins);
    for (const T v : values) {
      const auto bin = static_cast<__int128>(v) - place.first;
      if (bin >= 0 && bin < static_cast<__int128>(place.bins))
        ++wanted[static_cast<std::size_t>(bin)];
    }
    tandem::array<std::int64_t, 1, Space> counts(tandem::extents<1>(place.bins), -5, space);
    tandem::histogram(space, x.const_view(), tandem::integer_bins{.first = place.first},
                      counts.view());
    CHECK(to_host(space, counts) == wanted);
  }
}

template <class T, class Space>
void check_bytes(const Space& space) {
  for (const std::size_t n : {1ul, 15ul, 16ul, 17ul, 33ul, 70007ul})
    check_places(space, random_values<T>(n, 31));
  check_places(space, std::vector<T>(100003, T(-1)));
  check_places(space, std::vector<T>(100003, T(77)));
}

}  // namespace

TEST_CASE_TEMPLATE("histogram: bytes into bins anywhere", Backend, TANDEM_TEST_BACKENDS) {
  check_bytes<std::uint8_t>(Backend::make());
}

TEST_CASE_TEMPLATE("histogram: signed bytes into bins anywhere", Backend, TANDEM_TEST_BACKENDS) {
  check_bytes<std::int8_t>(Backend::make());
}

TEST_CASE_TEMPLATE("histogram: bytes at any address, in either direction", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const std::size_t n = 50021;
  const auto values = random_values<std::uint8_t>(n, 32);
  auto x = to_space(space, values);
  const auto size = static_cast<tandem::index_t>(n);
  for (const tandem::slice part :
       {tandem::slice{1, size}, tandem::slice{7, size - 3}, tandem::slice{0, size, 2},
        tandem::slice{3, size, -1}, tandem::slice{0, size, -5}}) {
    const auto view = tandem::subview(x.const_view(), part);
    const auto picked = tandem::subview(
        tandem::view<const std::uint8_t, 1, tandem::layout_right, tandem::host_memory>(
            values.data(), tandem::extents<1>(size)),
        part);
    std::vector<std::int32_t> wanted(256);
    for (tandem::index_t i = 0; i < picked.size(); ++i) ++wanted[picked(i)];
    tandem::array<std::int32_t, 1, typename Backend::space> counts(tandem::extents<1>(256), 3,
                                                                   space);
    tandem::histogram(space, view, counts.view());
    INFO("begin = " << part.begin << ", step = " << part.step);
    CHECK(to_host(space, counts) == wanted);
  }
}
