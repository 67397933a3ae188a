// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares all_of, any_of, none_of and count_if with the standard library's.

#include <algorithm>
#include <cstdint>

#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;
using tandem::slice;

namespace {

struct is_nan_value {
  TANDEM_FUNCTION bool operator()(float x) const { return x != x; }
};

struct below {
  std::uint32_t limit;
  TANDEM_FUNCTION bool operator()(std::uint32_t x) const { return x < limit; }
};

}  // namespace

TEST_CASE_TEMPLATE("count_if: as std::count_if, at every size", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  for (const std::size_t n : hostile_sizes()) {
    CAPTURE(n);
    const auto values = random_values<std::uint32_t>(n, n);
    auto x = to_space(space, values);
    for (const std::uint32_t limit : {0u, 1u << 30, 0xffffffffu}) {
      const below f{limit};
      const bool all = std::all_of(values.begin(), values.end(), f);
      const bool any = std::any_of(values.begin(), values.end(), f);
      CHECK(tandem::count_if(space, x, f) == std::count_if(values.begin(), values.end(), f));
      CHECK(tandem::all_of(space, x, f) == all);
      CHECK(tandem::any_of(space, x, f) == any);
      CHECK(tandem::none_of(space, x, f) == !any);
    }
  }
}

TEST_CASE_TEMPLATE("all_of and its kin: one element decides, wherever it stands", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  std::vector<float> values(40009, -0.0f);
  for (const std::size_t at : {std::size_t{0}, std::size_t{20011}, values.size() - 1}) {
    CAPTURE(at);
    values[at] = std::numeric_limits<float>::quiet_NaN();
    auto x = to_space(space, values);
    CHECK(tandem::any_of(space, x, is_nan_value{}));
    CHECK_FALSE(tandem::none_of(space, x, is_nan_value{}));
    CHECK_FALSE(tandem::all_of(
        space, x, TANDEM_LAMBDA(float v) { return v == 0.0f; }));
    CHECK(tandem::count_if(space, x, is_nan_value{}) == 1);
    values[at] = 0.0f;
  }
}

TEST_CASE_TEMPLATE("count_if: operands of any rank and layout, and of none", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  auto x = to_space(space, random_below<std::uint32_t>(9 * 10 * 11, 100, 1));
  const auto values = to_host(space, x);
  using Memory = typename decltype(x)::memory_type;
  const tandem::view<std::uint32_t, 3, tandem::layout_right, Memory> volume(
      x.data_handle(), tandem::extents<3>(9, 10, 11));
  const auto inner = tandem::subview(volume, slice{1, 8}, slice{0, 10, -2}, slice{2, 9});
  REQUIRE(inner.size() == 7 * 5 * 7);
  tandem::index_t wanted = 0;
  for (const std::uint32_t v : to_host(space, inner)) wanted += v < 40 ? 1 : 0;
  CHECK(tandem::count_if(space, inner, below{40}) == wanted);
  CHECK(tandem::count_if(space, volume, below{40}) ==
        std::count_if(values.begin(), values.end(), below{40}));
  const auto none = tandem::subview(volume, slice{3, 3}, tandem::all, tandem::all);
  CHECK(tandem::all_of(space, none, below{0}));
  CHECK_FALSE(tandem::any_of(space, none, below{0}));
  CHECK(tandem::none_of(space, none, below{0}));
  CHECK(tandem::count_if(space, none, below{0}) == 0);
}

TEST_CASE_TEMPLATE("count_if: an operand without memory is refused under its own name", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Memory = typename Backend::space::memory_type;
  const tandem::view<float, 1, tandem::layout_right, Memory> x(nullptr, tandem::extents<1>(5));
  using tandem::argument_error;
  const is_nan_value f;
  const char* const rest = ": x has 5 elements but no memory (null)";
  CHECK_THROWS_WITH_AS(tandem::count_if(space, x, f), (std::string("count_if") + rest).c_str(),
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::all_of(space, x, f), (std::string("all_of") + rest).c_str(),
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::any_of(space, x, f), (std::string("any_of") + rest).c_str(),
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::none_of(space, x, f), (std::string("none_of") + rest).c_str(),
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::argmin(space, x), (std::string("argmin") + rest).c_str(),
                       argument_error);
}
