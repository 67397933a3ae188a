// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/table.hpp>
#include <tandem/core/contract/matmul_problem.hpp>

/// Dot-product packing: elements of 32 bits hold several consecutive terms of a row of a or a
/// column of b, as many as one instruction multiplies and sums in a lane.
namespace tandem::openmp_impl {

/// A part of an operand to be packed: term (i, l) is source[i * across + l * along] for i < count
/// and l < terms; i is a row of a or a column of b.
///
/// Terms g * q .. g * q + g - 1 of i go into one element: for a, to[i * stride + q]; for b, to[q *
/// stride + i]. Bits beyond the last term are zeros.
template <class Source, class Element>
struct matmul_terms_pack {
  const Source* source = nullptr;
  std::int64_t across = 0;
  std::int64_t along = 0;
  std::int64_t count = 0;
  std::int64_t terms = 0;
  Element* to = nullptr;
  std::int64_t stride = 0;
};

/// The kernels of one instruction set for elements of several terms.
template <class Source, class Element>
struct packed_terms_kernels {
  matmul_kernels<Element> products;
  int terms;  ///< of an element: g above
  void (*pack_a)(const matmul_terms_pack<Source, Element>& pack);
  void (*pack_b)(const matmul_terms_pack<Source, Element>& pack);
  /// Writes the initial value of each row's sums in front of the packed row of a; null if it is 0.
  void (*start)(Element* a, std::int64_t stride, std::int64_t rows, std::int64_t elements);
  /// k is padded with zeros to a multiple of this many elements.
  int depth = 1;
  /// Multiply-adds of elements below which a product that fits a core's L2 runs on one thread.
  std::int64_t serial_work = 0;

  static const packed_terms_kernels baseline;
  static const packed_terms_kernels avx2;
  static const packed_terms_kernels avx_vnni;
  static const packed_terms_kernels avx512_vnni;
  static const packed_terms_kernels avx512_amx;
};

/// The range of an operand's magnitudes, which decides whether the instruction may multiply it: the
/// 15 bits without the sign, which order numbers by magnitude.
struct bf16_range {
  std::uint16_t largest = 0;   ///< magnitude of any
  std::uint16_t smallest = 0;  ///< 2^15 minus the least nonzero magnitude; 0 if all are zeros
};

/// The kernels of one instruction set; each element holds the bits of two bf16, not a float.
struct bf16_kernels {
  packed_terms_kernels<bf16, float> pairs;
  /// Widens `range` by the terms of `count` packed elements.
  void (*widen)(const float* packed, std::int64_t count, bf16_range& range);

  static const bf16_kernels avx512_bf16;
};

/// 8-bit integers, two or four terms per element.
using int8_kernels = packed_terms_kernels<std::int8_t, std::int32_t>;

template <>
const int8_kernels int8_kernels::baseline;
template <>
const int8_kernels int8_kernels::avx2;
template <>
const int8_kernels int8_kernels::avx_vnni;
template <>
const int8_kernels int8_kernels::avx512_vnni;
template <>
const int8_kernels int8_kernels::avx512_amx;

/// Computes a matmul of 8-bit integers with at most `threads` threads and the kernels of one
/// instruction set.
void run_int8_matmul(int threads, const matmul_problem<std::int32_t, std::int8_t>& problem,
                     const int8_kernels& kernels);

}  // namespace tandem::openmp_impl
