// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>

#include "support/backends.hpp"
#include "support/data.hpp"

// Products of 16-bit floats and of 8-bit integers. On a device the tensor cores round the former:
// matmul_sweep_test.cpp checks those against a bound.

using namespace tandem::test;

namespace {

/// Returns random floats rounded to the type, with occasional special values.
template <class In>
std::vector<In> inputs(std::size_t count, std::uint64_t seed) {
  std::vector<In> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = mix(seed + i);
    if constexpr (std::is_integral_v<In>) {
      values[i] = static_cast<In>(static_cast<std::int64_t>(bits % 256) - 128);
    } else {
      // One value in sixteen has a random exponent, subnormal numbers included.
      const auto some = static_cast<std::uint16_t>(bits >> 8);
      const bool any = bits % 16 == 0;
      values[i] = any ? In::from_bits(static_cast<std::uint16_t>(some & 0xbfffu))
                      : In(static_cast<float>(static_cast<std::int64_t>(bits % 2001) - 1000) / 512);
    }
  }
  return values;
}

/// Computes what c must hold by the definition: sums in floats, or exact ones modulo 2^32.
template <class T, class In>
std::vector<T> definition(const std::vector<In>& a, const std::vector<In>& b, std::vector<T> c,
                          std::size_t n, std::size_t k, float alpha, float beta) {
  for (std::size_t at = 0; at < c.size(); ++at) {
    const In* row = a.data() + at / n * k;
    const In* column = b.data() + at % n;
    if constexpr (std::is_integral_v<In>) {
      std::int64_t total = 0;
      for (std::size_t l = 0; l < k; ++l) total += std::int64_t{row[l]} * column[l * n];
      const std::int64_t before = beta == 0 ? 0 : static_cast<std::int64_t>(beta) * c[at];
      c[at] = static_cast<T>(static_cast<std::uint32_t>(
          static_cast<std::uint64_t>(static_cast<std::int64_t>(alpha) * total + before)));
    } else {
      float total = 0;
      for (std::size_t begin = 0; begin < k; begin += 1024) {
        float chain = 0;
        for (std::size_t l = begin; l < k && l < begin + 1024; ++l)
          chain = std::fma(float{row[l]}, float{column[l * n]}, chain);
        total = begin == 0 ? chain : total + chain;
      }
      const float scaled = alpha * total;
      c[at] = T(beta == 0 ? scaled : std::fma(beta, float{c[at]}, scaled));
    }
  }
  return c;
}

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() &&
         (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
}

/// Places the elements as a row-major matrix in the memory of `space`.
template <class T, class Space>
tandem::array<T, 2, Space> matrix(const Space& space, tandem::index_t rows, tandem::index_t columns,
                                  const std::vector<T>& elements) {
  tandem::array<T, 2, Space> result(tandem::extents<2>(rows, columns), space);
  tandem::copy(space, elements, result);
  space.fence();
  return result;
}

template <class T, class In, class Space>
void check_types(const Space& space, tandem::index_t m, tandem::index_t n, tandem::index_t k,
                 int alpha, int beta) {
  using Scalar = tandem::detail::matmul_sum_t<T>;
  const auto as = inputs<In>(static_cast<std::size_t>(m * k), 1);
  const auto bs = inputs<In>(static_cast<std::size_t>(k * n), 1000003);
  std::vector<T> cs(static_cast<std::size_t>(m * n));
  for (std::size_t i = 0; i < cs.size(); ++i) cs[i] = static_cast<T>(static_cast<Scalar>(i % 7));
  auto a = matrix(space, m, k, as);
  auto b = matrix(space, k, n, bs);
  auto c = matrix(space, m, n, cs);
  tandem::matmul(space, a.const_view(), b.const_view(), c.view(),
                 {.alpha = static_cast<Scalar>(alpha), .beta = static_cast<Scalar>(beta)});
  INFO("m = " << m << ", n = " << n << ", k = " << k << ", beta = " << beta);
  CHECK(same_bits(to_host(space, c),
                  definition(as, bs, cs, static_cast<std::size_t>(n), static_cast<std::size_t>(k),
                             static_cast<float>(alpha), static_cast<float>(beta))));
}

/// Multiplies every 16-bit number by one, as a float.
template <class In, class Space>
std::size_t wrongly_widened(const Space& space) {
  std::vector<In> all(std::size_t{1} << 16);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = In::from_bits(static_cast<std::uint16_t>(i));
  auto a = matrix(space, 1 << 16, 1, all);
  auto one = matrix(space, 1, 1, std::vector<In>{In(1.0f)});
  tandem::array<float, 2, Space> c(tandem::extents<2>(1 << 16, 1), space);
  tandem::matmul(space, a.const_view(), one.const_view(), c.view());
  const auto got = to_host(space, c);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const float wanted = float{all[i]};
    wrong += got[i] != wanted && !(std::isnan(got[i]) && std::isnan(wanted));
  }
  return wrong;
}

}  // namespace

TEST_CASE_TEMPLATE("matmul: half, bf16 and 8-bit integers have the definition's bits", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const tandem::index_t sizes[][3] = {{1, 1, 1},     {5, 3, 0},      {31, 33, 32},
                                      {64, 64, 64},  {17, 19, 1025}, {100, 130, 70},
                                      {3, 50, 2049}, {1, 300, 40},   {300, 1, 40}};
  for (const auto& size : sizes) {
    for (const int beta : {0, -2}) {
      check_types<std::int32_t, std::int8_t>(space, size[0], size[1], size[2], 3, beta);
      if constexpr (!Backend::on_device) {
        check_types<float, tandem::half>(space, size[0], size[1], size[2], 3, beta);
        check_types<float, tandem::bf16>(space, size[0], size[1], size[2], 3, beta);
        check_types<tandem::half, tandem::half>(space, size[0], size[1], size[2], 3, beta);
        check_types<tandem::bf16, tandem::bf16>(space, size[0], size[1], size[2], 3, beta);
      }
    }
  }
}

TEST_CASE_TEMPLATE("matmul: the largest 8-bit integers stay exact over a chunk and beyond", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const std::vector<std::int8_t> lowest(3 * 5000, -128);
  auto a = matrix(space, 3, 5000, lowest);
  auto b = matrix(space, 5000, 3, lowest);
  auto c = matrix(space, 3, 3, std::vector<std::int32_t>(9));
  tandem::matmul(space, a.const_view(), b.const_view(), c.view());
  CHECK(to_host(space, c) == std::vector<std::int32_t>(9, 5000 * 128 * 128));
}

TEST_CASE_TEMPLATE("matmul: every half and bf16 becomes the float that it is", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  CHECK(wrongly_widened<tandem::half>(space) == 0);
  CHECK(wrongly_widened<tandem::bf16>(space) == 0);
}
