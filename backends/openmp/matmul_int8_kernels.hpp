// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul_kernels.hpp>

/// Products of 8-bit integers as products of 32-bit elements, each of which holds the next few
/// terms of a row of a or a column of b: as many as one instruction multiplies and adds up in a
/// lane. As matmul_kernels.hpp, for files of one instruction set.
namespace tandem::openmp_impl {

/// A part of an operand to be packed: element (i, l) lies at source[i * across + l * along] for i <
/// count and l < terms, i being a row of a or a column of b.
///
/// Terms g * q .. g * q + g - 1 of i go into one element, of a into to[i * stride + q], of b into
/// to[q * stride + i]; where there are no more terms they are zeros in a, and anything in b.
struct int8_pack {
  const std::int8_t* source = nullptr;
  std::int64_t across = 0;
  std::int64_t along = 0;
  std::int64_t count = 0;
  std::int64_t terms = 0;
  std::int32_t* to = nullptr;
  std::int64_t stride = 0;
};

/// The kernels of one instruction set.
struct int8_kernels {
  matmul_kernels<std::int32_t> products;
  int terms;  ///< of an element: g above
  void (*pack_a)(const int8_pack& pack);
  void (*pack_b)(const int8_pack& pack);
  /// Writes in front of packed rows of a what their sums begin with; null where that is 0.
  void (*start)(std::int32_t* a, std::int64_t stride, std::int64_t rows, std::int64_t elements);
};

#if defined(__x86_64__)
extern const int8_kernels matmul_int8_avx512_vnni;
extern const int8_kernels matmul_int8_avx_vnni;
extern const int8_kernels matmul_int8_avx2;
#endif
extern const int8_kernels matmul_int8_baseline;

}  // namespace tandem::openmp_impl
