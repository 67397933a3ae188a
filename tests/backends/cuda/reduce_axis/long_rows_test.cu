// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions along an axis at sizes from which the CUDA backend gives a team of threads several
// tiles: too large for the tests that every backend runs.

#include "support/backends.hpp"
#include "support/data.hpp"

#include <cstdint>

#include <doctest/doctest.h>

using namespace tandem::test;
using tandem::index_t;

namespace {

/// Compares the sums of `rows` rows with openmp, whose tests compare it with serial.
template <class T, class Sum>
void check_rows(index_t rows, index_t columns) {
  const tandem::cuda space(0);
  const tandem::openmp reference;
  const tandem::extents<2> sizes(rows, columns);
  const auto values = random_values<T>(static_cast<std::size_t>(rows * columns), 5);
  const auto device = to_space(space, values);
  const tandem::view<const T, 2, tandem::layout_right, tandem::device_memory> x(
      device.data_handle(), sizes);
  const tandem::view<const T, 2, tandem::layout_right, tandem::host_memory> y(values.data(), sizes);
  tandem::array<Sum, 1, tandem::cuda> got(tandem::extents<1>(rows), space);
  tandem::array<Sum, 1, tandem::openmp> wanted(tandem::extents<1>(rows), reference);
  tandem::parallel_reduce_into(space, x, tandem::axis{1}, tandem::sum<Sum>{}, got.view());
  tandem::parallel_reduce_into(reference, y, tandem::axis{1}, tandem::sum<Sum>{}, wanted.view());
  CHECK(first_difference(to_host(space, got), to_host(reference, wanted)) == -1);
}

}  // namespace

TEST_CASE("reduce along an axis: more tiles than a launch's teams, rows on every boundary") {
  check_rows<float, float>(17'000, 2101);
}

TEST_CASE("reduce along an axis: more tiles than a launch's teams, rows at boundaries of words") {
  check_rows<float, float>(33'000, 2052);
  check_rows<std::uint8_t, std::uint64_t>(264'000, 1040);
}
