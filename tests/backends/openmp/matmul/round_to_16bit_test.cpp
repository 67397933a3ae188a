// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include <tandem/backends/openmp/matmul/epilogue.hpp>

#include "support/data.hpp"
#include "support/matmuls.hpp"

using namespace tandem::test;

namespace {

/// Floats with each upper half, and with lower halves around those at which rounding changes.
std::vector<float> all_kinds() {
  std::vector<float> values;
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (const std::uint32_t lower : {0x0u, 0x1u, 0x0fffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u,
                                      0x8001u, 0xefffu, 0xf000u, 0xf001u})
      values.push_back(std::bit_cast<float>(upper << 16 | lower));
  }
  return values;
}

/// Rounds all of them to elements `step` apart; compares those and the elements in between.
template <class T>
void check_rounding(float alpha, float beta, std::size_t step) {
  const auto values = all_kinds();
  std::vector<T> before(values.size() * step);
  for (std::size_t i = 0; i < before.size(); ++i)
    before[i] = T(static_cast<float>(static_cast<int>(mix(i) % 1999)) - 999.5f);
  auto wanted = before;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float scaled = alpha * values[i];
    const float old{before[i * step]};
    wanted[i * step] = T(beta == 0 ? scaled : std::fma(beta, old, scaled));
  }
  auto got = before;
  const auto rows = tandem::index_t{11};
  const auto columns = static_cast<tandem::index_t>(values.size()) / rows;
  const auto column = static_cast<tandem::index_t>(step);
  tandem::openmp_impl::round_totals({rows, columns, alpha, beta, columns * column, column},
                                    values.data(), got.data());
  CHECK(first_other(got, wanted) == -1);
}

}  // namespace

TEST_CASE_TEMPLATE("openmp matmul: results are rounded in vectors as one at a time", T,
                   tandem::half, tandem::bf16) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{3}}) {
    check_rounding<T>(1.0f, 0.0f, step);
    check_rounding<T>(-0.75f, 0.0f, step);
    check_rounding<T>(0x1.8p-9f, 1.25f, step);
  }
}
