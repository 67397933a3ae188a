// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of operands of the host, tile by tile and piece by piece of k, have the bits of the
// product on one space, whatever the budget.

#include <array>

#include "distributed/support.hpp"

using namespace tandem::test;
using tandem::index_t;

namespace {

template <class T>
T element(std::uint64_t number) {
  const std::uint64_t bits = mix(number);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits);
  } else {
    return static_cast<T>(static_cast<float>(static_cast<double>(bits % 20001) / 10000 - 1));
  }
}

template <class T>
std::vector<T> elements(index_t count, std::uint64_t seed) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = element<T>(seed * 1000003 + i);
  return values;
}

/// A matrix of the host, by rows or by columns, in a buffer with gaps.
template <class T>
struct matrix {
  using view_type = tandem::view<T, 2, tandem::layout_stride, tandem::host_memory>;
  index_t rows;
  index_t columns;
  bool by_columns;
  std::vector<T> data;

  matrix(index_t m, index_t n, bool down, std::uint64_t seed)
      : rows(m), columns(n), by_columns(down), data(elements<T>((m + 3) * (n + 3), seed)) {}

  view_type view() {
    const std::array<index_t, 2> steps =
        by_columns ? std::array<index_t, 2>{1, rows + 3} : std::array<index_t, 2>{columns + 3, 1};
    tandem::extents<2> strides(steps[0], steps[1]);
    return {data.data(),
            tandem::layout_stride::mapping<2>(tandem::extents<2>(rows, columns), strides)};
  }
};

template <class T, class Space>
auto on_space(const Space& space, matrix<T>& x) {
  tandem::array<T, 2, Space> there({x.rows, x.columns}, space);
  tandem::copy(space, x.view(), there);
  return there;
}

struct shape {
  index_t m;
  index_t n;
  index_t k;
};

std::vector<std::size_t> budgets() {
  return {std::size_t{64} << 10, std::size_t{300} << 10, std::size_t{8} << 30};
}

/// Compares a streamed product with the product on one space.
template <class T, class In, class Backend>
void compare_products(
    const shape& size, std::size_t budget, bool down,
    const tandem::matmul_options<tandem::detail::matmul_sum_t<T>, tandem::host_memory>& options) {
  using Space = typename Backend::space;
  const auto space = Backend::make();
  matrix<In> a(size.m, size.k, down, 1);
  matrix<In> b(size.k, size.n, !down, 2);
  matrix<T> c(size.m, size.n, down, 3);
  const auto a0 = on_space(space, a);
  const auto b0 = on_space(space, b);
  auto c0 = on_space(space, c);
  tandem::detail::matmul_options_for<Space, decltype(c0)> plain{.alpha = options.alpha,
                                                                .beta = options.beta,
                                                                .precision = options.precision,
                                                                .split_k = options.split_k};
  plain.epilogue.activation = options.epilogue.activation;
  using Sum = tandem::detail::matmul_sum_t<T>;
  tandem::array<Sum, 1, Space> bias(tandem::extents<1>(size.n), space);
  if (options.epilogue.bias) {
    tandem::copy(space, *options.epilogue.bias, bias);
    plain.epilogue.bias = std::as_const(bias).view();
  }
  tandem::matmul(space, a0, b0, c0, plain);
  const auto before = c.data;
  tandem::matmul(tandem::streamed(space, {.budget = budget}), a.view(), b.view(), c.view(),
                 options);
  const auto wanted = tandem::to_vector(space, c0);
  std::vector<T> found;
  for (index_t i = 0; i < size.m; ++i)
    for (index_t j = 0; j < size.n; ++j) found.push_back(c.view()(i, j));
  CHECK(first_difference(found, wanted) == -1);
  // What is not in c stays as it was.
  index_t touched = 0;
  for (std::size_t i = 0; i < before.size(); ++i) touched += c.data[i] != before[i] ? 1 : 0;
  CHECK(touched <= size.m * size.n);
}

template <class T, class In, class Backend>
void compare_types() {
  using Sum = tandem::detail::matmul_sum_t<T>;
  const auto bias = elements<Sum>(90, 4);
  const Sum two = Sum{2};
  for (const shape& size : {shape{37, 61, 2100}, shape{1, 90, 3000}, shape{50, 1, 1024},
                            shape{33, 34, 0}, shape{3, 3, 9000}, shape{40, 70, 1025}}) {
    const auto bias_view = tandem::subview(tandem::as_view(bias), tandem::slice{0, size.n});
    for (const std::size_t budget : budgets()) {
      compare_products<T, In, Backend>(size, budget, false, {});
      compare_products<T, In, Backend>(size, budget, true, {.alpha = two, .beta = Sum{3}});
      compare_products<T, In, Backend>(
          size, budget, true,
          {.alpha = two,
           .epilogue = tandem::bias(bias_view, tandem::matmul_activation::relu),
           .split_k = true});
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("streamed: products of floats and doubles", Backend, TANDEM_TEST_BACKENDS) {
  compare_types<float, float, Backend>();
  compare_types<double, double, Backend>();
}

TEST_CASE_TEMPLATE("streamed: products of 16-bit floats and of 8-bit integers", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto bias = elements<float>(61, 4);
  for (const bool split_k : {false, true}) {
    for (const std::size_t budget : {std::size_t{512} << 10, std::size_t{8} << 30}) {
      const tandem::matmul_options<float, tandem::host_memory> options{
          .alpha = 0.5f,
          .beta = -1.0f,
          .epilogue = tandem::bias(bias, tandem::matmul_activation::gelu),
          .split_k = split_k};
      for (const shape& size : {shape{37, 61, 2100}, shape{5, 61, 17000}}) {
        compare_products<tandem::bf16, tandem::bf16, Backend>(size, budget, false, options);
        compare_products<tandem::half, tandem::half, Backend>(size, budget, true, options);
        compare_products<float, tandem::half, Backend>(size, budget, false, options);
      }
    }
  }
  compare_products<std::int32_t, std::int8_t, Backend>({37, 61, 9000}, 100000, false,
                                                       {.alpha = 3, .beta = -2});
  compare_products<std::int32_t, std::int8_t, Backend>({37, 61, 9000}, 100000, true, {});
}

TEST_CASE_TEMPLATE("streamed: products with a reduced precision", Backend, TANDEM_TEST_BACKENDS) {
  using enum tandem::matmul_precision;
  for (const auto precision : {tf32, bf16x6, bf16x9}) {
    for (const std::size_t budget : {std::size_t{1} << 20, std::size_t{8} << 30}) {
      compare_products<float, float, Backend>({37, 61, 2100}, budget, false,
                                              {.precision = precision});
      compare_products<float, float, Backend>({5, 7, 16500}, budget, true,
                                              {.beta = 2.0f, .precision = precision});
    }
  }
}
