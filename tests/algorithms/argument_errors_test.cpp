// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operand of every operation is checked under its own name, and a refused operation writes
// nothing: the Errors lines of the docstrings, one by one.

#include "support/backends.hpp"
#include "support/operands.hpp"

using namespace tandem::test;
using tandem::argument_error;
using tandem::extent_error;
using tandem::slice;

namespace {

struct add {
  TANDEM_FUNCTION float operator()(float a) const { return a; }
  TANDEM_FUNCTION float operator()(float a, float b) const { return a + b; }
};
struct is_positive {
  TANDEM_FUNCTION bool operator()(float a) const { return a > 0; }
};
struct is_three {
  TANDEM_FUNCTION bool operator()(tandem::index_t a) const { return a == 3; }
};
struct one {
  TANDEM_FUNCTION float operator()(int) const { return 1; }
};
struct one_of_plane {
  TANDEM_FUNCTION float operator()(int, int) const { return 1; }
};

}  // namespace

TEST_CASE_TEMPLATE("argument errors: element-wise operands and terms have memory", Backend,
                   TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  const auto x = o.x.view(), y = o.y.view(), null = o.null;
  CHECK_THROWS_WITH_AS(tandem::copy(o.space, null, y),
                       "copy: source has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::transform(o.space, null, y, add{}),
                       "transform: x has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::transform(o.space, x, null, add{}),
                       "transform: y has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::transform(o.space, null, x, y, add{}),
                       "transform: a has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::transform(o.space, x, null, y, add{}),
                       "transform: b has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::transform(o.space, x, y, null, add{}),
                       "transform: y has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::dot(o.space, null, x), "dot: x has 5 elements but no memory (null)",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::dot(o.space, x, null), "dot: y has 5 elements but no memory (null)",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_scan(o.space, null, y),
                       "parallel_scan: x has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_scan(o.space, x, null),
                       "parallel_scan: y has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_scan(o.space, 5, one{}, null),
                       "parallel_scan: y has 5 elements but no memory (null)", argument_error);
  CHECK(o.unchanged());
}

TEST_CASE_TEMPLATE("argument errors: extents of element-wise operands and terms agree", Backend,
                   TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  const auto x = o.x.view(), y = o.y.view(), longer = o.longer.view();
  CHECK_THROWS_WITH_AS(tandem::transform(o.space, longer, x, y, add{}),
                       "transform: extent 0 of a (6) != extent 0 of y (5)", extent_error);
  CHECK_THROWS_WITH_AS(tandem::transform(o.space, x, longer, y, add{}),
                       "transform: extent 0 of b (6) != extent 0 of y (5)", extent_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_scan(o.space, x, longer),
                       "parallel_scan: extent of x (5) != extent of y (6)", extent_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_scan(o.space, 6, one{}, y),
                       "parallel_scan: elements (6) != extent of y (5)", extent_error);
  CHECK_THROWS_WITH_AS(tandem::dot(o.space, longer, x),
                       "dot: extent 0 of x (6) != extent 0 of y (5)", extent_error);
  const auto head = tandem::subview(longer, slice{0, 5});
  const auto tail = tandem::subview(longer, slice{1, 6});
  CHECK_THROWS_WITH_AS(tandem::transform(o.space, head, x, tail, add{}),
                       "transform: a and y overlap", argument_error);
  CHECK_THROWS_WITH_AS(tandem::transform(o.space, x, head, tail, add{}),
                       "transform: b and y overlap", argument_error);
  CHECK_THROWS_WITH_AS(tandem::transform(o.space, tail, x, head, add{}),
                       "transform: a and y overlap", argument_error);
  CHECK(o.unchanged());
}

TEST_CASE_TEMPLATE("argument errors: reductions and their results have memory", Backend,
                   TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  using memory = typename operands<Backend>::memory;
  const tandem::sum<float> sum;
  const auto null = o.null;
  const tandem::view<float, 0, tandem::layout_right, memory> nowhere(nullptr, tandem::extents<0>());
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce(o.space, null, sum),
                       "parallel_reduce: x has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(o.space, null, sum, o.scalar.view()),
                       "parallel_reduce_into: x has 5 elements but no memory (null)",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(o.space, o.x.view(), sum, nowhere),
                       "parallel_reduce_into: out has 1 elements but no memory (null)",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(o.space, 5, one{}, sum, nowhere),
                       "parallel_reduce_into: out has 1 elements but no memory (null)",
                       argument_error);
  CHECK_THROWS_AS(
      tandem::parallel_reduce_into(o.space, std::size_t(-1), one{}, sum, o.scalar.view()),
      extent_error);
  CHECK(o.unchanged());
}

TEST_CASE_TEMPLATE("argument errors: a result of rank 0 lies in no operand", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using memory = typename Backend::space::memory_type;
  using tandem::index_t;
  using scalar = tandem::view<index_t, 0, tandem::layout_right, memory>;
  const std::vector<index_t> all(12, 3);
  auto both = to_space(space, all);
  const auto x = tandem::subview(both.view(), slice{0, 5});
  const auto y = tandem::subview(both.view(), slice{5, 10});
  const auto even = tandem::subview(both.view(), slice{0, 5, 2});
  const auto at = [&](index_t i) { return scalar(both.data_handle() + i, tandem::extents<0>()); };
  const tandem::sum<index_t> sum;
  for (const index_t i : {0, 2, 4}) {
    CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(space, x, sum, at(i)),
                         "parallel_reduce_into: x and out overlap", argument_error);
    CHECK_THROWS_WITH_AS(tandem::copy_if_into(space, x, y, is_three{}, at(i)),
                         "copy_if_into: x and count overlap", argument_error);
    CHECK_THROWS_WITH_AS(tandem::unique_into(space, x, y, at(i)),
                         "unique_into: x and count overlap", argument_error);
    CHECK_THROWS_WITH_AS(tandem::copy_if_into(space, y, x, is_three{}, at(i)),
                         "copy_if_into: out and count overlap", argument_error);
    CHECK_THROWS_WITH_AS(tandem::unique_into(space, y, x, at(i)),
                         "unique_into: out and count overlap", argument_error);
    CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(space, even, sum, at(i)),
                         "parallel_reduce_into: x and out overlap", argument_error);
  }
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(space, at(11), sum, at(11)),
                       "parallel_reduce_into: x and out overlap", argument_error);
  CHECK(to_host(space, both) == all);
  tandem::parallel_reduce_into(space, even, sum, at(1));  // between the elements of x
  CHECK(to_host(space, both)[1] == 9);
  tandem::copy_if_into(space, even, y, is_three{}, at(3));
  CHECK(to_host(space, both)[3] == 3);
  tandem::unique_into(space, even, y, at(10));
  CHECK(to_host(space, both)[10] == 1);
}

TEST_CASE_TEMPLATE("argument errors: reductions along an axis", Backend, TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  using memory = typename operands<Backend>::memory;
  using tandem::axis;
  const tandem::sum<float> sum;
  const tandem::view<float, 2, tandem::layout_right, memory> nowhere(nullptr, {5, 7});
  const tandem::array<float, 2, typename Backend::space> m(tandem::extents<2>(5, 7), 1, o.space);
  const tandem::array<float, 3, typename Backend::space> cube(tandem::extents<3>(2, 5, 7), 1,
                                                              o.space);
  const auto y = o.y.view();
  const tandem::view<float, 1, tandem::layout_stride, memory> repeated(
      o.y.data_handle(), tandem::layout_stride::mapping<1>({5}, {0}));
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(o.space, nowhere, axis{1}, sum, y),
                       "parallel_reduce_into: x has 35 elements but no memory (null)",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(o.space, m.view(), axis{1}, sum, o.null),
                       "parallel_reduce_into: out has 5 elements but no memory (null)",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(o.space, m.view(), axis{1}, sum, repeated),
                       "parallel_reduce_into: out overlaps itself", argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(o.space, m.view(), axis{0}, sum, y),
                       "parallel_reduce_into: extent 1 of x (7) != extent 0 of out (5)",
                       extent_error);
  tandem::array<float, 2, typename Backend::space> out(tandem::extents<2>(2, 7), 3, o.space);
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(o.space, cube.view(), axis{2}, sum, out.view()),
                       "parallel_reduce_into: extent 1 of x (5) != extent 1 of out (7)",
                       extent_error);
  const tandem::grid plane{5, 7};
  const one_of_plane f;
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(o.space, plane, axis{1}, f, sum, o.null),
                       "parallel_reduce_into: out has 5 elements but no memory (null)",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(o.space, plane, axis{1}, f, sum, repeated),
                       "parallel_reduce_into: out overlaps itself", argument_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(o.space, plane, axis{0}, f, sum, y),
                       "parallel_reduce_into: extent 1 of x (7) != extent 0 of out (5)",
                       extent_error);
  CHECK_THROWS_WITH_AS(tandem::parallel_reduce_into(o.space, plane, axis{2}, f, sum, y),
                       "parallel_reduce_into: axis (2) >= rank (2)", extent_error);
  CHECK_THROWS_WITH_AS(
      tandem::parallel_reduce_into(o.space, tandem::grid{5, -7}, axis{1}, f, sum, y),
      doctest::Contains("parallel_reduce_into: extent of the grid (-7) < smallest size (0): did a "
                        "product of ints overflow?"),
      extent_error);
  CHECK(o.unchanged());
  CHECK(to_host(o.space, out) == std::vector<float>(14, 3));
  CHECK(axis{}.dimension == 0);
  tandem::parallel_reduce_into(o.space, m.view(), axis{-1}, sum, y);
  CHECK(to_host(o.space, y) == std::vector<float>(5, 7));
}

TEST_CASE_TEMPLATE("argument errors: selections, their outputs and their counts", Backend,
                   TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  using memory = typename operands<Backend>::memory;
  const tandem::view<tandem::index_t, 0, tandem::layout_right, memory> nowhere(
      nullptr, tandem::extents<0>());
  const auto x = o.x.view(), y = o.y.view();
  const tandem::view<float, 1, tandem::layout_stride, memory> repeated(
      o.y.data_handle(), tandem::layout_stride::mapping<1>({5}, {0}));
  CHECK_THROWS_WITH_AS(tandem::copy_if(o.space, o.null, y, is_positive{}),
                       "copy_if: x has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::copy_if(o.space, x, o.null, is_positive{}),
                       "copy_if: out has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::copy_if(o.space, x, repeated, is_positive{}),
                       "copy_if: out overlaps itself", argument_error);
  CHECK_THROWS_WITH_AS(tandem::copy_if(o.space, x, x, is_positive{}), "copy_if: x and out overlap",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::copy_if_into(o.space, x, y, is_positive{}, nowhere),
                       "copy_if_into: count has 1 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::unique(o.space, o.null, y),
                       "unique: x has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::unique_into(o.space, x, y, nowhere),
                       "unique_into: count has 1 elements but no memory (null)", argument_error);
  CHECK(o.unchanged());
}

TEST_CASE_TEMPLATE("argument errors: sorts take contiguous lines of one extent", Backend,
                   TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  const auto x = o.x.view(), y = o.y.view(), z = o.z.view(), w = o.w.view();
  const auto longer = o.longer.view(), null = o.null;
  const auto three = tandem::subview(x, slice{0, 3});
  CHECK_THROWS_WITH_AS(tandem::sort(o.space, null),
                       "sort: keys has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::sort(o.space, x, null),
                       "sort: out has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::sort(o.space, o.gaps()), "sort: keys has stride 2, not 1",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::sort(o.space, three, o.gaps()), "sort: out has stride 2, not 1",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::sort(o.space, x, longer),
                       "sort: extent 0 of keys (5) != extent 0 of out (6)", extent_error);
  CHECK_THROWS_WITH_AS(tandem::sort_by_key(o.space, x, null),
                       "sort_by_key: values has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::sort_by_key(o.space, x, y, null, w),
                       "sort_by_key: keys_out has 5 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::sort_by_key(o.space, x, y, z, null),
                       "sort_by_key: values_out has 5 elements but no memory (null)",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::sort_by_key(o.space, three, o.gaps()),
                       "sort_by_key: values has stride 2, not 1", argument_error);
  CHECK_THROWS_WITH_AS(tandem::sort_by_key(o.space, x, y, longer, w),
                       "sort_by_key: extent 0 of keys (5) != extent 0 of keys_out (6)",
                       extent_error);
  CHECK_THROWS_WITH_AS(tandem::sort_by_key(o.space, x, y, z, longer),
                       "sort_by_key: extent 0 of values (5) != extent 0 of values_out (6)",
                       extent_error);
  CHECK_THROWS_WITH_AS(tandem::sort_by_key(o.space, x, longer),
                       "sort_by_key: extent 0 of keys (5) != extent 0 of values (6)", extent_error);
  CHECK(o.unchanged());
}

TEST_CASE_TEMPLATE("argument errors: products of batches and of no memory", Backend,
                   TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  using Space = typename Backend::space;
  using memory = typename Space::memory_type;
  const tandem::array<float, 3, Space> two(tandem::extents<3>(2, 3, 3), 1, o.space);
  const tandem::array<float, 3, Space> three(tandem::extents<3>(3, 3, 3), 1, o.space);
  const tandem::array<float, 2, Space> wide(tandem::extents<2>(3, 4), 1, o.space);
  const tandem::array<float, 2, Space> tall(tandem::extents<2>(4, 3), 1, o.space);
  tandem::array<float, 3, Space> c(tandem::extents<3>(2, 3, 3), 5, o.space);
  const tandem::view<float, 3, tandem::layout_right, memory> nowhere(nullptr, {2, 3, 3});
  const auto v = two.view();
  const auto out = c.view();
  CHECK_THROWS_WITH_AS(tandem::matmul(o.space, three.view(), v, out),
                       "matmul: matrices of a (3) != matrices of c (2)", extent_error);
  CHECK_THROWS_WITH_AS(tandem::matmul(o.space, v, three.view(), out),
                       "matmul: matrices of b (3) != matrices of c (2)", extent_error);
  CHECK_THROWS_WITH_AS(tandem::matmul(o.space, v, wide.view(), out),
                       "matmul: columns of c (3) != columns of b (4)", extent_error);
  CHECK_THROWS_WITH_AS(tandem::matmul(o.space, tall.view(), v, out),
                       "matmul: rows of c (3) != rows of a (4)", extent_error);
  CHECK_THROWS_WITH_AS(tandem::matmul(o.space, wide.view(), v, out),
                       "matmul: columns of a (4) != rows of b (3)", extent_error);
  CHECK_THROWS_WITH_AS(tandem::matmul(o.space, nowhere, v, out),
                       "matmul: a has 18 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::matmul(o.space, v, nowhere, out),
                       "matmul: b has 18 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::matmul(o.space, v, v, nowhere),
                       "matmul: c has 18 elements but no memory (null)", argument_error);
  CHECK_THROWS_WITH_AS(tandem::matmul(o.space, out, v, out), "matmul: c overlaps a",
                       argument_error);
  CHECK_THROWS_WITH_AS(tandem::matmul(o.space, v, out, out), "matmul: c overlaps b",
                       argument_error);
  CHECK(to_host(o.space, c) == std::vector<float>(18, 5));
}

TEST_CASE_TEMPLATE("argument errors: negative extents and strides that leave 64 bits", Backend,
                   TANDEM_TEST_BACKENDS) {
  operands<Backend> o;
  using memory = typename operands<Backend>::memory;
  using tandem::index_t;
  const auto strided = [&](index_t extent, index_t stride) {
    return tandem::view<float, 1, tandem::layout_stride, memory>(
        o.x.data_handle(), tandem::layout_stride::mapping<1>({extent}, {stride}));
  };
  CHECK_THROWS_WITH_AS(tandem::fill(o.space, strided(-1, 1), 0.0f),
                       doctest::Contains("fill: x (-1) < smallest size (0): did a product of"),
                       extent_error);
  CHECK_THROWS_AS(tandem::fill(o.space, strided(3, index_t{1} << 62), 0.0f), extent_error);
  CHECK_THROWS_AS(tandem::fill(o.space, strided(2, index_t{1} << 61), 0.0f), extent_error);
  CHECK_THROWS_AS(tandem::fill(o.space, strided(2, -(index_t{1} << 61)), 0.0f), extent_error);
  CHECK_THROWS_AS(tandem::parallel_reduce(o.space, strided(-2, 1), tandem::sum<float>{}),
                  extent_error);
  CHECK(o.unchanged());
  tandem::fill(o.space, strided(0, index_t{1} << 62), 0.0f);
  tandem::fill(o.space, strided(1, index_t{1} << 62), 1.0f);
  CHECK(o.unchanged());
}
