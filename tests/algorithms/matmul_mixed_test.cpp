// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>

#include "support/backends.hpp"
#include "support/data.hpp"

// Products of 16-bit floats and of 8-bit integers, which the host's backends alone compute.
#ifndef TANDEM_TEST_CUDA

using namespace tandem::test;

namespace {

/// Values of a type that the random ones of floats round to; every so often a special one.
template <class In>
std::vector<In> inputs(std::size_t count, std::uint64_t seed) {
  std::vector<In> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = mix(seed + i);
    if constexpr (std::is_integral_v<In>) {
      values[i] = static_cast<In>(static_cast<std::int64_t>(bits % 256) - 128);
    } else {
      // Of one in sixteen the exponent is whatever it may be, subnormal numbers included.
      const auto some = static_cast<std::uint16_t>(bits >> 8);
      const bool any = bits % 16 == 0;
      values[i] = any ? In::from_bits(static_cast<std::uint16_t>(some & 0xbfffu))
                      : In(static_cast<float>(static_cast<std::int64_t>(bits % 2001) - 1000) / 512);
    }
  }
  return values;
}

/// What c must hold by the definition: sums in floats, or exact ones modulo 2^32.
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

template <class T, class In, class Space>
void check_types(const Space& space, tandem::index_t m, tandem::index_t n, tandem::index_t k,
                 int alpha, int beta) {
  using Scalar = tandem::detail::matmul_sum_t<T>;
  const auto as = inputs<In>(static_cast<std::size_t>(m * k), 1);
  const auto bs = inputs<In>(static_cast<std::size_t>(k * n), 1000003);
  std::vector<T> cs(static_cast<std::size_t>(m * n));
  for (std::size_t i = 0; i < cs.size(); ++i) cs[i] = static_cast<T>(static_cast<Scalar>(i % 7));
  auto c = cs;
  const auto a_view = tandem::as_view<tandem::host_memory>(as.data(), m, k);
  const auto b_view = tandem::as_view<tandem::host_memory>(bs.data(), k, n);
  tandem::matmul(space, a_view, b_view, tandem::as_view<tandem::host_memory>(c.data(), m, n),
                 {.alpha = static_cast<Scalar>(alpha), .beta = static_cast<Scalar>(beta)});
  INFO("m = " << m << ", n = " << n << ", k = " << k << ", beta = " << beta);
  CHECK(
      same_bits(c, definition(as, bs, cs, static_cast<std::size_t>(n), static_cast<std::size_t>(k),
                              static_cast<float>(alpha), static_cast<float>(beta))));
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
      check_types<float, tandem::half>(space, size[0], size[1], size[2], 3, beta);
      check_types<float, tandem::bf16>(space, size[0], size[1], size[2], 3, beta);
      check_types<tandem::half, tandem::half>(space, size[0], size[1], size[2], 3, beta);
      check_types<tandem::bf16, tandem::bf16>(space, size[0], size[1], size[2], 3, beta);
      check_types<std::int32_t, std::int8_t>(space, size[0], size[1], size[2], 3, beta);
    }
  }
}

TEST_CASE_TEMPLATE("matmul: the largest 8-bit integers stay exact over a chunk and beyond", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  const std::vector<std::int8_t> lowest(3 * 5000, -128);
  std::vector<std::int32_t> c(9);
  tandem::matmul(space, tandem::as_view<tandem::host_memory>(lowest.data(), 3, 5000),
                 tandem::as_view<tandem::host_memory>(lowest.data(), 5000, 3),
                 tandem::as_view<tandem::host_memory>(c.data(), 3, 3));
  CHECK(c == std::vector<std::int32_t>(9, 5000 * 128 * 128));
}

TEST_CASE_TEMPLATE("matmul: every half becomes the float that it is", Backend,
                   TANDEM_TEST_BACKENDS) {
  const auto space = Backend::make();
  std::vector<tandem::half> all(std::size_t{1} << 16);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = tandem::half::from_bits(static_cast<std::uint16_t>(i));
  const tandem::half one(1.0f);
  std::vector<float> c(all.size());
  tandem::matmul(space, tandem::as_view<tandem::host_memory>(all.data(), 1 << 16, 1),
                 tandem::as_view<tandem::host_memory>(&one, 1, 1),
                 tandem::as_view<tandem::host_memory>(c.data(), 1 << 16, 1));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const float wanted = std::fma(float{all[i]}, 1.0f, 0.0f);
    wrong += c[i] != wanted && !(std::isnan(c[i]) && std::isnan(wanted));
  }
  CHECK(wrong == 0);
}

#endif
