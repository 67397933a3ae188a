// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tandem/backends/cuda/memory/policy.hpp>
#include <tandem/backends/cuda/memory/transpose/plan.hpp>

namespace tandem::cuda_impl {

/// Matrices of elements of 1 or 2 bytes that are copied to their transposes. Rows are those of the
/// source, whose elements are contiguous; columns are contiguous in the destination.
struct narrow_transpose {
  index_t rows = 0;
  index_t columns = 0;
  /// Bytes from column to column of the destination, and from row to row of the source.
  index_t pitch[2] = {};
  unsigned across = 0;  ///< tiles per row
  unsigned down = 0;    ///< tiles per column

  /// The dimensions that number the matrices, outermost first.
  int rank = 0;
  index_t extent[strided_words<2>::max_rank] = {};
  index_t step[2][strided_words<2>::max_rank] = {};  ///< bytes from matrix to matrix
  index_t blocks = 0;                                ///< 0 if the box is not such matrices
};

/// Plans a transposing copy of a box of words of 1 or 2 bytes whose two densest dimensions are long
/// enough, and that do not move as words of 4 bytes (packed_elements).
constexpr narrow_transpose plan_narrow(const strided_words<2>& box,
                                       const std::size_t (&address)[2]) {
  narrow_transpose plan;
  if (box.word_bytes > 2 || packed_elements(box, address) > 1) return plan;
  const int column = dense_order(box, 0).dimension[0];
  const int row = dense_order(box, 1).dimension[0];
  const auto bytes = static_cast<index_t>(box.word_bytes);
  const index_t span = narrow_transposes.piece / bytes;
  plan.rows = box.extent[column];
  plan.columns = box.extent[row];
  if (row == column || box.stride[0][column] != 1 || box.stride[1][row] != 1 ||
      box.stride[1][column] == 0 || plan.rows < narrow_transposes.least ||
      plan.columns < narrow_transposes.least)
    return plan;
  plan.pitch[0] = box.stride[0][row] * bytes;
  plan.pitch[1] = box.stride[1][column] * bytes;
  plan.across = static_cast<unsigned>((plan.columns - 1) / span + 1);
  plan.down = static_cast<unsigned>((plan.rows - 1) / span + 1);
  plan.blocks = index_t{plan.across} * plan.down;
  for (int d = 0; d < box.rank; ++d) {
    if (d == row || d == column) continue;
    plan.extent[plan.rank] = box.extent[d];
    for (int side = 0; side < 2; ++side) plan.step[side][plan.rank] = box.stride[side][d] * bytes;
    plan.blocks *= box.extent[d];
    ++plan.rank;
  }
  return plan;
}

}  // namespace tandem::cuda_impl
