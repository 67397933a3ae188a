// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/packed_terms/int8/make_table.hpp>

/// Shared by the kernels of vpdpbusd, which multiplies unsigned bytes by signed ones: b is offset
/// by 128, which makes it unsigned.
namespace tandem::openmp_impl {
namespace {

typedef std::uint32_t eight_sums __attribute__((vector_size(32)));
typedef std::uint32_t four_sums __attribute__((vector_size(16)));

/// Returns the sum of the lanes.
[[gnu::always_inline]] inline std::uint32_t sum_lanes(eight_sums x) {
  four_sums y =
      __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
  y += __builtin_shufflevector(y, y, 2, 3, 0, 1);
  y += __builtin_shufflevector(y, y, 1, 0, 3, 2);
  return y[0];
}

/// Writes -128 * the sum of row i's terms in front of the row, which cancels what b's offset adds
/// to each of its sums, modulo 2^32.
template <class Lanes>
[[gnu::noinline]] void subtract_offset(std::int32_t* a, std::int64_t stride, std::int64_t rows,
                                       std::int64_t terms) {
  const auto offset = Lanes::broadcast(static_cast<std::int32_t>(0x80808080u));
  for (std::int64_t i = 0; i < rows; ++i, a += stride) {
    typename Lanes::vector sums{};
    std::int64_t l = 0;
    for (; l + Lanes::lanes <= terms; l += Lanes::lanes)
      sums = Lanes::dot(load<Lanes>(a + l), offset, sums);
    if (l < terms) {
      const auto rest = Lanes::first(static_cast<int>(terms - l));
      sums = Lanes::dot(Lanes::load_part(a + l, rest), offset, sums);
    }
    a[-1] = static_cast<std::int32_t>(0 - Lanes::total(sums));
  }
}

}  // namespace
}  // namespace tandem::openmp_impl
