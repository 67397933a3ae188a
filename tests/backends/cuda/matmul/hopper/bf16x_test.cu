// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// matmul of floats in parts of bf16: the error is no larger than that of floats, and an element's
// bits depend on its row of a and its column of b alone. All of this must also hold if the device
// computes `full` instead.

#include "backends/cuda/matmul/bf16x_model.hpp"
#include "support/backends.hpp"
#include "support/data.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include <tandem/backends/cuda/runtime/device_context.cuh>

using namespace tandem::test;

namespace {

using tandem::index_t;
using tandem::matmul_precision;

constexpr float unit = 0x1p-24f;  // unit roundoff of float

/// Operands of one product, row-major.
struct operands {
  index_t m, n, k;
  std::vector<float> a, b;
};

/// Returns normal numbers with exponents over `spread` powers of two, which are harder for parts of
/// 8 bits.
operands random_operands(index_t m, index_t n, index_t k, int spread, std::uint64_t seed) {
  operands x{m, n, k, random_values<float>(static_cast<std::size_t>(m * k), seed),
             random_values<float>(static_cast<std::size_t>(k * n), seed + 1)};
  if (spread == 0) return x;
  for (auto* values : {&x.a, &x.b}) {
    for (std::size_t i = 0; i < values->size(); ++i) {
      const auto power = static_cast<int>(mix(seed + i) % static_cast<unsigned>(spread));
      (*values)[i] = std::ldexp((*values)[i], power - spread / 2);
    }
  }
  return x;
}

std::vector<float> multiply(const tandem::cuda& space, const operands& x,
                            matmul_precision precision) {
  auto a = to_space(space, x.a);
  auto b = to_space(space, x.b);
  auto c = to_space(space, std::vector<float>(static_cast<std::size_t>(x.m * x.n),
                                              std::numeric_limits<float>::quiet_NaN()));
  using in = tandem::view<const float, 2, tandem::layout_right, tandem::device_memory>;
  using out = tandem::view<float, 2, tandem::layout_right, tandem::device_memory>;
  tandem::matmul(space, in(a.data_handle(), tandem::extents<2>(x.m, x.k)),
                 in(b.data_handle(), tandem::extents<2>(x.k, x.n)),
                 out(c.data_handle(), tandem::extents<2>(x.m, x.n)), {.precision = precision});
  return to_host(space, c);
}

/// Returns a float's bits; all NaNs count as equal.
std::uint32_t bits_of(float x) {
  return std::isnan(x) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(x);
}

/// Square root of the mean square of the errors, each in units of the sum of the products'
/// magnitudes.
struct error_of {
  double mean = 0;
  double largest = 0;
};
error_of measure(const operands& x, const std::vector<float>& c) {
  error_of error;
  for (index_t i = 0; i < x.m; ++i) {
    for (index_t j = 0; j < x.n; ++j) {
      double exact = 0;
      double magnitude = 0;
      for (index_t l = 0; l < x.k; ++l) {
        const double product = double{x.a[static_cast<std::size_t>(i * x.k + l)]} *
                               double{x.b[static_cast<std::size_t>(l * x.n + j)]};
        exact += product;
        magnitude += std::fabs(product);
      }
      const double value = c[static_cast<std::size_t>(i * x.n + j)];
      const double relative = std::fabs(value - exact) / magnitude;
      error.mean += relative * relative;
      error.largest = relative <= error.largest ? error.largest : relative;
    }
  }
  error.mean = std::sqrt(error.mean / static_cast<double>(x.m * x.n));
  return error;
}

/// Bounds the error relative to the sum of magnitudes. Each sum of 32 terms is truncated by 2
/// instructions that add the largest products, and by 10 that add products 2^-8 as large, by a unit
/// in the last place (2 u) each. The additions of up to 64 such sums, the additions of the chunks,
/// and the parts add to that.
double bound(index_t k) {
  const index_t in_chunk = k < 2048 ? k : 2048;
  return unit * (2.0 * 2 + 2.0 * 10 / 256 + static_cast<double>((in_chunk + 31) / 32) +
                 static_cast<double>(k / 2048) + 2.0);
}

}  // namespace

TEST_CASE("cuda matmul in bf16 parts: every element is that of the model") {
  const tandem::cuda space(0);
  const bool follows = tandem::cuda_impl::limits(space).compute_capability == 90;
  for (const index_t k : {index_t{1}, index_t{20}, index_t{100}, index_t{2100}, index_t{4200}}) {
    for (const int spread : {0, 60, 160}) {  // the last one has subnormal parts and products
      const operands x = random_operands(9, 11, k, spread, static_cast<std::uint64_t>(k + spread));
      const auto six = multiply(space, x, matmul_precision::bf16x6);
      const auto nine = multiply(space, x, matmul_precision::bf16x9);
      for (index_t i = 0; i < x.m && follows; ++i) {
        for (index_t j = 0; j < x.n; ++j) {
          CAPTURE(k);
          CAPTURE(spread);
          const auto kk = static_cast<std::size_t>(k);
          const std::span row(x.a.data() + i * k, kk);
          std::vector<float> column(kk);
          for (std::size_t l = 0; l < kk; ++l)
            column[l] = x.b[l * static_cast<std::size_t>(x.n) + static_cast<std::size_t>(j)];
          const auto at = static_cast<std::size_t>(i * x.n + j);
          CHECK(bits_of(six[at]) == bits_of(split_element(row, column, 6)));
          CHECK(bits_of(nine[at]) == bits_of(split_element(row, column, 9)));
        }
      }
    }
  }
}

TEST_CASE("cuda matmul in bf16 parts: the error is within its bound and below that of floats") {
  const tandem::cuda space(0);
  for (const index_t k : {index_t{1}, index_t{31}, index_t{64}, index_t{1000}, index_t{5000}}) {
    for (const int spread : {0, 12}) {
      const operands x = random_operands(40, 37, k, spread, static_cast<std::uint64_t>(k));
      const error_of full = measure(x, multiply(space, x, matmul_precision::full));
      for (const auto precision : {matmul_precision::bf16x6, matmul_precision::bf16x9}) {
        CAPTURE(k);
        CAPTURE(spread);
        const error_of parts = measure(x, multiply(space, x, precision));
        CHECK(parts.largest <= bound(k));
        if (k >= 64) CHECK(parts.mean <= full.mean);
      }
    }
  }
}

TEST_CASE("cuda matmul in bf16 parts: a row alone and a sub-block have the bits of the whole") {
  const tandem::cuda space(0);
  const operands x = random_operands(300, 270, 2100, 0, 5);
  const auto whole = multiply(space, x, matmul_precision::bf16x6);
  operands part{1, 100, x.k, {}, {}};
  part.a.assign(x.a.begin() + 137 * x.k, x.a.begin() + 138 * x.k);
  for (index_t l = 0; l < x.k; ++l) {
    const auto row = x.b.begin() + l * x.n + 150;
    part.b.insert(part.b.end(), row, row + part.n);
  }
  const auto alone = multiply(space, part, matmul_precision::bf16x6);
  const std::vector<float> expected(whole.begin() + 137 * x.n + 150,
                                    whole.begin() + 137 * x.n + 250);
  CHECK(first_difference(alone, expected) == -1);
}

TEST_CASE("cuda matmul in bf16 parts: layouts of a, b and c do not change a bit") {
  const tandem::cuda space(0);
  using tandem::matmul;
  const index_t m = 131;
  const index_t n = 70;
  const index_t k = 90;
  const operands x = random_operands(m, n, k, 4, 9);
  const auto expected = multiply(space, x, matmul_precision::bf16x6);
  const tandem::extents<2> of_a(m, k);
  const tandem::extents<2> of_b(k, n);
  const tandem::extents<2> of_c(m, n);
  tandem::array<float, 2, tandem::cuda, tandem::layout_left> a(of_a, space);
  tandem::array<float, 2, tandem::cuda, tandem::layout_left> b(of_b, space);
  tandem::array<float, 2, tandem::cuda, tandem::layout_left> c(of_c, space);
  using host = tandem::view<const float, 2, tandem::layout_right, tandem::host_memory>;
  tandem::copy(space, host(x.a.data(), of_a), a);
  tandem::copy(space, host(x.b.data(), of_b), b);
  matmul(space, a.const_view(), b.const_view(), c.view(), {.precision = matmul_precision::bf16x6});
  CHECK(first_difference(to_host(space, c), expected) == -1);
}

TEST_CASE("cuda matmul in bf16 parts: what is not finite comes out as floats have it") {
  const tandem::cuda space(0);
  operands x = random_operands(70, 66, 100, 0, 11);
  const auto at = [&](std::vector<float>& values, std::size_t i) -> float& { return values[i]; };
  at(x.a, 5 * 100 + 3) = std::numeric_limits<float>::infinity();
  at(x.a, 9 * 100 + 1) = std::numeric_limits<float>::quiet_NaN();
  at(x.b, 7 * 66 + 11) = -std::numeric_limits<float>::infinity();
  at(x.b, 3 * 66 + 12) = 0;                               // infinity * 0 is NaN
  at(x.b, 3 * 66 + 13) = 1;                               // its other parts are 0
  at(x.a, 30 * 100) = std::numeric_limits<float>::max();  // would be infinite as bf16
  at(x.b, 20) = 0.5f;
  const auto full = multiply(space, x, matmul_precision::full);
  const auto parts = multiply(space, x, matmul_precision::bf16x6);
  for (std::size_t i = 0; i < full.size(); ++i) {
    CAPTURE(i);
    const bool same = full[i] == parts[i] || (std::isnan(full[i]) && std::isnan(parts[i]));
    if (std::isfinite(full[i])) {
      CHECK(std::isfinite(parts[i]));
    } else {
      CHECK(same);
    }
  }
}

TEST_CASE(
    "cuda matmul in bf16 parts: beta, bias and activations end an element as they do floats") {
  const tandem::cuda space(0);
  const index_t m = 67;
  const index_t n = 130;
  const operands x = random_operands(m, n, 40, 0, 13);
  const auto product = multiply(space, x, matmul_precision::bf16x6);
  const auto biases = random_values<float>(static_cast<std::size_t>(n), 3);
  const auto old = random_values<float>(static_cast<std::size_t>(m * n), 4);
  auto a = to_space(space, x.a);
  auto b = to_space(space, x.b);
  auto bias = to_space(space, biases);
  using in = tandem::view<const float, 2, tandem::layout_right, tandem::device_memory>;
  using out = tandem::view<float, 2, tandem::layout_right, tandem::device_memory>;
  for (const auto activation : {tandem::matmul_activation::none, tandem::matmul_activation::relu,
                                tandem::matmul_activation::gelu}) {
    auto c = to_space(space, old);
    tandem::matmul(space, in(a.data_handle(), tandem::extents<2>(m, x.k)),
                   in(b.data_handle(), tandem::extents<2>(x.k, n)),
                   out(c.data_handle(), tandem::extents<2>(m, n)),
                   {.alpha = 2.0f,
                    .beta = -0.5f,
                    .precision = matmul_precision::bf16x6,
                    .epilogue = tandem::bias(bias.const_view(), activation)});
    std::vector<float> expected(old.size());
    const tandem::detail::element_epilogue<float> finish{2.0f, -0.5f, biases.data(),
                                                         0,    1,     activation};
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto row = static_cast<index_t>(i) / n;
      expected[i] = finish(product[i], old[i], row, static_cast<index_t>(i) - row * n);
    }
    CHECK(first_difference(to_host(space, c), expected) == -1);
  }
}
