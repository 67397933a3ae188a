// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backends.hpp"
#include "support/data.hpp"

using namespace tandem::test;
using tandem::index_t;
using tandem::matmul_activation;

namespace {

template <class T, class Space>
tandem::array<T, 2, Space> matrix(const Space& space, index_t rows, index_t columns,
                                  std::uint64_t seed) {
  tandem::array<T, 2, Space> a(tandem::extents<2>(rows, columns), space);
  tandem::copy(space, random_values<T>(static_cast<std::size_t>(rows * columns), seed), a);
  space.fence();
  return a;
}

/// Applies the epilogue to the elements of a product, row-major.
template <class T>
std::vector<T> finished(std::vector<T> c, std::size_t columns, const std::vector<T>& bias,
                        matmul_activation activation) {
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (!bias.empty()) c[i] = c[i] + bias[i % columns];
    if (activation == matmul_activation::relu) c[i] = c[i] < 0 ? T{0} : c[i];
    if (activation == matmul_activation::gelu) c[i] = tandem::gelu(c[i]);
  }
  return c;
}

/// Compares each epilogue with the one applied by hand to the product's elements.
template <class T, class Space>
void check_epilogues(const Space& space, index_t m, index_t n, index_t k) {
  auto a = matrix<T>(space, m, k, 1);
  auto b = matrix<T>(space, k, n, 2);
  auto c = matrix<T>(space, m, n, 3);
  auto c_before = to_host(space, c);
  const auto values = random_values<T>(static_cast<std::size_t>(n), 4);
  auto v = to_space(space, values);
  tandem::matmul(space, a.const_view(), b.const_view(), c.view(), {.alpha = T(0.5), .beta = T(2)});
  const auto product = to_host(space, c);
  const auto check = [&](const auto& epilogue, const std::vector<T>& bias,
                         matmul_activation activation) {
    tandem::copy(space, c_before, c);
    tandem::matmul(space, a.const_view(), b.const_view(), c.view(),
                   {.alpha = T(0.5), .beta = T(2), .epilogue = epilogue});
    INFO("m = " << m << ", n = " << n << ", k = " << k);
    CHECK(first_difference(to_host(space, c),
                           finished(product, static_cast<std::size_t>(n), bias, activation)) == -1);
  };
  using Epilogue = tandem::matmul_epilogue<T, typename Space::memory_type>;
  for (const auto activation :
       {matmul_activation::none, matmul_activation::relu, matmul_activation::gelu}) {
    check(tandem::bias(v.const_view(), activation), values, activation);
    check(Epilogue{.activation = activation}, {}, activation);
  }
}

struct halved {
  TANDEM_FUNCTION float operator()(float x) const { return 0.5f * x; }
};
struct only_upper {
  TANDEM_FUNCTION float operator()(index_t row, index_t column, float x) const {
    return column >= row ? x : 0.0f;
  }
};
struct gelu_of {
  TANDEM_FUNCTION float operator()(float x) const { return tandem::gelu(x); }
  TANDEM_FUNCTION double operator()(double x) const { return tandem::gelu(x); }
};

/// Returns values that commonly break arithmetic, and values of every magnitude.
template <class T>
std::vector<T> values_for_gelu() {
  std::vector<T> values = hostile_values<T>(1000, 4);
  for (int e = std::is_same_v<T, float> ? -149 : -1074; e < 12; ++e) {
    for (const double x : {1.0, 1.37, -1.0, -1.71})
      values.push_back(static_cast<T>(std::ldexp(x, e)));
  }
  for (std::uint64_t i = 0; i < 200000; ++i) values.push_back(random_value<T>(8, i) / 2);
  return values;
}

}  // namespace

TEST_CASE_TEMPLATE("matmul: bias, relu and gelu are what they are after the product", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const index_t sizes[][3] = {{1, 1, 1},    {7, 5, 0},      {33, 65, 20},  {1, 300, 70},
                              {300, 1, 70}, {20, 30, 2500}, {130, 70, 40}, {200, 260, 130}};
  for (const auto& size : sizes) {
    check_epilogues<float>(space, size[0], size[1], size[2]);
    check_epilogues<double>(space, size[0], size[1], size[2]);
  }
}

TEST_CASE_TEMPLATE("gelu: the same bits on every backend", Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const auto check = [&](auto zero) {
    using T = decltype(zero);
    const auto values = values_for_gelu<T>();
    auto x = to_space(space, values);
    tandem::transform(space, x.const_view(), x.view(), gelu_of{});
    std::vector<T> expected = values;
    for (T& value : expected) value = tandem::gelu(value);
    CHECK(first_difference(to_host(space, x), expected) == -1);
  };
  check(0.0f);
  check(0.0);
}

TEST_CASE_TEMPLATE("matmul: an epilogue reaches a c by columns, a batch and an empty k", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  auto v = to_space(space, std::vector<float>{1, -2, 3});
  tandem::array<float, 3, Space> a(tandem::extents<3>(2, 4, 5), 0.0f, space);
  tandem::array<float, 2, Space> b(tandem::extents<2>(5, 3), 1.0f, space);
  tandem::array<float, 3, Space, tandem::layout_left> c(tandem::extents<3>(2, 4, 3), 5.0f, space);
  std::vector<float> expected;
  for (int row = 0; row < 8; ++row) expected.insert(expected.end(), {1, 0, 3});
  const auto options = tandem::bias(v.const_view(), matmul_activation::relu);
  tandem::matmul(space, a.const_view(), b.const_view(), c.view(), {.epilogue = options});
  CHECK(to_host(space, c) == expected);
  tandem::array<float, 3, Space> no_a(tandem::extents<3>(2, 4, 0), space);
  tandem::array<float, 2, Space> no_b(tandem::extents<2>(0, 3), space);
  tandem::matmul(space, no_a.const_view(), no_b.const_view(), c.view(), {.epilogue = options});
  CHECK(to_host(space, c) == expected);
  tandem::matmul(space, no_a.const_view(), no_b.const_view(), c.view(),
                 {.beta = 3.0f, .epilogue = options});
  for (float& x : expected) x = x == 1.0f ? 4.0f : x == 3.0f ? 12.0f : 0.0f;
  CHECK(to_host(space, c) == expected);
}

TEST_CASE_TEMPLATE("matmul: relu and gelu keep NaN, and a bias may be NaN", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  auto v = to_space(space, std::vector<float>{0, nan, -1});
  tandem::array<float, 2, Space> a(tandem::extents<2>(1, 1), -2.0f, space);
  tandem::array<float, 2, Space> b(tandem::extents<2>(1, 3), 1.0f, space);
  tandem::array<float, 2, Space> c(tandem::extents<2>(1, 3), nan, space);
  tandem::matmul(space, a.const_view(), b.const_view(), c.view(),
                 {.epilogue = tandem::bias(v.const_view(), matmul_activation::relu)});
  CHECK(first_difference(to_host(space, c), {0, nan, 0}) == -1);
  tandem::matmul(space, a.const_view(), b.const_view(), c.view(),
                 {.epilogue = tandem::bias(v.const_view(), matmul_activation::gelu)});
  CHECK(first_difference(to_host(space, c), {tandem::gelu(-2.0f), nan, tandem::gelu(-3.0f)}) == -1);
}

TEST_CASE_TEMPLATE("matmul: a user's function sees each finished element once", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  tandem::array<float, 3, Space> a(tandem::extents<3>(2, 3, 4), 1.0f, space);
  tandem::array<float, 2, Space> b(tandem::extents<2>(4, 3), 2.0f, space);
  tandem::array<float, 3, Space> c(tandem::extents<3>(2, 3, 3), space);
  tandem::matmul(space, a.const_view(), b.const_view(), c.view(), {}, halved{});
  CHECK(to_host(space, c) == std::vector<float>(18, 4.0f));
  tandem::matmul(space, a.const_view(), b.const_view(), c.view(), {.alpha = 2.0f}, only_upper{});
  std::vector<float> expected;
  for (int entry = 0; entry < 2; ++entry)
    expected.insert(expected.end(), {16, 16, 16, 0, 16, 16, 0, 0, 16});
  CHECK(to_host(space, c) == expected);
  const float factor = 3.0f;
  const auto scaled = TANDEM_LAMBDA(float x) { return factor * x; };
  tandem::matmul(space, a.const_view(), b.const_view(), c.view(), {}, scaled);
  CHECK(to_host(space, c) == std::vector<float>(18, 24.0f));
}

TEST_CASE_TEMPLATE("matmul: an epilogue that does not fit is refused before anything is written",
                   Backend, TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  using Space = typename Backend::space;
  using memory = typename Space::memory_type;
  tandem::array<float, 2, Space> a(tandem::extents<2>(3, 4), 1.0f, space);
  tandem::array<float, 2, Space> b(tandem::extents<2>(4, 5), 1.0f, space);
  tandem::array<float, 2, Space> c(tandem::extents<2>(3, 5), 7.0f, space);
  tandem::array<float, 1, Space> v(tandem::extents<1>(4), 1.0f, space);
  const auto with = [&](const auto& bias) {
    tandem::matmul(space, a.view(), b.view(), c.view(), {.epilogue = tandem::bias(bias)});
  };
  CHECK_THROWS_WITH_AS(with(v.view()), "matmul: elements of bias (4) != columns of c (5)",
                       tandem::extent_error);
  const tandem::view<float, 1, tandem::layout_right, memory> none(nullptr, tandem::extents<1>(0));
  CHECK_THROWS_AS(with(none), tandem::extent_error);
  const tandem::view<float, 1, tandem::layout_right, memory> nowhere(nullptr,
                                                                     tandem::extents<1>(5));
  CHECK_THROWS_AS(with(nowhere), tandem::argument_error);
  CHECK_THROWS_WITH_AS(with(tandem::subview(c.view(), 1, tandem::all)),
                       "matmul: c overlaps the bias", tandem::argument_error);
  tandem::array<std::int8_t, 2, Space> bytes(tandem::extents<2>(3, 3), std::int8_t{1}, space);
  tandem::array<std::int32_t, 2, Space> sums(tandem::extents<2>(3, 3), 7, space);
  CHECK_THROWS_WITH_AS(tandem::matmul(space, bytes.view(), bytes.view(), sums.view(),
                                      {.epilogue = {.activation = matmul_activation::gelu}}),
                       "matmul: gelu of integers", tandem::argument_error);
  CHECK(to_host(space, c) == std::vector<float>(15, 7.0f));
  CHECK(to_host(space, sums) == std::vector<std::int32_t>(9, 7));
}
