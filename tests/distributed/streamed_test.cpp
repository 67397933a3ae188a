// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on operands of the host that pass through a space in chunks have the bits of serial,
// whatever the budget.

#include "distributed/support.hpp"

using namespace tandem::test;

namespace {

struct scale_and_add {
  float a;

  template <class X, class Y, class Z>
  TANDEM_FUNCTION void operator()(tandem::index_t i, const X& x, const Y& y, const Z& z) const {
    z(i) = a * x(i) + y(i);
    y(i) = static_cast<float>(i) - y(i);
  }
};

struct plane_term {
  template <class X>
  TANDEM_FUNCTION float operator()(tandem::index_t j, tandem::index_t i, const X& x) const {
    return x(j, i) * static_cast<float>(i + 1);
  }
};

struct difference {
  TANDEM_FUNCTION float operator()(float a, float b) const { return a - 3 * b; }
};

struct difference_and_sign {
  TANDEM_FUNCTION tandem::tuple<float, int> operator()(float a, float b) const {
    return tandem::make_tuple(a - 3 * b, a < b ? 1 : -1);
  }
};

struct in_two {
  TANDEM_FUNCTION tandem::tuple<float, float> operator()(float a) const {
    return tandem::make_tuple(a, a);
  }
};

std::vector<std::size_t> budgets() {
  return {std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{8} << 30};
}

}  // namespace

TEST_CASE_TEMPLATE("streamed: loops, transforms and reductions", Backend, TANDEM_TEST_BACKENDS) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  const tandem::serial serial;
  constexpr int n = 100003;
  const auto xs = random_values<float>(n, 1);
  const auto ys = random_values<float>(n, 2);
  std::vector<float> y0 = ys;
  std::vector<float> z0(n);
  const tandem::view<float, 1, tandem::layout_right, tandem::host_memory> z_view(z0.data(), n);
  tandem::parallel_for(serial, n, scale_and_add{2}, tandem::as_view(xs), tandem::as_view(y0),
                       z_view);
  std::vector<float> t0(n);
  tandem::transform(serial, xs, ys, t0, difference{});
  for (const std::size_t budget : budgets()) {
    const tandem::streamed big(space, {.budget = budget});
    std::vector<float> y = ys;
    std::vector<float> z(n);
    tandem::parallel_for(big, n, scale_and_add{2}, xs, y, tandem::out(z));
    CHECK(first_difference(y, y0) == -1);
    CHECK(first_difference(z, z0) == -1);
    std::vector<float> t(n);
    tandem::transform(big, xs, ys, t, difference{});
    CHECK(first_difference(t, t0) == -1);
    CHECK(same_bits(tandem::parallel_reduce(big, xs), tandem::parallel_reduce(serial, xs)));
    const auto largest = tandem::parallel_reduce(big, xs, tandem::maxloc{});
    const auto wanted = tandem::parallel_reduce(serial, xs, tandem::maxloc{});
    CHECK(same_bits(largest.value, wanted.value));
    CHECK(largest.index == wanted.index);
    std::vector<int> counts(37);
    std::vector<int> counts0(37);
    tandem::histogram(big, xs, {.lo = -2, .hi = 2}, counts);
    tandem::histogram(serial, xs, {.lo = -2, .hi = 2}, counts0);
    CHECK(counts == counts0);
  }
  static_assert(std::is_same_v<Space, std::remove_const_t<decltype(space)>>);
}

TEST_CASE_TEMPLATE("streamed: transforms with several outputs", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  constexpr int n = 50021;
  const auto xs = random_values<float>(n, 1);
  const auto ys = random_values<float>(n, 2);
  std::vector<float> differences(n);
  std::vector<int> signs(n);
  tandem::transform(tandem::serial{}, xs, ys, tandem::tie(differences, signs),
                    difference_and_sign{});
  for (const std::size_t budget : budgets()) {
    const tandem::streamed big(space, {.budget = budget});
    std::vector<float> x = xs;
    std::vector<float> y(n);
    std::vector<int> sign(n);
    tandem::transform(big, x, ys, tandem::tie(y, sign), difference_and_sign{});
    CHECK(first_difference(y, differences) == -1);
    CHECK(sign == signs);
    std::fill(sign.begin(), sign.end(), 0);
    tandem::transform(big, x, ys, tandem::tie(x, sign), difference_and_sign{});
    CHECK(first_difference(x, differences) == -1);
    CHECK(sign == signs);
    const tandem::view<float, 1, tandem::layout_right, tandem::host_memory> line(y.data(), n);
    const auto head = tandem::subview(line, tandem::slice{0, n - 1});
    const auto tail = tandem::subview(line, tandem::slice{1, n});
    CHECK_THROWS_WITH_AS(tandem::transform(big, head, tandem::tie(head, tail), in_two{}),
                         doctest::Contains("x and output 1 overlap"), tandem::argument_error);
    CHECK_THROWS_WITH_AS(tandem::transform(big, xs, tandem::tie(line, line), in_two{}),
                         "transform: two outputs overlap", tandem::argument_error);
    CHECK_THROWS_WITH_AS(tandem::transform(big, head, head, tail, difference{}),
                         "transform: a and y overlap", tandem::argument_error);
    CHECK(first_difference(y, differences) == -1);
  }
}

TEST_CASE_TEMPLATE("streamed: planes, parts of them, and nothing at all", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::serial serial;
  const auto values = random_values<float>(3001 * 77, 3);
  const tandem::view<const float, 2, tandem::layout_right, tandem::host_memory> plane(values.data(),
                                                                                      {3001, 77});
  const tandem::grid inner{{7, 2900}, {1, 70}};
  tandem::array<float, 2, typename Backend::space> there({3001, 77}, space);
  tandem::copy(space, plane, there);
  const auto wanted =
      tandem::parallel_reduce(space, inner, plane_term{}, tandem::sum{}, std::as_const(there));
  for (const std::size_t budget : budgets()) {
    const tandem::streamed big(space, {.budget = budget});
    CHECK(
        same_bits(tandem::parallel_reduce(big, inner, plane_term{}, tandem::sum{}, plane), wanted));
    CHECK(same_bits(tandem::parallel_reduce(big, plane), tandem::parallel_reduce(serial, plane)));
    const std::vector<float> none;
    CHECK(tandem::parallel_reduce(big, none) == 0);
  }
}

TEST_CASE_TEMPLATE("streamed: progress is told, can end an operation, and budgets are checked",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto xs = random_values<float>(100003, 1);
  std::vector<tandem::index_t> done;
  const tandem::streamed big(space, {.budget = 1 << 18, .progress = [&](auto rows, auto all) {
                                       CHECK(all == 100003);
                                       done.push_back(rows);
                                     }});
  (void)tandem::parallel_reduce(big, xs);
  CHECK(done.size() > 3);
  CHECK(done.back() == 100003);
  CHECK(std::is_sorted(done.begin(), done.end()));
  struct enough {};
  const tandem::streamed stopped(space, {.budget = 1 << 18, .progress = [&](auto rows, auto) {
                                           if (rows > 50000) throw enough();
                                         }});
  CHECK_THROWS_AS((void)tandem::parallel_reduce(stopped, xs), enough);
  const tandem::streamed small(space, {.budget = 1000});
  CHECK_THROWS_AS((void)tandem::parallel_reduce(small, xs), tandem::argument_error);
  std::vector<float> short_one(5);
  CHECK_THROWS_AS(tandem::transform(big, xs, xs, short_one, difference{}), tandem::extent_error);
}
