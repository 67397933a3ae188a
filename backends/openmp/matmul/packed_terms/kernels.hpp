// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/openmp/matmul/kernels/table.hpp>

/// Products of which an element of 32 bits holds the next few terms of a row of a or a column of b:
/// as many as one instruction multiplies and adds up in a lane. As matmul_kernels.hpp, for files of
/// one instruction set.
namespace tandem::openmp_impl {

/// A part of an operand to be packed: term (i, l) lies at source[i * across + l * along] for i <
/// count and l < terms, i being a row of a or a column of b.
///
/// Terms g * q .. g * q + g - 1 of i go into one element, of a into to[i * stride + q], of b into
/// to[q * stride + i]; where there are no more terms their bits are zeros.
template <class Source, class Element>
struct matmul_terms {
  const Source* source = nullptr;
  std::int64_t across = 0;
  std::int64_t along = 0;
  std::int64_t count = 0;
  std::int64_t terms = 0;
  Element* to = nullptr;
  std::int64_t stride = 0;
};

/// The kernels of one instruction set.
template <class Source, class Element>
struct matmul_term_kernels {
  matmul_kernels<Element> products;
  int terms;  ///< of an element: g above
  void (*pack_a)(const matmul_terms<Source, Element>& pack);
  void (*pack_b)(const matmul_terms<Source, Element>& pack);
  /// Writes in front of packed rows of a what their sums begin with; null where that is 0.
  void (*start)(Element* a, std::int64_t stride, std::int64_t rows, std::int64_t elements);
  /// Products have a multiple of it in elements for k, zeros behind the terms.
  int depth = 1;
  /// Products of elements below which a product that a core's own cache holds is not worth a fork.
  std::int64_t alone = 0;
};

}  // namespace tandem::openmp_impl
