// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products, norms and histograms of operands of any rank and layout.
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

using namespace tandem::test;
using tandem::extents;
using tandem::slice;

namespace {

/// Calls check(operand, packed) with parts of a padded grid of every rank and the same elements in
/// row-major order.
template <class T, class Space, class Check>
void for_each_shape(const Space& space, const Check& check) {
  const auto values = random_values<T>(7 * 12 * 30 * 5, 11);
  auto x = to_space(space, values);
  const auto checked = [&](const auto& operand) {
    check(operand, to_space(space, tandem::to_vector(space, operand)));
  };
  checked(tandem::subview(x, slice{1, 5001, 2}));
  const auto matrix = tandem::reshape(x, 84, 150);
  checked(matrix);
  checked(tandem::transposed(matrix));
  checked(tandem::subview(matrix, slice{1, 83}, slice{1, 149}));
  checked(tandem::as_pitched(tandem::subview(matrix, tandem::all, slice{3, 140})));
  checked(tandem::subview(matrix, slice{0, 84, -1}, slice{0, 150, -3}));
  const auto block = tandem::reshape(x, 7, 12, 150);
  checked(block);
  checked(tandem::subview(block, slice{1, 6}, slice{1, 11}, slice{1, 149}));
  const auto deep = tandem::reshape(x, 7, 12, 30, 5);
  checked(tandem::subview(deep, slice{1, 6}, tandem::all, slice{2, 29}, tandem::all));
  checked(tandem::subview(x, 77));
}

}  // namespace

TEST_CASE_TEMPLATE("dot, norms and histograms of any rank: the bits of the packed elements",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  for_each_shape<float>(space, [&](const auto& x, const auto& packed) {
    INFO("rank " << x.rank() << ", size " << x.size());
    CHECK(same_bits(tandem::dot(space, x, x), tandem::dot(space, packed, packed)));
    CHECK(same_bits(tandem::asum(space, x), tandem::asum(space, packed)));
    CHECK(same_bits(tandem::norm2(space, x), tandem::norm2(space, packed)));
    CHECK(same_bits(tandem::nrm_inf(space, x), tandem::nrm_inf(space, packed)));
    tandem::array<std::int32_t, 1, Space> counts(extents<1>(50), space);
    tandem::array<std::int32_t, 1, Space> expected(extents<1>(50), space);
    tandem::histogram(space, x, {.lo = -2.0f, .hi = 2.0f}, counts);
    tandem::histogram(space, packed, {.lo = -2.0f, .hi = 2.0f}, expected);
    CHECK(tandem::to_vector(space, counts) == tandem::to_vector(space, expected));
    tandem::array<float, 1, Space> sums(extents<1>(50), space);
    tandem::array<float, 1, Space> expected_sums(extents<1>(50), space);
    tandem::histogram(space, x, {.lo = -2.0f, .hi = 2.0f}, x, sums);
    tandem::histogram(space, packed, {.lo = -2.0f, .hi = 2.0f}, packed, expected_sums);
    CHECK(tandem::to_vector(space, sums) == tandem::to_vector(space, expected_sums));
  });
}

TEST_CASE_TEMPLATE("histogram: weights with other strides than the values", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  auto x = to_space(space, random_below<std::uint8_t>(600, 8, 1));
  auto w = to_space(space, random_values<double>(600, 2));
  const auto columns = tandem::transposed(tandem::reshape(x, 20, 30));
  const auto weights = tandem::reshape(w, 30, 20);
  tandem::array<double, 1, Space> sums(extents<1>(8), space);
  tandem::histogram(space, columns, tandem::integer_bins{0}, weights, sums);
  const auto bins = tandem::to_vector(space, columns);
  tandem::array<double, 1, Space> expected(extents<1>(8), space);
  const auto packed = to_space(space, bins);
  tandem::histogram(space, packed, tandem::integer_bins{0}, w, expected);
  CHECK(tandem::to_vector(space, sums) == tandem::to_vector(space, expected));
  CHECK_THROWS_AS(
      tandem::histogram(space, columns, tandem::integer_bins{0}, tandem::transposed(weights), sums),
      tandem::extent_error);
  auto overlapping = tandem::reshape(w, 30, 20);
  CHECK_THROWS_AS(tandem::histogram(space, columns, tandem::integer_bins{0}, weights,
                                    tandem::subview(overlapping, 0, tandem::all)),
                  tandem::argument_error);
}

TEST_CASE_TEMPLATE("norms: of nothing, of NaN, of integers and of the range's ends", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto asum = [&]<class T>(const std::vector<T>& values) {
    const auto x = to_space(space, values);
    return tandem::asum(space, x);
  };
  const auto norm2 = [&]<class T>(const std::vector<T>& values) {
    const auto x = to_space(space, values);
    return tandem::norm2(space, x);
  };
  const auto nrm_inf = [&]<class T>(const std::vector<T>& values) {
    const auto x = to_space(space, values);
    return tandem::nrm_inf(space, x);
  };
  CHECK(asum(std::vector<float>{}) == 0);
  CHECK(norm2(std::vector<float>{}) == 0);
  CHECK(nrm_inf(std::vector<float>{}) == 0);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(nrm_inf(std::vector<float>{1, nan, 2})));
  CHECK(std::isnan(norm2(std::vector<float>{1, nan, 2})));
  const std::vector<std::int8_t> lowest{-128, 1};
  CHECK(asum(lowest) == 129u);
  CHECK(nrm_inf(lowest) == 128u);
  CHECK(norm2(std::vector<std::int32_t>{3, -4}) == 5.0);
  CHECK(norm2(std::vector<float>{3e30f, -4e30f}) == 5e30f);
  CHECK(norm2(std::vector<double>{3e300, -4e300}) == doctest::Approx(5e300).epsilon(1e-15));
  CHECK(norm2(std::vector<double>{3 * 0x1p-340, 4 * 0x1p-340}) == 5 * 0x1p-340);
  CHECK(norm2(std::vector<double>{3 * 0x1p-1070, -4 * 0x1p-1070}) == 5 * 0x1p-1070);
  CHECK(std::isinf(norm2(std::vector<double>{1, std::numeric_limits<double>::infinity()})));
  CHECK(norm2(std::vector<double>(5, 0.0)) == 0);
  std::vector<tandem::half> halves(5000, tandem::half(-40.0f));
  CHECK(asum(halves) == 200000.0f);
}

TEST_CASE_TEMPLATE("norms: an operand without memory is refused", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Memory = typename Backend::space::memory_type;
  const tandem::view<float, 1, tandem::layout_right, Memory> null(nullptr, extents<1>(5));
  CHECK_THROWS_WITH_AS(tandem::asum(space, null), "asum: x has 5 elements but no memory (null)",
                       tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::nrm_inf(space, null),
                       "nrm_inf: x has 5 elements but no memory (null)", tandem::argument_error);
  CHECK_THROWS_WITH_AS(tandem::norm2(space, null), "norm2: x has 5 elements but no memory (null)",
                       tandem::argument_error);
}
