// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views to and from std::mdspan. Empty if the standard library has none, that is before C++23.

#include <doctest/doctest.h>

#include <array>
#include <numeric>
#include <type_traits>

#include <tandem/core/mdspan.hpp>
#include <tandem/core/view/subview.hpp>

#if defined(__cpp_lib_mdspan)

namespace {

using tandem::host_memory;
using tandem::layout_right;

/// 3 x 4 elements, each equal to its offset.
struct numbered {
  std::array<int, 12> values{};
  tandem::view<int, 2, layout_right, host_memory> matrix{values.data(), tandem::extents<2>(3, 4)};

  numbered() { std::iota(values.begin(), values.end(), 0); }
};

/// Checks that both have the same elements, which `numbered` makes distinct.
template <class Span, class View>
void check_same(const Span& span, const View& v) {
  REQUIRE(static_cast<tandem::index_t>(span.extent(0)) == v.extent(0));
  REQUIRE(static_cast<tandem::index_t>(span.extent(1)) == v.extent(1));
  for (tandem::index_t i = 0; i < v.extent(0); ++i) {
    for (tandem::index_t j = 0; j < v.extent(1); ++j)
      CHECK(span[std::array<tandem::index_t, 2>{i, j}] == v(i, j));
  }
}

}  // namespace

TEST_CASE("mdspan: of a view of any layout, and back") {
  numbered n;
  const auto columns = tandem::transposed(n.matrix);
  const auto every_other = tandem::subview(n.matrix, tandem::all, tandem::slice{0, 4, 2});
  check_same(tandem::to_mdspan(n.matrix), n.matrix);
  check_same(tandem::to_mdspan(columns), columns);
  check_same(tandem::to_mdspan(every_other), every_other);
  check_same(tandem::to_mdspan(every_other), tandem::from_mdspan(tandem::to_mdspan(every_other)));
  check_same(tandem::to_mdspan(columns), tandem::from_mdspan(tandem::to_mdspan(columns)));
}

TEST_CASE("mdspan: const elements stay const, fixed extents become extents of a view") {
  numbered n;
  const std::mdspan<const int, std::extents<int, 3, 4>> fixed(n.values.data());
  const auto v = tandem::from_mdspan(fixed);
  static_assert(std::is_const_v<typename decltype(v)::element_type>);
  check_same(fixed, v);
}

#endif
