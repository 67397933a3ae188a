// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays, and on the host containers, are accepted wherever views are.
#include "support/backends.hpp"
#include "support/data.hpp"

#include <array>
#include <cstdint>
#include <span>

using namespace tandem::test;
using tandem::extents;

namespace {

template <class View>
struct scale {
  TANDEM_FUNCTION void operator()(int i, float by, View x, View y) const { y(i) = by * x(i); }
};

struct is_positive {
  TANDEM_FUNCTION bool operator()(float v) const { return v > 0; }
};

}  // namespace

TEST_CASE_TEMPLATE("operands: algorithms on elements take arrays as they take views", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  const auto values = random_values<float>(5000, 1);
  const auto x = to_space(space, values);  // a const array has read-only elements
  tandem::array<float, 1, Space> y(extents<1>(5000), space);
  tandem::array<float, 1, Space> z(extents<1>(5000), space);
  const auto same = [&](const auto& operation) {
    operation(x, y);
    operation(x.view(), z.view());
    return first_difference(to_host(space, y), to_host(space, z)) == -1;
  };
  CHECK(same([&](const auto& in, auto&& out) { tandem::copy(space, in, out); }));
  CHECK(same([&](const auto& in, auto&& out) { tandem::parallel_scan(space, in, out); }));
  CHECK(same([&](const auto& in, auto&& out) { tandem::sort(space, in, out); }));
  CHECK(same([&](const auto& in, auto&& out) { tandem::copy_if(space, in, out, is_positive{}); }));
  CHECK(same([&](const auto& in, auto&& out) { tandem::unique(space, in, out); }));
  CHECK(same([&](const auto&, auto&& out) { tandem::sort(space, out); }));
  CHECK(same([&](const auto&, auto&& out) { tandem::fill(space, out, 2.5f); }));
  tandem::array<std::int32_t, 1, Space> counts(extents<1>(10), space);
  tandem::histogram(space, x, {.lo = -1.0f, .hi = 1.0f}, counts);
  CHECK(tandem::parallel_reduce(space, counts) > 0);
  CHECK(same_bits(tandem::dot(space, x, x), tandem::dot(space, x.view(), x.view())));
  CHECK(tandem::argmax(space, x).index == tandem::argmax(space, x.view()).index);
}

TEST_CASE_TEMPLATE("operands: loops take arrays as arguments", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  auto x = to_space(space, random_values<float>(300, 2));
  tandem::array<float, 1, Space> y(extents<1>(300), space);
  using View = tandem::as_view_t<decltype(y)&>;
  tandem::parallel_for(space, 300, scale<View>{}, 2.0f, x, y);
  const auto looped = to_host(space, y);
  tandem::fill(space, y, 0.0f);
  tandem::parallel_for(space, 300, scale<View>{}, 2.0f, x.view(), y.view());
  CHECK(first_difference(looped, to_host(space, y)) == -1);
}

TEST_CASE_TEMPLATE("operands: products, transposes and axes take arrays", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  using matrix = tandem::array<float, 2, Space>;
  matrix a(extents<2>(20, 30), space);
  matrix c(extents<2>(20, 20), space);
  matrix d(extents<2>(20, 20), space);
  tandem::copy(space, random_values<float>(600, 3), a);
  const auto bias = to_space(space, random_values<float>(20, 4));
  const matrix& factor = a;
  tandem::matmul(space, factor, tandem::transposed(a), c,
                 {.alpha = 2, .epilogue = tandem::bias(bias)});
  tandem::matmul(space, a.view(), tandem::transposed(a.view()), d.view(),
                 {.alpha = 2, .epilogue = tandem::bias(bias.view())});
  CHECK(first_difference(to_host(space, c), to_host(space, d)) == -1);
  tandem::array<float, 1, Space> sums(extents<1>(20), space);
  tandem::parallel_reduce_into(space, c, tandem::axis{0}, tandem::sum{}, sums);
  tandem::array<float, 0, Space> total(extents<0>{}, space);
  tandem::parallel_reduce_into(space, sums, tandem::maximum{}, total);
  CHECK(same_bits(to_host(space, total)[0],
                  tandem::parallel_reduce(space, sums, tandem::maximum<float>{})));
  CHECK(to_host(space, tandem::subview(a, 3, tandem::all)) ==
        to_host(space, tandem::subview(a.view(), 3, tandem::all)));
}

TEST_CASE("operands: containers of the host are operands of its spaces") {
  const host_space space;
  std::vector<float> v{3, 1, 2};
  tandem::sort(space, v);
  CHECK(v == std::vector<float>{1, 2, 3});
  std::array<float, 3> w{};
  tandem::parallel_scan(space, v, w);
  CHECK(w == std::array<float, 3>{1, 3, 6});
  const std::vector<float>& fixed = v;
  static_assert(std::is_same_v<tandem::as_view_t<decltype(fixed)>::element_type, const float>);
  CHECK(tandem::dot(space, fixed, std::span<float>(w)) == 1 + 6 + 18);
  float plain[] = {5, 7};
  CHECK(tandem::parallel_reduce(space, plain) == 12);
}

TEST_CASE("operands: anything like a std::mdspan is one") {
  struct every_other {
    using element_type = int;
    using reference = int&;
    int* data;
    static constexpr std::size_t rank() { return 2; }
    int* const& data_handle() const { return data; }  // by reference, as in libc++
    std::size_t extent(std::size_t d) const { return d == 0 ? 2 : 3; }
    std::size_t stride(std::size_t d) const { return d == 0 ? 6 : 2; }
  };
  int values[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const auto v = tandem::as_view(every_other{values});
  CHECK(v(1, 2) == 10);
  CHECK(tandem::parallel_reduce(tandem::serial{}, every_other{values}) == 0 + 2 + 4 + 6 + 8 + 10);
  std::vector<int> packed(6);
  tandem::copy(tandem::serial{}, every_other{values}, packed);
  CHECK(packed == std::vector<int>{0, 2, 4, 6, 8, 10});
  CHECK_THROWS_AS(tandem::copy(tandem::serial{}, every_other{values}, std::span(values, 5)),
                  tandem::extent_error);
}

TEST_CASE_TEMPLATE("copy: pointers with a count", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  const auto values = random_values<double>(24, 5);
  tandem::array<double, 2, Space> x(extents<2>(4, 6), space);
  tandem::copy(space, values.data(), values.size(), x);
  std::vector<double> back(24);
  tandem::copy(space, x, back.data(), 24);
  space.fence();
  CHECK(back == values);
  CHECK_THROWS_AS(tandem::copy(space, values.data(), 23, x), tandem::extent_error);
  CHECK_THROWS_AS(tandem::copy(space, values.data(), -1, x), tandem::extent_error);
}

TEST_CASE_TEMPLATE("reducers: without a type they take that of the terms", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto x = to_space(space, random_values<float>(1000, 6));
  const auto n = to_space(space, std::vector<std::int32_t>(1000, 2000000000));
  const auto v = x.view();
  const auto terms = TANDEM_LAMBDA(int i) { return v(i); };
  CHECK(same_bits(tandem::parallel_reduce(space, 1000, terms, tandem::maximum{}),
                  tandem::parallel_reduce(space, x, tandem::maximum<float>{})));
  tandem::maximum<float> variable;  // not const
  CHECK(same_bits(tandem::parallel_reduce(space, 1000, terms, variable),
                  tandem::parallel_reduce(space, x, variable)));
  static_assert(
      std::is_same_v<decltype(tandem::parallel_reduce(space, n, tandem::sum{})), std::int64_t>);
  CHECK(tandem::parallel_reduce(space, n, tandem::sum{}) == 2000000000000);
  static_assert(
      std::is_same_v<decltype(tandem::parallel_reduce(space, n, tandem::minimum{})), std::int32_t>);
  CHECK(tandem::parallel_reduce(space, n, tandem::bitwise_or{}) == 2000000000);
  CHECK(tandem::parallel_reduce(space, x, tandem::minloc{}).index ==
        tandem::argmin(space, x).index);
  const auto [total, ends] =
      tandem::parallel_reduce(space, x, tandem::combined_reducer{tandem::sum{}, tandem::minmax{}});
  const auto [total_of, ends_of] = tandem::parallel_reduce(
      space, x, tandem::combined_reducer{tandem::sum<float>{}, tandem::minmax<float>{}});
  CHECK(same_bits(total, total_of));
  CHECK(same_bits(ends.maximum, ends_of.maximum));
  tandem::array<std::int32_t, 1, typename Backend::space> running(extents<1>(1000), space);
  tandem::parallel_scan(space, n, running, tandem::maximum{});
  CHECK(to_host(space, running).back() == 2000000000);
}
