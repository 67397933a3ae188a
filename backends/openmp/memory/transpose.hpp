// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/core/extents.hpp>

#include <cstddef>

namespace tandem::openmp_impl {

/// A matrix whose columns are contiguous in the source and whose rows are contiguous in the
/// destination: the two-dimensional part of a copy that transposes. Steps are in bytes.
struct transposed_matrix {
  const char* source = nullptr;
  char* destination = nullptr;
  index_t rows = 0;
  index_t columns = 0;
  index_t source_column = 0;    ///< from one column to the next, either direction
  index_t destination_row = 0;  ///< from one row to the next, either direction
};

/// Whether transpose() copies elements of this size.
constexpr bool is_transposable(std::size_t element_bytes) {
  return element_bytes <= 4 || element_bytes == 8 || element_bytes == 12 || element_bytes == 16;
}

/// Returns the rows that a thread should transpose at once.
constexpr index_t transposed_rows(std::size_t element_bytes) {
  // A block's columns are 4 cache lines, and its rows too (transpose.cpp). With small elements it
  // has fewer rows, so that it fits half an L1 of 32 KiB.
  return element_bytes <= 4 ? 64 : element_bytes == 8 ? 32 : 16;
}

/// Copies a matrix to memory that it does not overlap. The size of its elements is one for which
/// is_transposable() holds, and it has at most transposed_rows() rows.
///
/// @param element_bytes  bytes of an element
///
/// @param nontemporal  whether to write by non-temporal stores, for results that exceed the caches
void transpose(const transposed_matrix& matrix, std::size_t element_bytes, bool nontemporal);

}  // namespace tandem::openmp_impl
